"""What private models say about each column: a curve in log odds, as one tidy table.

One row a (method, ε, column, value) with the band from 5 % to 95 % of single runs, then the linear
model without privacy, which has none: the column's part in log odds
(`dpcore.datasets.column_parts`), and the risk where other columns are at their public references
or, not private, at the records' average. On several splits everything is the mean over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from dpcore.datasets import Entry, Preparation, Table
from dpcore.datasets.column_parts import (
    Person,
    Values,
    part_of,
    people_at,
    reference_person,
    values_of,
)
from dpcore.datasets.column_terms import ColumnTerms, terms_of
from dpcore.datasets.preparation import used_columns
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, brief, reject
from dpcore.evaluation.baselines import LINEAR, without_privacy
from dpcore.evaluation.clinic.risks import Judged, records_of, released
from dpcore.evaluation.clinic.rows import (
    OF_NOISE,
    Limits,
    of_model,
    split_of_each,
    summarised,
    with_ends,
)
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.term_rows import COLUMNS as OF_TERMS
from dpcore.evaluation.clinic.term_rows import FIRST, of_run, term_rows
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, digest
from dpcore.progress import Progress, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd

MAX_TOGETHER = 50
"""Most columns of one study: each has some hundred rows a model."""
MEASURES: Limits = MappingProxyType(
    {"log_odds": (-math.inf, math.inf), "risk": (0.0, 1.0), "risk_at_average": (0.0, 1.0)}
)
COLUMNS = (
    "method",
    "title",
    "baseline",
    *OF_NOISE,
    "feature_map",
    "column",
    "at",
    "level",
    "is_reference",
    "mean_or_mode",
    *with_ends(MEASURES),
    "runs",
    "splits",
)
"""``at`` is the value of a number, else the place of the level; ``log_odds`` its log odds less
those at the reference; ``risk`` that of a person at every other column's reference, and
``risk_at_average`` at every other column's ``mean_or_mode``, which is the place of a level."""
Curves = Sequence[tuple[Values, float, Mapping[str, Array]]]
"""Of each column its values and its average, and of each measure what weights are multiplied
with."""


@dataclass(frozen=True)
class ColumnStudy:
    """The curves of a study's private models, of some of its columns."""

    study: Study
    # those that have curves; all that the models use where none is named
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "study", ClinicStudy(self.study).study)
        preparation = self.study.preparation
        if preparation.features == "fourier":
            raise reject(
                "features", "fourier", "plain, additive, fine or rule: waves mix the columns"
            )
        if preparation.scaling != "public":
            raise reject(
                "scaling", preparation.scaling, "public: curves are drawn between public bounds"
            )

    @property
    def upload(self) -> str:
        return self.study.upload

    @property
    def title(self) -> str:
        return f"Curves of {self.study.title}"

    @cached_property
    def key(self) -> str:
        return digest({"columns": asdict(self)})

    def of(self, entry: Entry) -> tuple[str, ...]:
        """Name its columns; refuse more than `MAX_TOGETHER`, and what the models do not use."""
        used = tuple(column.name for column in used_columns(entry, self.study.preparation))
        for name in self.columns:
            if name not in used:
                listed = ", ".join(used)
                raise InvalidInput(
                    f"column is {brief(name)}, but it must be one that the models of {entry.key} "
                    f"use: {listed}."
                )
        chosen = self.columns or used
        if len(chosen) > MAX_TOGETHER:
            raise InvalidInput(
                f"column stands for {len(chosen)} columns, but at most {MAX_TOGETHER} have curves "
                "together: name those you want."
            )
        return chosen


