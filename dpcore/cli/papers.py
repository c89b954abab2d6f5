"""`reproduce`: a paper's figures and tables, with verdicts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dpcore.cli.options import json_option, optional_whole, words
from dpcore.cli.output import print_json, progress
from dpcore.errors import reject, whole

if TYPE_CHECKING:
    from dpcore.cli.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    command = commands.add_parser("reproduce", help="a paper's figures, with verdicts")
    command.add_argument("paper", help="paper-000")
    command.add_argument("--figure", help="2, 3, 4 or 5")
    command.add_argument("--table", help="1")
    command.add_argument("--output", required=True, help="folder for CSV, PNG, SVG and verdicts")
    command.add_argument("--datasets", help="comma-separated; default: the paper's, where at hand")
    command.add_argument("--runs", default="30")
    json_option(command)
    command.set_defaults(run=_reproduce)


def _reproduce(options: argparse.Namespace) -> None:
    from dpcore.reproduction.paper_000 import reproduce_paper_000

    if options.paper != "paper-000":
        raise reject("paper", options.paper, "paper-000")
    found = reproduce_paper_000(
        figure=optional_whole("figure", options.figure, 1),
        table=optional_whole("table", options.table, 1),
        output=options.output,
        datasets=None if options.datasets is None else words(options.datasets),
        runs=whole("runs", options.runs, at_least=1),
        progress=progress,
    )
    if options.json:
        print_json({"reproduce": found})
        return
    for verdict in found["verdicts"]:
        print(f"[{verdict['verdict']}] {verdict['claim']}\n    {verdict['seen']}")
    for path in found["files"]:
        print(path)
