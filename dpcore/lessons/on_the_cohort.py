"""Lessons 3 and 6, on models of the synthetic cohort.

3. At the same ε, many records bear the noise that few cannot.
6. The same noise costs a small group more right answers than all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.guarantee import Adjacency, Guarantee
from dpcore.lessons.lesson import Lesson, Row, row, table

if TYPE_CHECKING:
    import pandas as pd


PRIVATE, WITHOUT = "with privacy", "the same model without noise"


def size_curve(seed: int = 0, epsilon: float = 0.3) -> pd.DataFrame:
    """Accuracy in percent against the number of patients (OPERA, zero-out, δ = 1e-5)."""
    from dpcore.lessons.cohort import models

    private: list[Row] = []
    without: list[Row] = []
    for records in SIZE.grid:
        cohort_models = models(int(records), (epsilon,), seed)
        best, accuracies = cohort_models.accuracies()
        low, high = cohort_models.bands(seed)
        noise = cohort_models.calibrations[0].sigma
        private.append(
            row(
                PRIVATE,
                records,
                float(accuracies[0]),
                cohort_models.calibrations[0].proof,
                noise,
                float(low[0]),
                float(high[0]),
            )
        )
        none = Guarantee(None, None, Adjacency.ZERO_OUT, "none")
        without.append(row(WITHOUT, records, best, none, 0.0))
    return table([*private, *without])


SIZE = Lesson(
    title="What makes privacy cheap?",
    story="A model learns who will be admitted to hospital, from patients who are not real. ε is "
    "0.3 for every size of the clinic. The most frequent answer alone is right for 67 of 100.",
    question="How many of 100 further patients does it get right?",
    why="The more patients, the less one of them moves the model. The same ε needs less noise.",
    across="Patients that the model learns from, n",
    up="Right answers of 100",
    grid=(100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0),
    points=(100.0, 1000.0, 10_000.0),
    name="n",
    limits=(30, 100),
    unit=" of 100",
    series=PRIVATE,
    noise="Noise on each weight",
    curve=size_curve,
    beside_explore="At the same n and ε Explore shows another value. It takes the best of many "
    "methods, and may draw numbers as curves. Here it is always OPERA, with numbers as they are. "
    "Set so, Explore shows the same.",
)


Group = NDArray[np.bool_]
GROUPS: dict[str, Callable[[pd.DataFrame], Group]] = {
    "alone": lambda frame: np.asarray((frame["smoker"] == 1) & (frame["lives_alone"] == 1)),
    "kidney": lambda frame: np.asarray(frame["egfr"] < 45),
    "admitted": lambda frame: np.asarray(frame["admissions_last_year"] >= 3),
    "young": lambda frame: np.asarray(frame["age"] < 40),
}
"""Who belongs to a group, named by one or two columns before any model is trained."""
MEMBERS, OTHERS = "the small group", "all others"


def small_groups_curve(seed: int = 0, group: str = "alone", records: int = 3000) -> pd.DataFrame:
    """Right answers of 100 that privacy costs, against ε, within the group and among all others.

    Accuracy without noise less the private models' mean; OPERA, zero-out, δ = 1e-5, one model for
    everybody.
    """
    from dpcore.lessons.cohort import models

    cohort_models = models(records, SMALL_GROUPS.grid, seed)
    further = cohort_models.patients.further
    assert further is not None
    members = GROUPS[group](further.frame)
    rows = []
    for series, among in ((MEMBERS, members), (OTHERS, ~members)):
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


SMALL_GROUPS = Lesson(
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
    series=MEMBERS,
    noise="Noise on each weight",
    curve=small_groups_curve,
    given=(OTHERS,),
)
