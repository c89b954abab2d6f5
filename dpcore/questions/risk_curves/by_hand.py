"""A private model that a person corrected by hand, and what that changes on test records.

Whoever corrects terms without a look at the records only post-processes, so ε stays; whoever
corrects by what is measured here has looked at them. The model is that of one run with seeded
noise, so no release; the error of the difference is by a jackknife over test records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Table
from dpcore.datasets.column_parts import ColumnTerms, terms_of
from dpcore.erm.method import Array
from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.evaluation.clinic.risks import released
from dpcore.evaluation.scoring.metrics import auc
from dpcore.evaluation.splits import by_map, splits
from dpcore.evaluation.study import RiskModels, Study
from dpcore.progress import Progress, section
from dpcore.questions.risk_curves.terms import COLUMNS as OF_TERMS
from dpcore.questions.risk_curves.terms import (
    Correction,
    corrected_weights,
    of_map,
    of_run,
    term_rows,
)

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


def corrected(
    study: Study,
    names: Sequence[str],
    edits: Sequence[Correction],
    run: int,
    table: Table,
    report: Progress,
) -> pd.DataFrame:
    """Give the terms of these columns as drawn and as corrected, and what that changes.

    The measures are not private, so a correction chosen by them is no post-processing.
    """
    import pandas as pd

    explored = replace(study, runs=run)
    parts = splits(table, explored.preparation)[:1]

    @cache
    def terms_for(preparation: Preparation) -> list[ColumnTerms]:
        return [terms_of(table.entry, preparation, table.entry.column(name)) for name in names]

    for _, rows in by_map(explored, parts):  # a wrong term is reported before any training
        terms = terms_for(of_map(rows[0].preparation))
        corrected_weights(np.zeros(terms[0].matrix.shape[1]), terms, edits)
    tables = []
    for model in released(RiskModels(explored), parts, section(report, 0.0, 0.8)):
        split, preparation = model.splits[0], of_map(model.splits[0].preparation)
        private = model.weights[0][run - 1]
        terms = terms_for(preparation)
        changed = corrected_weights(private, terms, edits)
        log_odds = np.stack([private, changed]) @ split.x_test.T
        both = [term_rows(terms, private, changed), effect(log_odds, split.y_test > 0)]
        tables.append(pd.concat(both).assign(**of_run(model, preparation, run)))
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


def effect_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the measures out of the rows of `corrected`."""
    return rows[rows["measure"] != ""].reset_index(drop=True)
