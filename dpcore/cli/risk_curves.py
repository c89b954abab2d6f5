"""`risk-curves`: what private models say about each column, or one that a person corrected."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.sweep import described_study, give, public, study_options, writable
from dpcore.controls.explore import BY_COLUMN
from dpcore.controls.options import add as add_options
from dpcore.datasets.files import contents
from dpcore.errors import InvalidInput, whole
from dpcore.evaluation.clinic.by_hand import HandStudy, corrected
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.hand_edits import LARGEST_FILE, read
from dpcore.evaluation.clinic.study import check_data
from dpcore.evaluation.clinic.term_rows import FIRST
from dpcore.evaluation.marks import marked
from dpcore.evaluation.study import Study

JSON_HELP = "print rows as JSON under 'risk_curves'"


def add(command: Parser) -> None:
    study_options(command)
    add_options(command, BY_COLUMN)
    command.add_argument(
        "--correct",
        help="JSON file of terms and the heights that you give them, such as "
        '{"age": {"line": 0.5}}, or {} for none; tells every term of one run\'s model instead, and '
        "what the correction changes",
    )
    command.add_argument(
        "--run", dest="whose", help=f"whose model is corrected, from 1; default: {FIRST}"
    )
    command.add_argument("--output", help="CSV file; default: standard output")


def run(options: argparse.Namespace) -> None:
    explored, table = described_study(options)
    entry = public(explored)
    check_data(entry)
    study, compute = _study_and_function(options, explored)
    study.of(entry)  # which refuses a wrong column before anything is trained
    output = None if options.output is None else writable(options.output)
    rows = marked(compute(study, records=table, progress=progress))
    give(rows, explored, output, "risk_curves" if options.json else "")


def _study_and_function(
    options: argparse.Namespace, explored: Study
) -> tuple[Any, Callable[..., Any]]:
    if options.correct is None:
        if options.whose is not None:
            raise InvalidInput("run is given without correct, but only one model is corrected.")
        columns = () if options.column is None else (options.column,)
        return ColumnStudy(explored, columns), charted
    if options.column is not None:
        raise InvalidInput("column is given with correct, but a correction names its columns.")
    edits = read(contents("correct", options.correct, LARGEST_FILE))
    run = FIRST if options.whose is None else whole("run", options.whose, at_least=1)
    return HandStudy(explored, edits, run), corrected
