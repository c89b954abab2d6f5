"""`certificate check`: whether a certificate or card follows from its mechanism and ledger."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.cli.tables import text_file
from dpcore.datasets.limits import LARGEST_TABLE
from dpcore.errors import InvalidInput, one_of


def add(command: Parser) -> None:
    """Add the options."""
    command.add_argument("action", help="check")
    command.add_argument("file", help="the certificate, or the card of a twin (YAML)")
    command.add_argument("--ledger", help="the ledger that it was paid from")
    command.add_argument("--model", help="the model that it is about (JSON)")
    command.add_argument("--twin", help="the private twin that it is about (CSV)")


def run(options: argparse.Namespace) -> None:
    """Answer; a certificate with a fault is bad input."""
    one_of("action", options.action, ("check",))
    from dpcore.release.check import check

    text = text_file("file", options.file)
    model = None
    if options.model is not None:
        from dpcore.release.model import Model

        model = Model.from_json(text_file("model", options.model))
    twin = None
    if options.twin is not None:
        twin = text_file("twin", options.twin, LARGEST_TABLE)
    if options.ledger is None:
        checked = check(text, model=model, twin=twin)
    else:
        from dpcore.release.ledger import Ledger

        ledger = Ledger.open(options.ledger, must_exist=True)
        try:
            checked = check(text, ledger, model, twin)
        finally:
            ledger.close()
    if options.json:
        print_json(
            {
                "holds": not checked.problems,
                "problems": list(checked.problems),
                "checks": list(checked.checks),
                "warning": checked.warning,
            }
        )
    if checked.problems:
        raise InvalidInput(" ".join(checked.problems))
    if not options.json:
        print("The certificate holds.")
        for each in checked.checks:
            print(f"checked: {each}")
        if checked.warning:
            print(checked.warning)
