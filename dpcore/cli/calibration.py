"""`calibration`: whether the risks of private models are right, as on Explore."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.sweep import described_study, give, public, study_options, writable
from dpcore.controls.explore import CORRECTED
from dpcore.controls.options import add as add_options
from dpcore.errors import whole
from dpcore.evaluation.clinic.calibration import BINS
from dpcore.evaluation.clinic.study import ClinicStudy, check_data
from dpcore.evaluation.clinic.task import calibrated
from dpcore.evaluation.marks import marked

JSON_HELP = "print rows as JSON under 'calibration'"


def add(command: Parser) -> None:
    study_options(command)
    add_options(command, (CORRECTED,))
    command.add_argument(
        "--bins", default=BINS, help=f"of about as many people each; default: {BINS}"
    )
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    explored, table = described_study(options)
    check_data(public(explored))
    bins = whole("bins", options.bins, at_least=1)
    study = ClinicStudy(explored, bins=bins, corrected=options.corrected)
    output = None if options.output is None else writable(options.output)
    rows = marked(calibrated(study, records=table, progress=progress))
    give(rows, explored, output, "calibration" if options.json else "")
