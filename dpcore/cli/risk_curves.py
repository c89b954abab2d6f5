"""`risk-curves`: what private models say about each column, as on Explore."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.sweep import described_study, give, public, study_options, writable
from dpcore.controls.explore import CURVE_OF
from dpcore.controls.options import add as add_options
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.study import check_data
from dpcore.evaluation.marks import marked

JSON_HELP = "print rows as JSON under 'risk_curves'"


def add(command: Parser) -> None:
    """Add the options."""
    study_options(command)
    add_options(command, (CURVE_OF,))
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    """Answer."""
    explored, table = described_study(options)
    entry = public(explored)
    check_data(entry)
    study = ColumnStudy(explored, () if options.column is None else (options.column,))
    study.of(entry)  # which refuses a wrong one before anything is trained
    output = None if options.output is None else writable(options.output)
    rows = marked(charted(study, records=table, progress=progress))
    give(rows, explored, output, "risk_curves" if options.json else "")
