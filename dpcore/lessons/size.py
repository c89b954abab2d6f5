"""Lesson 3: at the same ε, many records bear the noise that few cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.guarantee import Adjacency, Guarantee
from dpcore.lessons.lesson import Lesson, Row, row, table

if TYPE_CHECKING:
    import pandas as pd

SERIES, WITHOUT = "with privacy", "the same model without noise"


def curve(seed: int = 0, epsilon: float = 0.3) -> pd.DataFrame:
    """Accuracy in percent against the number of patients (OPERA, zero-out, δ = 1e-5)."""
    from dpcore.lessons.cohort import models

    private: list[Row] = []
    without: list[Row] = []
    for records in LESSON.grid:
        cohort_models = models(int(records), (epsilon,), seed)
        best, accuracies = cohort_models.accuracies()
        low, high = cohort_models.bands(seed)
        noise = cohort_models.calibrations[0].sigma
        private.append(
            row(
                SERIES,
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


LESSON = Lesson(
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
    series=SERIES,
    noise="Noise on each weight",
    curve=curve,
    beside_explore="At the same n and ε Explore shows another value. It takes the best of many "
    "methods, and may draw numbers as curves. Here it is always OPERA, with numbers as they are. "
    "Set so, Explore shows the same.",
)
