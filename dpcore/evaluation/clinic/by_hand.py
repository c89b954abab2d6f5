"""A private model that a person corrected by hand, and what that changes on test records.

Whoever corrects terms without a look at the records only post-processes, so ε stays; whoever
corrects by what is measured here has looked at them. The model is that of one run with seeded
noise, so no release; the error of the difference is by a jackknife over test records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Entry, Preparation, Table
from dpcore.datasets.column_terms import ColumnTerms, terms_of
from dpcore.erm.method import Array
from dpcore.errors import whole
from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.evaluation.clinic.column_curves import ColumnStudy, of_map
from dpcore.evaluation.clinic.hand_edits import Correction, checked, corrected_weights
from dpcore.evaluation.clinic.risks import records_of, released
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.term_rows import COLUMNS as OF_TERMS
from dpcore.evaluation.clinic.term_rows import FIRST, of_run, term_rows
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.scoring.auc import auc
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, digest
from dpcore.progress import Progress, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd

MEASURES = (
    "accuracy",
    "auc",
    "calibration_slope",
    "calibration_intercept",
    "calibration_error",
)
COLUMNS = (*OF_TERMS, "measure", "change", "test_error", "tested")
"""A row a term, whose ``measure`` is empty, then a row a measure of both models; ``change`` is the
corrected less the private one, ``test_error`` its standard error by the choice of test records."""
GROUPS = 10
"""Groups of test records that the jackknife leaves out in turn."""


@dataclass(frozen=True)
class HandStudy:
    """The private models of a study, some terms of which a person gave other heights."""

    study: Study
    corrections: tuple[Correction, ...] = ()  # column, term and height in log odds
    run: int = FIRST  # which of the study's models, from 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "study", ColumnStudy(self.study).study)
        run = whole("run", self.run, at_least=1, at_most=self.study.runs)
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "corrections", checked(self.corrections))

    @property
    def upload(self) -> str:
        return self.study.upload

    @property
    def title(self) -> str:
        return f"Corrected by hand: {self.study.title}"

    @cached_property
    def key(self) -> str:
        return digest({"by hand": asdict(self)})

    def of(self, entry: Entry) -> tuple[str, ...]:
        """Name the columns that are corrected, all if none is; refuse others than the models'."""
        named = dict.fromkeys(column for column, _, _ in self.corrections)
        return ColumnStudy(self.study, tuple(named)).of(entry)


def corrected(
    study: HandStudy,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Give the terms of each model as drawn and as corrected, and what that changes.

    The measures are not private, so a correction chosen by them is no post-processing.
    """
    import pandas as pd

    report = stoppable(progress, cancelled)
    explored = replace(study.study, runs=study.run)
    table = records_of(explored, records, report)
    names = study.of(table.entry)
    parts = splits(table, explored.preparation)[:1]

    @cache
    def terms_for(preparation: Preparation) -> list[ColumnTerms]:
        return [terms_of(table.entry, preparation, table.entry.column(name)) for name in names]

    for _, rows in by_map(explored, parts):  # a wrong term is reported before any training
        terms = terms_for(of_map(rows[0].preparation))
        corrected_weights(np.zeros(terms[0].matrix.shape[1]), terms, study.corrections)
    tables = []
    for model in released(ClinicStudy(explored), parts, section(report, 0.0, 0.8)):
        split, preparation = model.splits[0], of_map(model.splits[0].preparation)
        private = model.weights[0][study.run - 1]
        terms = terms_for(preparation)
        changed = corrected_weights(private, terms, study.corrections)
        log_odds = np.stack([private, changed]) @ split.x_test.T
        both = [term_rows(terms, private, changed), effect(log_odds, split.y_test > 0)]
        tables.append(pd.concat(both).assign(**of_run(model, preparation, study.run)))
    report(1.0, "done")
    combined = pd.concat(tables, ignore_index=True)
    texts = dict.fromkeys(("column", "term", "measure"), "")
    return combined.fillna(texts)[list(COLUMNS)]


def effect(log_odds: Array, positive: NDArray[np.bool_]) -> pd.DataFrame:
    """Measure on test records what a correction changes, a row a measure. Not private."""
    import pandas as pd

    whole_set = _measures(log_odds, positive)
    count, errors = len(positive), np.full(len(MEASURES), math.nan)
    if count >= 2 * GROUPS:
        group = np.arange(count) % GROUPS
        subsets = [group != one for one in range(GROUPS)]
        without = np.stack([_measures(log_odds[:, one], positive[one]) for one in subsets])
        changes = without[:, :, 1] - without[:, :, 0]
        spread = ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
        errors = np.sqrt((GROUPS - 1) / GROUPS * spread)
    return pd.DataFrame(
        {
            "measure": MEASURES,
            "private": whole_set[:, 0],
            "corrected": whole_set[:, 1],
            "change": whole_set[:, 1] - whole_set[:, 0],
            "test_error": errors,
            "tested": count,
        }
    )


def _measures(log_odds: Array, positive: NDArray[np.bool_]) -> Array:
    calibration = risk_calibration(log_odds, positive)
    return np.stack(
        [
            ((log_odds > 0.0) == positive).mean(axis=1),
            auc(log_odds, positive),
            calibration.slope,
            calibration.intercept,
            calibration.debiased_error,
        ]
    )


def task(study: HandStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: HandStudy, context: JobContext) -> Outcome:
    """`corrected`; all rows come at the end."""
    return Outcome(
        corrected(
            study,
            records=context.records,
            progress=context.report,
            cancelled=context.cancelled,
        )
    )


def effect_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the measures out of the rows of `corrected`."""
    return rows[rows["measure"] != ""].reset_index(drop=True)
