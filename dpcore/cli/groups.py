"""`groups`: what deciding by private models means to groups of people, as on Explore."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.sweep import described_study, give, public, study_options, writable
from dpcore.controls.explore import BY_GROUP, CORRECTED
from dpcore.controls.options import add as add_options
from dpcore.datasets.grouping import columns, grouping
from dpcore.errors import InvalidInput, number
from dpcore.evaluation.clinic.group_task import GroupStudy, compared
from dpcore.evaluation.clinic.study import ClinicStudy, check_data
from dpcore.evaluation.marks import marked

JSON_HELP = "print rows as JSON under 'groups'"


def add(command: Parser) -> None:
    study_options(command)
    add_options(command, (*BY_GROUP, CORRECTED))
    command.add_argument(
        "--threshold", default="0.5", help="the risk from which one acts, as a share of 1"
    )
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    explored, table = described_study(options)
    entry = public(explored)
    check_data(entry)
    if options.by is None:
        names = ", ".join(columns(entry))
        raise InvalidInput(f"by is missing, but it must be one of the columns: {names}.")
    grouping(entry, options.by)
    threshold = number("threshold", options.threshold)
    judged = ClinicStudy(explored, (threshold,), corrected=options.corrected)
    study = GroupStudy(judged, options.by)
    output = None if options.output is None else writable(options.output)
    rows = marked(compared(study, records=table, progress=progress))
    give(rows, explored, output, "groups" if options.json else "")
