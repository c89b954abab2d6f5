"""Made-up records by a description alone, and what a release's noise costs on them: nobody's data.

Numbers are even over their public ranges, levels equally likely, and the outcome follows a linear
model of all columns with chance; none decides alone. Draws come from a seed, as nothing here is
secret.

A rehearsal says what a plan's noise does at its n and columns. Its figures come from several
made-up tables, as noise costs more on one than on another. Made-up records are not real ones: the
cost on them is a hint at the cost there, and how well the columns predict the real outcome they
cannot say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets.encoding import encode
from dpcore.datasets.own.description import described
from dpcore.datasets.preparation import used_columns
from dpcore.datasets.schema import Entry
from dpcore.errors import whole
from dpcore.progress import Progress, numbered, section, silent
from dpcore.release import grid
from dpcore.release.grid import Array
from dpcore.release.mechanism import descend
from dpcore.release.model import entry_of, preparation_for
from dpcore.release.plan import ReleasePlan
from dpcore.release.table import harmless_columns, written

if TYPE_CHECKING:
    import pandas as pd

RIGHT = 0.82
"""Share of the records that the best rule is right for."""
STRONGEST, SCALED_BY = 20.0, 10_000
"""Greatest standard deviation of the log odds; most records that they are scaled by."""
HALVINGS, ROUNDING = 40, 1e-9
"""Steps of the search for the scale; the least spread of a part that counts."""
MAX_RECORDS = 1_000_000
MAX_LEARNED, JUDGED, TABLES = 4_000, 4_000, 5
"""Records learned from at most, with as much less noise; records judged on; made-up tables."""


def stand_in(columns: str, records: int, *, seed: int = 0) -> str:
    """A CSV of made-up records, which costs nothing: no record was looked at."""
    entry = entry_of(columns)
    described(harmless_columns(columns))  # refuses names or levels that would become one
    count = whole("records", records, at_least=1, at_most=MAX_RECORDS)
    frame, labels = made_up_records(entry, count, np.random.default_rng(seed))
    return written(columns, frame, labels)


def made_up_records(
    entry: Entry, count: int, generator: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Made-up records with an outcome of two, and their labels of ±1; nothing is unknown.

    The log odds of an outcome are a sum of one part for each column, linear in its features with
    drawn weights. No part varies more than twice as much as another, whatever the kind of its
    column. The sum is scaled so that the best rule is right for `RIGHT` of the records, whatever
    its distribution, unless it would vary more than `STRONGEST`.
    """
    frame = _frame(entry, count, generator)
    log_odds = _scaled(_sum_of_parts(entry, frame, generator))
    labels = np.where(generator.random(len(log_odds)) < expit(log_odds), 1.0, -1.0)
    return frame, labels


def _sum_of_parts(
    entry: Entry, frame: pd.DataFrame, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Log odds before they are scaled, with a part for each column."""
    preparation = replace(preparation_for("plain"), intercept=False)
    total = np.zeros(len(frame))
    for column in used_columns(entry, preparation):
        features = encode(frame, slice(None), (column,), preparation)[1]
        part = features @ generator.normal(size=features.shape[1])
        part -= part.mean()
        size, spread = generator.uniform(1.0, 2.0), float(part.std())
        if spread > ROUNDING:  # else all records are alike in it
            total += size / spread * part
    return total


def _scaled(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds by which the best rule is right for `RIGHT` of the records, as nearly as can be."""
    sizes = np.abs(log_odds[:SCALED_BY])
    low, high = 0.0, STRONGEST / (float(log_odds.std()) or 1.0)
    for _ in range(HALVINGS):
        factor = (low + high) / 2.0
        is_enough = float(expit(factor * sizes).mean()) >= RIGHT
        low, high = (low, factor) if is_enough else (factor, high)
    return high * log_odds


def _frame(entry: Entry, count: int, generator: np.random.Generator) -> pd.DataFrame:
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


@dataclass(frozen=True)
class Rehearsed:
    """Shares of made-up records that are classified rightly, one for each made-up table."""

    without_noise: tuple[float, ...]
    with_noise: tuple[float, ...]  # on the same tables

    @property
    def without(self) -> float:
        return float(np.mean(self.without_noise))

    @property
    def mean(self) -> float:
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
    count = min(plan.path.records, MAX_LEARNED)
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
