"""What a release's noise costs, on made-up records of the same description: nobody's data.

Numbers are even over their public ranges, levels equally likely, and the outcome follows a linear
model with chance. So the figure says what this noise does at this n and these columns; how well the
columns predict the real outcome it cannot say. Draws come from a seed, as nothing here is secret.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.schema import Entry
from dpcore.progress import Progress, section, silent
from dpcore.release import grid
from dpcore.release.descent import descend
from dpcore.release.grid import Array
from dpcore.release.model import entry_of, preparation_for
from dpcore.release.plan import Plan

if TYPE_CHECKING:
    import pandas as pd

MOST_RECORDS, JUDGED, RUNS = 4_000, 4_000, 5
"""Records learned from at most, with as much less noise; records judged on; runs."""
STRENGTH = 3.0
"""Standard deviation of the log odds: its best rule is right for about 82 of 100."""


@dataclass(frozen=True)
class Rehearsed:
    """Shares of made-up records that are classified rightly.

    Parameters
    ----------
    without : float
        By a model that was trained alike, without noise.
    runs : tuple of float
        By each model with the noise.
    """

    without: float
    runs: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Of the runs."""
        return float(np.mean(self.runs))


def rehearse(made: Plan, *, seed: int = 0, progress: Progress = silent) -> Rehearsed:
    """Train as planned on made-up records, and judge on others.

    Parameters
    ----------
    made : Plan
    seed : int
    progress : callable
        An exception that it raises ends the work.
    """
    generator = np.random.default_rng(seed)
    entry = entry_of(made.columns)
    count = min(made.path.records, MOST_RECORDS)
    frame = _frame(entry, count + JUDGED, generator)
    rows = grid.rows(entry, frame, preparation_for(made.features))
    truth = grid.rows(entry, frame, preparation_for("plain"))
    log_odds = generator.normal(size=len(truth)) @ (truth - truth.mean(axis=1, keepdims=True))
    log_odds *= STRENGTH / (log_odds.std() or 1.0)
    labels = np.where(generator.random(len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds)), 1.0, -1.0)
    mechanism = replace(
        made.mechanism, sigma=max(1, made.mechanism.sigma * count // made.path.records)
    )
    path, signed = replace(made.path, records=count), rows[:, :count] * labels[:count]

    def right(noise: float, part: int) -> float:
        def draw(sigma: int, number: int) -> list[int]:
            drawn: Array = np.rint(noise * sigma * generator.normal(size=number))
            return [int(each) for each in drawn]

        report = section(progress, part / (RUNS + 1), 1.0 / (RUNS + 1))
        weights = descend(signed, mechanism, path, draw, report)
        scores = grid.products(rows[:, count:], weights)
        return float(np.mean((scores > 0.0) == (labels[count:] > 0.0)))

    return Rehearsed(right(0.0, 0), tuple(right(1.0, run) for run in range(1, RUNS + 1)))


def _frame(entry: Entry, count: int, generator: np.random.Generator) -> pd.DataFrame:
    """Made-up records."""
    import pandas as pd

    columns: dict[str, object] = {}
    for column in entry.columns:
        if column.kind == "category":
            levels = generator.integers(len(column.levels), size=count)
            columns[column.name] = pd.Categorical.from_codes(
                levels, categories=pd.Index(column.levels)
            )
        elif column.kind == "number":
            columns[column.name] = generator.uniform(*column.bounds, size=count)
        else:
            columns[column.name] = generator.integers(2, size=count).astype(float)
    return pd.DataFrame(columns)
