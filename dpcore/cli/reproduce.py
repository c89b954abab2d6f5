"""`reproduce`: a paper's figures and tables, with verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpcore.cli.options import Parser, optional_whole, words
from dpcore.cli.output import print_json, progress
from dpcore.reproduction import gathered, report


def add(command: Parser) -> None:
    command.description = (
        "Runs a figure or table of a paper again, or says why it can't be, and judges what the "
        "paper concludes from it. Figures that train networks take minutes to hours at full size "
        "(docs/reproduction.md); --epochs and --runs make a quick look."
    )
    command.add_argument("paper", help="paper-000, paper-002, paper-003 or paper-004")
    command.add_argument("--figure", help="its number")
    command.add_argument("--table", help="its number")
    command.add_argument(
        "--output",
        required=True,
        help="folder for CSV, PNG, SVG and verdicts; its report.html has all that was run in it",
    )
    command.add_argument("--datasets", help="comma-separated; default: the paper's, where at hand")
    command.add_argument("--runs", help="independent runs of each setting")
    command.add_argument("--epochs", help="train networks for no more than so many")


def run(options: argparse.Namespace) -> None:
    result = report.reproduce(
        options.paper,
        figure=optional_whole("figure", options.figure, 1),
        table=optional_whole("table", options.table, 1),
        output=options.output,
        datasets=None if options.datasets is None else words(options.datasets),
        runs=optional_whole("runs", options.runs, 1),
        epochs=optional_whole("epochs", options.epochs, 1),
        progress=progress,
    )
    folder = Path(options.output)
    (folder / "report.html").write_text(gathered.html(folder), encoding="utf-8")
    if options.json:
        print_json({"reproduce": result})
        return
    for verdict in result["verdicts"]:
        print(f"[{verdict['verdict']}] {verdict['claim']}\n    {verdict['seen']}")
    for path in result["files"]:
        print(path)
