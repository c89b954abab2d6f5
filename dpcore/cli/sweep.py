"""`sweep`: train and measure, as on Explore."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from dpcore.cli.options import Parser, optional_whole, words
from dpcore.cli.output import print_json, progress, writing
from dpcore.cli.tables import source, table_options
from dpcore.controls.control import fields
from dpcore.controls.explore import CONTROLS, DATA, EPSILON, FEW_EPSILONS
from dpcore.controls.options import add as add_options
from dpcore.controls.options import exactly, typed_values
from dpcore.datasets import OWN, PAPER_000, Preparation, described, entry
from dpcore.datasets.prepare import complete_only
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import number, one_of, reject, whole
from dpcore.evaluation.curves import answers
from dpcore.evaluation.marks import marked
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, losses_for
from dpcore.evaluation.sweep import sweep
from dpcore.guarantee import Status

CONTROLLED = tuple(control for control in (*CONTROLS, EPSILON) if control is not DATA)
PREPARATIONS = {"public": Preparation(), "paper-000": PAPER_000}
WRITABLE = "a file that can be written"
JSON_HELP = "print rows as JSON under 'sweep'"


def add(command: Parser) -> None:
    """Add the options."""
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
    command.add_argument("--include", help="comma-separated columns that are usually left out")
    command.add_argument("--test-fraction", help="share of the records kept for testing")
    command.add_argument("--split-seed")
    command.add_argument(
        "--output",
        help="CSV file; default: standard output, with one row for the model without privacy",
    )
    command.add_argument(
        "--summary",
        action="store_true",
        help="one row per method and ε, in closed form where there is one, as on the page",
    )


def run(options: argparse.Namespace) -> None:
    """Answer."""
    data = source(options)
    public = described(data.columns) if data.dataset == OWN else entry(data.dataset)
    choices = typed_values([control for control in CONTROLLED if control.field], options)
    typed = options.epsilon or exactly(FEW_EPSILONS)
    study = Study(
        **{"loss": losses_for(public)[0], **fields(CONTROLLED, choices)},
        dataset=data.dataset,
        upload=data.upload,
        columns=data.columns,
        epsilons=tuple(number("epsilon", part) for part in typed.split(",")),
        batch=optional_whole("batch", options.batch, 1),
        preparation=_preparation(options, choices),
    )
    output = None if options.output is None else _writable(options.output)
    if options.summary:
        rows = marked(answers(study, records=data.table, progress=progress))
    else:
        split = None if data.table is None else splits(data.table, study.preparation)
        rows = marked(sweep(study, split=split, progress=progress))
    if complete_only(public, study.preparation):
        print(f"About every ε: {COMPLETE_ONLY}.", file=sys.stderr)
    if output is not None:
        with writing(options.output, WRITABLE):
            output.write_text(rows.to_csv(index=False), encoding="utf-8")
        print(f"{len(rows):,} rows written to {output}", file=sys.stderr)
    if options.json:
        print_json({"sweep": rows.to_dict("records")})
    elif output is None:
        print(_without_privacy_once(rows).to_csv(index=False), end="")


def _writable(name: str) -> Path:
    """The path of a file that can be written, as far as it can be checked in advance."""
    path = Path(name)
    with writing(name, WRITABLE):
        if path.is_dir() or not path.parent.is_dir():
            raise reject("output", name, "a file in a folder that exists")
        path.exists()  # raises for a name that is too long
    return path


def _without_privacy_once(rows: pd.DataFrame) -> pd.DataFrame:
    """The table for reading: one row for a model without noise, with no ε and no δ."""
    noiseless = rows["status"] == str(Status.NOT_PRIVATE)
    shortened = rows[~(noiseless & rows.duplicated("method"))].reset_index(drop=True)
    shortened.loc[shortened["status"] == str(Status.NOT_PRIVATE), ["epsilon", "delta"]] = math.nan
    return shortened


def _preparation(options: argparse.Namespace, choices: Mapping[str, Any]) -> Preparation:
    base = PREPARATIONS[one_of("preparation", options.preparation, tuple(PREPARATIONS))]
    typed = fields(CONTROLLED, choices, "preparation")
    if options.log_transform is not None:
        typed["log_transform"] = options.log_transform
    if options.include is not None:
        typed["include"] = words(options.include)
    if options.test_fraction is not None:
        typed["test_fraction"] = number("test-fraction", options.test_fraction)
    if options.split_seed is not None:
        typed["seed"] = whole("split-seed", options.split_seed, at_least=0)
    return replace(base, **typed)
