"""What commands share that pay for one measurement of one's own table, and write what leaves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json, progress, standing
from dpcore.cli.tables import accept_clipping, before_payment, release_table
from dpcore.errors import number

if TYPE_CHECKING:
    from dpcore.release.certificate import Certificate
    from dpcore.release.ledger import Receipt
    from dpcore.release.table import ReleaseTable

NEEDED = {
    "table": "the records (CSV, Parquet)",
    "columns": "file that describes the columns, and what one person is, in YAML, JSON or lines",
    "ledger": "the ledger to pay from: a file, or a URL of SQLite or PostgreSQL",
    "data-set": "name of the data set in the ledger",
}


def add_needed(command: Parser, needed: Mapping[str, str]) -> None:
    """Add options that must be given, and `--accept-clipping`."""
    for name, help_text in needed.items():
        command.add_argument(f"--{name}", required=True, help=help_text)
    accept_clipping(command)


def pay_and_write(
    options: argparse.Namespace,
    what: str,
    steps: Any,
    plan_of: Callable[..., Any],
) -> None:
    """Plan, prepare, pay, measure, write and seal by the functions of a module, and answer.

    `plan_of` takes columns, number of records, ε, δ and adjacency as the module's own plan does.
    """
    from dpcore.release.files import new_folder, write
    from dpcore.release.ledger import Ledger

    table: ReleaseTable = release_table(options)
    epsilon, delta = (number(name, getattr(options, name)) for name in ("epsilon", "delta"))
    ledger = Ledger.open(options.ledger, must_exist=True)
    try:
        with new_folder(options.output) as hidden:
            plan = plan_of(
                table.columns,
                table.count,
                epsilon=epsilon,
                delta=delta,
                adjacency=ledger.left(options.data_set).account.terms.adjacency,
            )
            before_payment(table, delta, options.accept_clipping)
            prepared = steps.prepare(
                plan,
                table,
                ledger=ledger,
                data_set=options.data_set,
                actor=options.actor,
                progress=progress,
            )
            paid = steps.pay(prepared, ledger)
            entry = paid.receipt.entry
            with standing(f"Entry {entry} of the ledger stays paid, without a {what}."):
                made = steps.measure(paid, progress=progress)
                write(made.files(), hidden, options.output)
            sha = made.card.hash
            with standing(f"Entry {entry} is paid and the {what} written; attach {sha} to it."):
                made = steps.seal(made, ledger)
    finally:
        ledger.close()
    answer(options, what, made.card, made.receipt)


def answer(
    options: argparse.Namespace, what: str, certificate: Certificate, receipt: Receipt
) -> None:
    """Print what was written and paid."""
    if options.json:
        print_json(certificate.document)
        return
    print(certificate.document["claim"])
    print(f"entry {receipt.entry}, chain head {receipt.chain_head}")
    print(f"{receipt.left.words()}")
    print(f"The {what} was written to {options.output}", file=sys.stderr)