def charted(
    study: ColumnStudy,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Tabulate what the study's models say about each column.

    Means over runs are nearly free of noise, and so are not private.
    """
    return _both(study, records, stoppable(progress, cancelled))[0]


def _both(
    study: ColumnStudy, records: Table | None, report: Progress
) -> tuple[pd.DataFrame, pd.DataFrame]:
    import pandas as pd

    explored = study.study
    table = records_of(explored, records, report)
    entry = table.entry
    names = study.of(entry)
    parts = splits(table, explored.preparation)
    models = released(ClinicStudy(explored), parts, section(report, 0.0, 0.6))
    columns = [entry.column(name) for name in names]

    @cache
    def curves(preparation: Preparation) -> Curves:
        persons = {
            "risk": reference_person(entry, preparation),
            "risk_at_average": average_person(table, preparation),
        }
        entries = []
        for column in columns:
            values = values_of(column, preparation)
            rows = {"log_odds": part_of(entry, preparation, values)}
            for name, person in persons.items():
                rows[name] = people_at(entry, preparation, values, person)
            entries.append((values, persons["risk_at_average"][column.name], rows))
        return entries

    @cache
    def terms(preparation: Preparation) -> list[ColumnTerms]:
        return [terms_of(entry, preparation, column) for column in columns]

    maps = by_map(explored, parts)
    tables, heights = [], []
    for model in models:
        preparation = of_map(model.splits[0].preparation)
        tables.append(_rows(model, preparation, curves(preparation)))
        first = term_rows(terms(preparation), *2 * (model.weights[0][FIRST - 1],))
        heights.append(first.assign(**of_run(model, preparation, FIRST)))
    for place, (_, rows) in enumerate(maps):
        part = section(report, 0.6 + 0.4 * place / len(maps), 0.4 / len(maps))
        linear = without_privacy(rows, progress=part).linear
        judged = Judged([np.atleast_2d(one) for one in linear], [], title=LINEAR)
        preparation = of_map(rows[0].preparation)
        tables.append(_rows(judged, preparation, curves(preparation)))
    report(1.0, "done")
    charts = pd.concat(tables, ignore_index=True)[list(COLUMNS)]
    return charts, pd.concat(heights, ignore_index=True)[list(OF_TERMS)]


def of_map(preparation: Preparation) -> Preparation:
    """Return what is the same for every split, as curves and terms look at no record."""
    return replace(preparation, seed=0, turn=0, stratified=False)


def average_person(table: Table, preparation: Preparation) -> Person:
    """Make a person of the mean of every number and the most frequent levels: not private."""
    frame = table.frame[~table.blank]
    person = dict(reference_person(table.entry, preparation))
    for column in used_columns(table.entry, preparation):
        values = frame[column.name]
        values = values.cat.codes if column.kind == "category" else values.astype(float)
        known = values[values >= 0] if column.kind == "category" else values.dropna()
        if len(known):
            is_number = column.kind == "number"
            typical = known.clip(*column.bounds).mean() if is_number else known.mode().iloc[0]
            person[column.name] = float(typical)
    return person


def task(study: ColumnStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: ColumnStudy, context: JobContext) -> Outcome:
    """`charted`, and the terms of the same models' first run; all rows come at the end."""
    import pandas as pd

    report = stoppable(context.report, context.cancelled)
    charts, terms = _both(study, context.records, report)
    # Whole numbers and truths stay what they are where they belong to the other table.
    charts = charts.assign(term="", run=0)
    terms = terms.assign(level="", baseline="", is_reference=False, runs=1, splits=1)
    return Outcome(pd.concat([charts, terms], ignore_index=True))


def curve_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the rows of `charted` out of a job's rows."""
    return rows.loc[rows["at"].notna(), list(COLUMNS)].reset_index(drop=True)


def term_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the terms (`dpcore.evaluation.clinic.term_rows`) out of a job's rows."""
    return rows.loc[rows["at"].isna(), list(OF_TERMS)].reset_index(drop=True)


def _rows(models: Judged, preparation: Preparation, curves: Curves) -> pd.DataFrame:
    import pandas as pd

    runs = [len(weights) for weights in models.weights]
    is_private = models.calibration is not None
    weights = np.concatenate(models.weights)
    tables = []
    for values, average, rows in curves:
        predictions = {name: weights @ one.T for name, one in rows.items()}
        predictions |= {
            name: expit(predictions[name]) for name in predictions if name != "log_odds"
        }
        summary = summarised(MEASURES, predictions, split_of_each(runs) if is_private else None)
        places = np.arange(len(values))
        tables.append(
            pd.DataFrame(
                {
                    "column": values.column.name,
                    "at": values.at,
                    "level": values.levels or "",
                    "is_reference": places == values.reference,
                    "mean_or_mode": average,
                    **summary,
                }
            )
        )
    return pd.concat(tables, ignore_index=True).assign(
        **of_model(models),
        feature_map=preparation.features,
        runs=sum(runs) if is_private else 1,
        splits=len(runs),
    )
