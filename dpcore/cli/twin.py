"""`twin`: pay for noisy counts of one's own table, and write made-up records drawn from them."""

from __future__ import annotations

import argparse
import sys

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json, progress, standing
from dpcore.cli.tables import accept_clipping, before_payment, release_table
from dpcore.errors import number

NEEDED = {
    "table": "the records (CSV, Parquet)",
    "columns": "file that describes the columns, and what one person is, in YAML, JSON or lines",
    "ledger": "the ledger to pay from: a file, or a URL of SQLite or PostgreSQL",
    "data-set": "name of the data set in the ledger",
    "actor": "who has it made",
    "epsilon": "ε of the twin",
    "delta": "δ of the twin",
    "output": "new folder for the twin, its description and its card",
}
JSON_HELP = "print the card as JSON"


def add(command: Parser) -> None:
    for name, help_text in NEEDED.items():
        command.add_argument(f"--{name}", required=True, help=help_text)
    accept_clipping(command)


def run(options: argparse.Namespace) -> None:
    from dpcore.release.files import new_folder, write
    from dpcore.release.ledger import Ledger
    from dpcore.release.twin import twin
    from dpcore.release.twin.twin import twin_plan

    table = release_table(options)
    epsilon, delta = (number(name, getattr(options, name)) for name in ("epsilon", "delta"))
    ledger = Ledger.open(options.ledger, must_exist=True)
    try:
        with new_folder(options.output) as hidden:
            plan = twin_plan(
                table.columns,
                table.count,
                epsilon=epsilon,
                delta=delta,
                adjacency=ledger.left(options.data_set).account.terms.adjacency,
            )
            before_payment(table, delta, options.accept_clipping)
            prepared = twin.prepare(
                plan,
                table,
                ledger=ledger,
                data_set=options.data_set,
                actor=options.actor,
                progress=progress,
            )
            paid = twin.pay(prepared, ledger)
            entry = paid.receipt.entry
            with standing(f"Entry {entry} of the ledger stays paid, without a twin."):
                private_twin = twin.measure(paid, progress=progress)
                write(private_twin.files(), hidden, options.output)
            sha = private_twin.card.hash
            with standing(f"Entry {entry} is paid and the twin written; attach {sha} to it."):
                private_twin = twin.seal(private_twin, ledger)
    finally:
        ledger.close()
    if options.json:
        print_json(private_twin.card.document)
        return
    print(private_twin.card.document["claim"])
    print(f"entry {private_twin.receipt.entry}, chain head {private_twin.receipt.chain_head}")
    print(f"{private_twin.receipt.left.words()}")
    print(f"The twin was written to {options.output}", file=sys.stderr)
