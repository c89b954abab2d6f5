"""`certificate check`: whether a certificate follows from its mechanism, and from the ledger."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.cli.tables import text_file
from dpcore.errors import InvalidInput, one_of


def add(command: Parser) -> None:
    """Add the options."""
    command.add_argument("action", help="check")
    command.add_argument("file", help="the certificate (YAML)")
    command.add_argument("--ledger", help="the ledger that it was paid from")
    command.add_argument("--model", help="the model that it is about (JSON)")


def run(options: argparse.Namespace) -> None:
    """Answer; a certificate with a fault is bad input."""
    one_of("action", options.action, ("check",))
    from dpcore.release.check import check

    text = text_file("file", options.file)
    model = None
    if options.model is not None:
        from dpcore.release.model import Model

        model = Model.from_json(text_file("model", options.model))
    if options.ledger is None:
        checked = check(text, model=model)
    else:
        from dpcore.release.ledger import Ledger

        ledger = Ledger.open(options.ledger, must_exist=True)
        try:
            checked = check(text, ledger, model)
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
