"""A study in options, and its tables as output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from dpcore.cli.options import Parser, numbers, optional, optional_whole, or_usual
from dpcore.cli.output import print_json, writing
from dpcore.cli.tables import TableSource, source, table_options
from dpcore.controls.atlas import FORM, RUN
from dpcore.controls.control import fields
from dpcore.controls.explore import CONTROLS, DATA, EPSILON, FEW_EPSILONS, TYPED
from dpcore.controls.options import add as add_options
from dpcore.controls.options import exactly, typed_values
from dpcore.datasets import BY_RULE, OWN, PAPER_000, Entry, Preparation, Table, described, entry
from dpcore.datasets.preparation import complete_only
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import number, one_of, reject, whole
from dpcore.evaluation.models import EPSILONS, ModelStudy
from dpcore.evaluation.study import Study, losses_for
from dpcore.spreadsheet import csv
from dpcore.words import spaced

CONTROLLED = tuple(control for control in (*CONTROLS, EPSILON) if control is not DATA)
PREPARATIONS = {"public": BY_RULE, "paper-000": PAPER_000}
WRITABLE = "a file that can be written"


def study_options(command: Parser) -> None:
    """Add the options that describe a study."""
    table_options(command)
    add_options(command, CONTROLLED)
    # No page has the options from here on.
    command.add_argument("--batch", help="records per stochastic step; default: rule")
    command.add_argument(
        "--preparation",
        default="public",
        help=" or ".join(PREPARATIONS) + "; the options about records change it",
    )
    command.add_argument(
        "--log-transform",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="the public transform of long-tailed columns",
    )
    add_options(command, TYPED)


def described_study(options: argparse.Namespace) -> tuple[Study, Table | None]:
    """The study of the options, and its records where they come in a file."""
    data = source(options)
    choices = typed_values([control for control in CONTROLLED if control.field], options)
    typed = options.epsilon or exactly(FEW_EPSILONS)
    study = Study(
        **{"loss": losses_for(public(data))[0], **fields(CONTROLLED, choices)},
        dataset=data.dataset,
        upload=data.upload,
        columns=data.columns,
        epsilons=tuple(number("epsilon", part) for part in typed.split(",")),
        batch=optional_whole("batch", options.batch, 1),
        preparation=_preparation(options, choices),
    )
    return study, data.table


def model_options(command: Parser) -> None:
    """Add the options that describe a model of the survey."""
    table_options(command)
    command.add_argument("--epsilon", help=f"comma-separated; default: {exactly(EPSILONS)}")
    add_options(command, (FORM, *RUN))
    command.add_argument("--seed", default="0")


def described_model(options: argparse.Namespace) -> tuple[ModelStudy, Table | None]:
    """The model of the options, and its records where they come in a file."""
    data = source(options)
    study = ModelStudy(
        model=or_usual(options.model, ModelStudy.model),
        dataset=data.dataset,
        records=None if data.table is None else data.table.records,
        upload=data.upload,
        columns=data.columns,
        epsilons=EPSILONS if options.epsilon is None else numbers("epsilon", options.epsilon),
        delta=optional("delta", options.delta),
        adjacency=options.adjacency or "",
        runs=whole("runs", options.runs or ModelStudy.runs, at_least=1),
        seed=whole("seed", options.seed, at_least=0),
    )
    return study, data.table


def public(data: Study | TableSource) -> Entry:
    """What is known of the data without a look at the records."""
    return described(data.columns) if data.dataset == OWN else entry(data.dataset)


def give(
    rows: pd.DataFrame,
    study: object,
    output: Path | None,
    under: str,
    beside: Mapping[str, Any],
) -> None:
    """Write rows to a file, and print them: as CSV without one, or as `under` of a JSON object."""
    if isinstance(study, Study) and complete_only(public(study), study.preparation):
        print(f"About every ε: {COMPLETE_ONLY}.", file=sys.stderr)
    if beside.get("note"):
        print(beside["note"], file=sys.stderr)
    if output is not None:
        with writing(str(output), WRITABLE):
            output.write_text(csv(rows), encoding="utf-8")
        print(f"{spaced(len(rows))} rows written to {output}", file=sys.stderr)
    if under:
        print_json({under: rows.to_dict("records"), **beside})
    elif output is None:
        print(csv(rows), end="")


def writable(name: str) -> Path:
    """The path of a file that can be written, as far as it can be checked in advance."""
    path = Path(name)
    with writing(name, WRITABLE):
        if path.is_dir() or not path.parent.is_dir():
            raise reject("output", name, "a file in a folder that exists")
        path.exists()  # raises for a name that is too long
    return path


def _preparation(options: argparse.Namespace, choices: Mapping[str, Any]) -> Preparation:
    base = PREPARATIONS[one_of("preparation", options.preparation, tuple(PREPARATIONS))]
    choices = {**choices, **typed_values(TYPED, options)}
    typed = fields((*CONTROLLED, *TYPED), choices, "preparation")
    if options.log_transform is not None:
        typed["log_transform"] = options.log_transform
    return replace(base, **typed)
