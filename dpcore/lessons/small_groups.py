"""Lesson 6: the same noise costs a small group more right answers than all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.lesson import Lesson, row, table

if TYPE_CHECKING:
    import pandas as pd

Group = NDArray[np.bool_]
GROUPS: dict[str, Callable[[pd.DataFrame], Group]] = {
    "alone": lambda frame: np.asarray((frame["smoker"] == 1) & (frame["lives_alone"] == 1)),
    "kidney": lambda frame: np.asarray(frame["egfr"] < 45),
    "admitted": lambda frame: np.asarray(frame["admissions_last_year"] >= 3),
    "young": lambda frame: np.asarray(frame["age"] < 40),
}
"""Who belongs to a group, named by one or two columns before any model is trained."""
SERIES, OTHERS = "the small group", "all others"


def curve(seed: int = 0, group: str = "alone", records: int = 3000) -> pd.DataFrame:
    """Right answers of 100 that privacy costs, against ε, within the group and among all others.

    Accuracy without noise less the private models' mean; OPERA, zero-out, δ = 1e-5, one model for
    everybody.
    """
    from dpcore.lessons.cohort import models

    cohort_models = models(records, LESSON.grid, seed)
    further = cohort_models.patients.further
    assert further is not None
    members = GROUPS[group](further.frame)
    rows = []
    for series, among in ((SERIES, members), (OTHERS, ~members)):
        best, accuracies = cohort_models.accuracies(among)
        for calibration, accuracy in zip(cohort_models.calibrations, accuracies, strict=True):
            rows.append(
                row(
                    series,
                    calibration.requested.epsilon,
                    best - float(accuracy),
                    calibration.proof,
                    calibration.sigma,
                )
            )
    return table(rows)


LESSON = Lesson(
    title="Who pays most?",
    story="One model for 3 000 patients who are not real. About 5 in 100 smoke and live alone. "
    "The grey line is what privacy costs all others.",
    question="How many right answers of 100 does privacy cost the small group?",
    why="The same noise falls on every weight. Answers about few people rest on weights that "
    "matter little to others.",
    across="ε, less at each step",
    up="Right answers of 100 lost",
    grid=(10.0, 3.0, 1.0, 0.3, 0.1, 0.03),
    points=(3.0, 0.3, 0.03),
    name="ε",
    limits=(0, 60),
    unit=" of 100",
    series=SERIES,
    noise="Noise on each weight",
    curve=curve,
    given=(OTHERS,),
)
