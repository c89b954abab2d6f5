"""What a release's noise costs, on made-up records of the same description: nobody's data.

The figure says what this noise does at this n and these columns; how well the columns predict the
real outcome it cannot say. Draws come from a seed, as nothing here is secret.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpcore.progress import Progress, section, silent
from dpcore.release import grid
from dpcore.release.descent import descend
from dpcore.release.grid import Array
from dpcore.release.made_up import made_up_records
from dpcore.release.model import entry_of, preparation_for
from dpcore.release.plan import Plan

MOST_RECORDS, JUDGED, RUNS = 4_000, 4_000, 5
"""Records learned from at most, with as much less noise; records judged on; runs."""


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


def rehearse(plan: Plan, *, seed: int = 0, progress: Progress = silent) -> Rehearsed:
    """Train as planned on made-up records, and judge on others.

    Parameters
    ----------
    plan : Plan
    seed : int
    progress : callable
        An exception that it raises ends the work.
    """
    generator = np.random.default_rng(seed)
    entry = entry_of(plan.columns)
    count = min(plan.path.records, MOST_RECORDS)
    frame, labels = made_up_records(entry, count + JUDGED, generator)
    rows = grid.rows(entry, frame, preparation_for(plan.features))
    mechanism = replace(
        plan.mechanism, sigma=max(1, plan.mechanism.sigma * count // plan.path.records)
    )
    path, signed = replace(plan.path, records=count), rows[:, :count] * labels[:count]

    def right(noise: float, part: int) -> float:
        def draw(sigma: int, number: int) -> list[int]:
            drawn: Array = np.rint(noise * sigma * generator.normal(size=number))
            return [int(each) for each in drawn]

        report = section(progress, part / (RUNS + 1), 1.0 / (RUNS + 1))
        weights = descend(signed, mechanism, path, draw, report)
        scores = plan.path.scorer.scores(rows[:, count:], weights)
        return float(np.mean((scores > 0.0) == (labels[count:] > 0.0)))

    return Rehearsed(right(0.0, 0), tuple(right(1.0, run) for run in range(1, RUNS + 1)))
