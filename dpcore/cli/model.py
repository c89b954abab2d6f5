"""`model`: a model of the survey on a table, its measure against ε."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

import pandas as pd

from dpcore.cli.options import Parser, optional, or_usual
from dpcore.cli.output import print_json, progress
from dpcore.cli.tables import source, table_options
from dpcore.controls.atlas import FORM, RUN
from dpcore.controls.options import add as add_options
from dpcore.errors import number, whole
from dpcore.evaluation.marks import marked
from dpcore.evaluation.models import EPSILONS, ModelStudy, curve, summary, why_unjudged
from dpcore.guarantee import Guarantee, verdicts
from dpcore.models.register import describe
from dpcore.spreadsheet import csv

READ_DIGITS = 4
"""Decimals of a measure, which is of the order of 1."""


def add(command: Parser) -> None:
    command.description = (
        "Learns a model of the survey (paper 001) privately, several times at every ε, and judges "
        "it on test records, beside the same model without noise. A terminal shows what was "
        "measured with few digits; a file or pipe gets all of them."
    )
    table_options(command)
    command.add_argument("--epsilon", nargs="+", help="total ε, one or several")
    add_options(command, (FORM, *RUN))
    command.add_argument("--seed", default="0")
    command.add_argument("--every-run", action="store_true", help="one row a run, no summary")


def run(options: argparse.Namespace) -> None:
    if options.model == "list":
        described = describe()
        if options.json:
            print_json({"models": described})
        for row in () if options.json else described:
            print(f"{row['model']:<18} {row['title']} · {row['system']} · {row['status']}")
        return
    records = source(options)
    study = ModelStudy(
        model=or_usual(options.model, ModelStudy.model),
        dataset=records.dataset,
        records=None if records.table is None else records.table.records,
        upload=records.upload,
        columns=records.columns,
        epsilons=EPSILONS
        if options.epsilon is None
        else tuple(number("epsilon", e, above=0.0) for e in options.epsilon),
        delta=optional("delta", options.delta),
        adjacency=options.adjacency or "",
        runs=whole("runs", options.runs or ModelStudy.runs, at_least=1),
        seed=whole("seed", options.seed, at_least=0),
    )
    calibrations = study.calibrations()
    rows = curve(study, table=records.table, progress=progress)
    table = marked(rows if options.every_run else summary(rows))
    unjudged = why_unjudged(rows)
    if not options.json:
        print(csv(_readable(table)), end="")
        if unjudged:
            print(unjudged, file=sys.stderr)
        return
    print_json(
        {
            "model": next(row for row in describe() if row["model"] == study.model),
            "dataset": study.dataset,
            "adjacency": study.adjacency,
            "note": unjudged,
            "rows": table.to_dict("records"),
            "calibrations": [
                {
                    "requested": asdict(c.requested),
                    "claim": _statement(c.claim),
                    "proof": _statement(c.proof),
                    "adjacency": str(c.adjacency),
                    "status": str(c.status),
                    "noises": [asdict(noise) for noise in c.noises],
                    "settings": c.settings,
                    "conditions": verdicts(c.conditions),
                }
                for c in calibrations
            ],
        }
    )


def _readable(rows: pd.DataFrame) -> pd.DataFrame:
    if not sys.stdout.isatty():
        return rows
    measured = [name for name in rows.columns if name.startswith("value")]
    return rows.assign(**{name: rows[name].round(READ_DIGITS) for name in measured})


def _statement(guarantee: Guarantee) -> dict[str, object]:
    """An (ε, δ) statement with its source; both null where there is none, and why."""
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "by": guarantee.by,
        "why": guarantee.reason,
    }
