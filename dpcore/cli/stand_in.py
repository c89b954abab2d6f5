"""`stand-in`: made-up records by a description alone, which cost nothing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcore.cli.options import Parser, or_usual
from dpcore.cli.output import print_json, writing
from dpcore.cli.tables import text_file
from dpcore.errors import whole
from dpcore.words import spaced


def add(command: Parser) -> None:
    command.add_argument(
        "--columns", required=True, help="file that describes the columns, in YAML, JSON or lines"
    )
    command.add_argument("--records", help="how many; default: 1 000")
    command.add_argument("--seed", help="default: 0")
    command.add_argument("--output", required=True, help="CSV file to write")


def run(options: argparse.Namespace) -> None:
    from dpcore.release.made_up import MAX_RECORDS, stand_in

    columns = text_file("columns", options.columns)
    count = whole("records", or_usual(options.records, "1000"), at_least=1, at_most=MAX_RECORDS)
    seed = whole("seed", or_usual(options.seed, "0"), at_least=0, at_most=2**63 - 1)
    csv_text = stand_in(columns, count, seed=seed)
    with writing(options.output, "a file that can be written"):
        Path(options.output).write_text(csv_text, "utf-8")
    if options.json:
        print_json({"records": count, "output": options.output, "epsilon": 0.0})
        return
    print(f"{spaced(count)} made-up records, from the description alone: they cost nothing.")
    print(f"They were written to {options.output}", file=sys.stderr)
