"""What private models say about each column: a curve in log odds, as one tidy table.

One row a (method, ε, column, value) with the band from 5 % to 95 % of single runs, then the linear
model without privacy, which has none: the column's part in log odds
(`dpcore.datasets.column_parts`), and the risk where other columns are at their public references
or, not private, at the records' average. On several splits everything is the mean over them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import expit

from dpcore.controls.control import Control, Name, Number, OneOf, Text
from dpcore.controls.options import exactly
from dpcore.datasets import Entry, Preparation, Table
from dpcore.datasets.column_parts import (
    ColumnTerms,
    Person,
    Values,
    part_of,
    people_at,
    reference_person,
    terms_of,
    values_of,
)
from dpcore.datasets.files import contents
from dpcore.datasets.preparation import used_columns
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, brief, reject, whole
from dpcore.evaluation.baselines import LINEAR, without_privacy
from dpcore.evaluation.clinic.risks import (
    OF_NOISE,
    Judged,
    Limits,
    of_model,
    released,
    split_of_each,
    summarised,
    with_ends,
)
from dpcore.evaluation.splits import by_map, splits
from dpcore.evaluation.study import RiskModels, Study
from dpcore.progress import Progress, section
from dpcore.questions.question import Question, asked
from dpcore.questions.risk_curves.by_hand import corrected
from dpcore.questions.risk_curves.terms import COLUMNS as OF_TERMS
from dpcore.questions.risk_curves.terms import (
    FIRST,
    LARGEST_FILE,
    Correction,
    as_object,
    corrections_of,
    of_map,
    of_run,
    read,
    term_rows,
)

if TYPE_CHECKING:
    import pandas as pd

YOUR_CORRECTIONS = "corrections.json"
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


CURVE_OF = Control(
    "curve_of",
    "Curve of",
    Name(),
    noun="the curve of",
    fallback_name="the first column",
    option="column",
    brief="the column whose curve is told; default: every column that the models use",
    help="The column whose part in the model's risk is drawn. With a curve in each number, under "
    "**Features**, it may bend; otherwise it is a straight line.",
)
CURVE_AS = Control(
    "curve_as",
    "Shown as",
    OneOf(
        {
            "log_odds": "Log odds",
            "risk": "Risk, all else at its reference",
            "risk_at_average": "Risk, all else at its average",
        }
    ),
    noun="curves as",
    help="**Log odds** are the column's own part, whatever a person's other values are. A **risk** "
    "needs them. **References** are public: the middle of a number's bounds, the first level of "
    "all else. **Averages** are read off the records: means, and the most frequent levels. They "
    "are not private.",
)
CORRECT = Control(
    "correct",
    "Corrections by hand",
    Text(LARGEST_FILE),
    option="correct",
    brief="JSON file of terms and the heights that you give them, such as "
    '{"age": {"line": 0.5}}, or {} for none; tells every term of one run\'s model instead, and '
    "what the correction changes",
)
WHOSE = Control(
    "whose",
    "Run",
    Number(1, 1_000_000, whole=True),
    default=FIRST,
    option="run",
    brief=f"whose model is corrected, from 1; default: {FIRST}",
)


def of_file(name: str) -> tuple[Correction, ...]:
    """Read corrections from a file."""
    return read(contents("correct", name, LARGEST_FILE))


@dataclass(frozen=True)
class RiskCurvesQuestion(Question):
    """What a study's private models say about each column, or one that a person corrected by hand.

    Parameters
    ----------
    study : Study
        It names the adjacency; logistic regression on two classes.
    columns : sequence of str
        Those whose curves are told, in log odds and as risks; every one that the models use if it
        is empty.
    by_hand : mapping, optional
        Heights in log odds that a person gives to terms of columns, ``{"age": {"line": 0.5}}``:
        tells every term of the model of one run, and what the correction changes on test records.
        ``{}`` corrects nothing, and tells the terms that there are.
    run : int
        Whose model is corrected by hand, from 1.

    Notes
    -----
    One row a method, ε, column and value; by hand one a method, ε and term, then one a measure.
    Measures are not private, so a correction chosen by them is no post-processing.
    """

    study: Study = field(default_factory=Study)
    columns: tuple[str, ...] = asked(
        CURVE_OF,
        default=(),
        read=lambda name: (name,),
        written=lambda names: [exactly(names) if len(names) == 1 else None],
        takes="Sequence[str]",
    )
    by_hand: tuple[Correction, ...] | None = asked(
        CORRECT,
        default=None,
        read=of_file,
        written=lambda _: [YOUR_CORRECTIONS],
        python=as_object,
        takes="Mapping[str, Mapping[str, float]] | None",
        drawn=False,
    )
    run: int = asked(WHOSE, default=FIRST, drawn=False, takes="int")

    tab = "Risk curves"
    doing = "Drawing risk curves"
    table_is = "What each model says about the column, at every ε"
    looks = (CURVE_AS,)
    examples = (
        "--dataset cohort --records 300 --methods opera --epsilon 1 --features additive "
        "--column age",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "study", self.models.study)
        preparation = self.study.preparation
        if preparation.features == "fourier":
            raise reject(
                "features", "fourier", "plain, additive, fine or rule: waves mix the columns"
            )
        if preparation.scaling != "public":
            raise reject(
                "scaling", preparation.scaling, "public: curves are drawn between public bounds"
            )
        run = whole("run", self.run, at_least=1, at_most=self.study.runs)
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "columns", tuple(self.columns))
        if self.by_hand is None:
            if run != FIRST:
                raise InvalidInput("run is given without correct, but only one model is corrected.")
        elif self.columns:
            raise InvalidInput("column is given with correct, but a correction names its columns.")
        else:
            given = corrections_of(self.by_hand)
            object.__setattr__(self, "by_hand", given)

    @property
    def models(self) -> RiskModels:
        """The models whose curves are drawn."""
        return RiskModels(self.study)

    @classmethod
    def among(cls, entry: Entry) -> Mapping[str, Sequence[str]]:
        return {CURVE_OF.key: [column.name for column in entry.used]}

    @classmethod
    def on_page(cls, study: Study, entry: Entry, values: Mapping[str, Any]) -> Self:
        """Every column's curves at once, or those of the chosen one where there are too many."""
        return cls(study, (values[CURVE_OF.key],) if len(entry.used) > MAX_TOGETHER else ())

    def check(self, entry: Entry) -> None:
        self.of(entry)

    def of(self, entry: Entry) -> tuple[str, ...]:
        """Name its columns; refuse more than `MAX_TOGETHER`, and what the models do not use."""
        used = tuple(column.name for column in used_columns(entry, self.study.preparation))
        named = self.columns or tuple(dict.fromkeys(column for column, _, _ in self.by_hand or ()))
        for name in named:
            if name not in used:
                listed = ", ".join(used)
                raise InvalidInput(
                    f"column is {brief(name)}, but it must be one that the models of {entry.key} "
                    f"use: {listed}."
                )
        chosen = named or used
        if len(chosen) > MAX_TOGETHER:
            raise InvalidInput(
                f"column stands for {len(chosen)} columns, but at most {MAX_TOGETHER} have curves "
                "together: name those you want."
            )
        return chosen

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        """Of curves, those of each model and the terms of its first run; else what is corrected."""
        import pandas as pd

        if self.by_hand is not None:
            names = self.of(records.entry)
            return corrected(self.study, names, self.by_hand, self.run, records, report)
        charts, terms = _charts_and_terms(self, records, report)
        # Whole numbers and truths stay what they are where they belong to the other table.
        charts = charts.assign(term="", run=0)
        terms = terms.assign(level="", baseline="", is_reference=False, runs=1, splits=1)
        return pd.concat([charts, terms], ignore_index=True)

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows if self.by_hand is not None else curve_part(rows)

    def told(self, chosen: Mapping[str, Any]) -> RiskCurvesQuestion:
        return replace(self, columns=(str(chosen[CURVE_OF.key]),))


QUESTION = RiskCurvesQuestion


def _charts_and_terms(
    question: RiskCurvesQuestion, table: Table, report: Progress
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the study's models say about each column, and the terms of their first runs.

    Means over runs are nearly free of noise, and so are not private.
    """
    import pandas as pd

    explored, entry = question.study, table.entry
    names = question.of(entry)
    parts = splits(table, explored.preparation)
    models = released(question.models, parts, section(report, 0.0, 0.6))
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
    charts = pd.concat(tables, ignore_index=True)[list(COLUMNS)]
    return charts, pd.concat(heights, ignore_index=True)[list(OF_TERMS)]


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


def curve_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the rows of the curves out of a job's rows."""
    return rows.loc[rows["at"].notna(), list(COLUMNS)].reset_index(drop=True)


def term_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the terms (`dpcore.questions.risk_curves.terms`) out of a job's rows."""
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
