"""`decision-curve`: what deciding by private models is worth, as on Explore."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.sweep import described_study, give, public, study_options, writable
from dpcore.controls.explore import DECISIONS
from dpcore.controls.options import add as add_options
from dpcore.errors import InvalidInput, number
from dpcore.evaluation.clinic.study import THRESHOLDS, ClinicStudy, check_data
from dpcore.evaluation.clinic.task import decided
from dpcore.evaluation.marks import marked

JSON_HELP = "print rows as JSON under 'decision_curve'"


def add(command: Parser) -> None:
    study_options(command)
    add_options(command, DECISIONS)
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    explored, table = described_study(options)
    check_data(public(explored))
    typed = options.threshold
    levels = THRESHOLDS if typed is None else [number("threshold", one) for one in typed.split(",")]
    study = ClinicStudy(explored, tuple(levels), corrected=options.corrected)
    output = None if options.output is None else writable(options.output)
    rows = marked(decided(study, records=table, costs=_costs(options), progress=progress))
    give(rows, explored, output, "decision_curve" if options.json else "")


def _costs(options: argparse.Namespace) -> tuple[float, float] | None:
    typed = {"miss-cost": options.miss_cost, "alarm-cost": options.alarm_cost}
    missing = [name for name, text in typed.items() if text is None]
    if len(missing) == 1:
        raise InvalidInput(f"{missing[0]} is missing, but both costs or none must be given.")
    if missing:
        return None
    miss, alarm = (number(name, text) for name, text in typed.items())
    return miss, alarm
