"""What a release's noise costs, on made-up records of the same description: nobody's data.

The figures say what this noise does at this n and these columns. They come from several made-up
tables, as noise costs more on one than on another. Made-up records are not real ones: the cost on
them is a hint at the cost there, and how well the columns predict the real outcome they cannot say.
Draws come from a seed, as nothing here is secret.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpcore.progress import Progress, numbered, section, silent
from dpcore.release import grid
from dpcore.release.descent import descend
from dpcore.release.grid import Array
from dpcore.release.made_up import made_up_records
from dpcore.release.model import entry_of, preparation_for
from dpcore.release.plan import ReleasePlan

MAX_RECORDS, JUDGED, TABLES = 4_000, 4_000, 5
"""Records learned from at most, with as much less noise; records judged on; made-up tables."""


@dataclass(frozen=True)
class Rehearsed:
    """Shares of made-up records that are classified rightly, one for each made-up table."""

    without_noise: tuple[float, ...]
    with_noise: tuple[float, ...]  # on the same tables

    @property
    def without(self) -> float:
        """The mean share of the models without noise."""
        return float(np.mean(self.without_noise))

    @property
    def mean(self) -> float:
        """The mean share of the models with noise."""
        return float(np.mean(self.with_noise))

    @property
    def losses(self) -> tuple[float, ...]:
        """What the noise costs on each table; below 0 where it happens to help."""
        pairs = zip(self.without_noise, self.with_noise, strict=True)
        return tuple(without - noisy for without, noisy in pairs)


def rehearse(plan: ReleasePlan, *, seed: int = 0, progress: Progress = silent) -> Rehearsed:
    """Train as planned on several made-up tables, with noise and without, and judge on others."""
    shares = [
        _shares(plan, np.random.default_rng((seed, number)), report)
        for number, report in enumerate(numbered(progress, TABLES, "table"))
    ]
    without_noise, with_noise = zip(*shares, strict=True)
    return Rehearsed(without_noise, with_noise)


def _shares(
    plan: ReleasePlan, generator: np.random.Generator, progress: Progress
) -> tuple[float, float]:
    """The shares without noise and with it, on one made-up table."""
    entry = entry_of(plan.columns)
    count = min(plan.path.records, MAX_RECORDS)
    frame, labels = made_up_records(entry, count + JUDGED, generator)
    rows = grid.rows(entry, frame, preparation_for(plan.features))
    mechanism = replace(
        plan.mechanism, sigma=max(1, plan.mechanism.sigma * count // plan.path.records)
    )
    path, signed = replace(plan.path, records=count), rows[:, :count] * labels[:count]

    def right(noise: float, report: Progress) -> float:
        def draw(sigma: int, number: int) -> list[int]:
            drawn: Array = np.rint(noise * sigma * generator.normal(size=number))
            return [int(each) for each in drawn]

        weights = descend(signed, mechanism, path, draw, report)
        scores = plan.path.scorer.scores(rows[:, count:], weights)
        return float(np.mean((scores > 0.0) == (labels[count:] > 0.0)))

    return right(0.0, section(progress, 0.0, 0.5)), right(1.0, section(progress, 0.5, 0.5))
