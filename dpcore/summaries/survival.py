"""Survival from noisy counts of events and leavings, each number with an interval.

Looks at no record. Of each interval k there are e events and c leavings, and s records are still
there at the end, all with noise. Who leaves within an interval counts as at risk for half of it:
r_k = Σ_{j ≥ k} (e_j + c_j) + s - c_k/2. Then S(t_k) = Π_{j ≤ k} (1 - e_j/r_j) is Kaplan and Meier's
curve of times rounded up to the grid, each leaving divided evenly between the two ends of its
interval (Cutler and Ederer 1958). Between two ends the curve is a line: so are the restricted mean
(the area below it) and the median read off it. What is shown falls nowhere rises: it is the nearest
falling curve in [0, 1].

Intervals are made of the released values as they are, and pointwise: each holds its number as often
as it says, not all of them at once. Errors are simulated on the noisy numbers at risk (never below
1): normal events of variance r h (1 - h), and the noise of every cell, which moves events and
numbers at risk together. A share alive takes from the simulation the size of its noise, and from
Greenwood's variance the number of independent people that it is worth (Dorey and Korn 1987): then
it is inverted like any noisy share, as a normal limit would be too short at either end. A mean or a
difference has the quantiles of its simulated errors. A median lies between the grid's points that
are surely before and surely behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import optimize, special

from dpcore.summaries.counts import Array, TableSums
from dpcore.summaries.estimates import ALIVE, CONFIDENCE, SummaryNumber, estimates, share_interval
from dpcore.summaries.mechanism import EVERYBODY, NOT_KNOWN, FollowUpColumn, SummaryMechanism
from dpcore.words import plain

RESTRICTED_MEAN, MEDIAN = "restricted mean", "median time"
LESS = ", less that of "
"""Between a number of two groups and the group that it is compared with."""
DRAWS, SEED = 2_000, 20_412
Z = float(special.ndtri(0.5 + CONFIDENCE / 2.0))
Interval = tuple[float, float]


def numbers(counts: TableSums, mechanism: SummaryMechanism, records: int) -> list[SummaryNumber]:
    """Every number of a released table, of survival or of its columns."""
    column = follow_up(mechanism)
    if column is None:
        return estimates(counts, mechanism, records)
    return list(_numbers(counts, mechanism, column))


def level_at(time: float) -> str:
    """What a share at a time is told as."""
    return f"at {plain(time, 6)}"


def follow_up(mechanism: SummaryMechanism) -> FollowUpColumn | None:
    """The follow-up, where survival is measured."""
    column = mechanism.measured.columns[0] if mechanism.measured.columns else None
    return column if isinstance(column, FollowUpColumn) else None


def _numbers(
    counts: TableSums, mechanism: SummaryMechanism, column: FollowUpColumn
) -> Iterator[SummaryNumber]:
    cells, measured = counts.columns[column.name].levels, mechanism.measured
    sigma = mechanism.scale_of(column.weight)
    curves = {EVERYBODY: _Curve(cells.sum(axis=0), sigma * math.sqrt(len(cells)), column.end, 0)}
    for place, name in enumerate(measured.groups if measured.by else ()):
        if name != NOT_KNOWN:
            curves[name] = _Curve(cells[place], sigma, column.end, place + 1)
    _, first, *others = (*curves, "") if measured.by else (EVERYBODY, "")

    def number(
        statistic: str,
        level: str,
        group: str,
        value: float,
        both: Interval,
        alone: Interval,
        ends: Interval,
    ) -> SummaryNumber:
        low, high, noise_low, noise_high = np.clip([*both, *alone], *ends).tolist()
        width = ends[1] - max(ends[0], 0.0)
        return SummaryNumber(
            *(column.name, statistic, level, group, value, low, high, noise_low, noise_high, width)
        )

    end, within = column.end, f"within {plain(column.end, 6)}"
    for group, curve in curves.items():
        for place, at in enumerate(column.ends):
            both, alone = (each[place] for each in curve.shares)
            shown = float(curve.shown[place])
            yield number(ALIVE, level_at(at), group, shown, both, alone, (0.0, 1.0))
        both, alone = (curve.median_interval(each) for each in (True, False))
        yield number(MEDIAN, within, group, curve.median, both, alone, (0.0, end))
        both, alone = (_basic(curve.raw[1], curve.errors(each)[1]) for each in (True, False))
        yield number(RESTRICTED_MEAN, within, group, curve.final[1], both, alone, (0.0, end))
    for group in filter(None, others):
        one, base = curves[group], curves[first]
        for place, statistic, level, most in (
            (0, ALIVE, level_at(end), 1.0),
            (1, RESTRICTED_MEAN, within, end),
        ):
            raw = one.raw[place] - base.raw[place]
            value = one.final[place] - base.final[place]
            both, alone = (
                _basic(raw, one.errors(is_both)[place] - base.errors(is_both)[place])
                for is_both in (True, False)
            )
            ends = (-most, most)
            yield number(statistic, f"{level}{LESS}{first}", group, value, both, alone, ends)


def _basic(value: float, errors: Array) -> Interval:
    """What a number may be, by simulated errors of it."""
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(errors, [tail, 1.0 - tail]).tolist()
    return value - high, value - low


@lru_cache(maxsize=16)
def _normals(stream: int, size: int) -> Array:
    """The draws of a simulation: the same whatever NumPy's version, as a released table needs.

    Their means are 0 and their covariances those of independent normals, both exactly, so that the
    spread of whatever is linear in them is no matter of chance.
    """
    drawn = np.random.RandomState(SEED + stream).standard_normal((DRAWS, size))
    drawn -= drawn.mean(axis=0)
    root = np.linalg.cholesky(drawn.T @ drawn / DRAWS)
    return np.asarray(np.linalg.solve(root, drawn.T).T)


def _at_risk(cells: Array) -> Array:
    """How many are at risk in each interval, by cells in the last axis."""
    count = cells.shape[-1] // 2
    left = cells[..., count : 2 * count]
    leaving = cells[..., :count] + left
    later = np.cumsum(leaving[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(later + cells[..., -1:] - left / 2.0)


def _alive(events: Array, at_risk: Array) -> Array:
    """The share without the event at the end of each interval."""
    return np.asarray(np.cumprod(np.clip(1.0 - events / at_risk, 0.0, None), axis=-1), dtype=float)


@dataclass(frozen=True, eq=False)
class _Curve:
    """One group's curve, and how far it may be off."""

    cells: Array  # released: events and leavings of each interval, and who is still there
    sigma: float  # of the noise of each
    end: float
    stream: int  # its own draws

    @cached_property
    def count(self) -> int:
        return len(self.cells) // 2

    @cached_property
    def at_risk(self) -> Array:
        return np.maximum(_at_risk(self.cells), 1.0)

    @cached_property
    def alive(self) -> Array:
        """The curve as it was released, which may rise or leave [0, 1]."""
        return np.minimum(_alive(self.cells[: self.count], self.at_risk), 2.0)

    @cached_property
    def shown(self) -> Array:
        """The nearest curve that falls from 1 and does not leave [0, 1]."""
        falling = optimize.isotonic_regression(self.alive, increasing=False).x
        return np.clip(falling, 0.0, 1.0)

    def area(self, alive: Array) -> Array:
        """The area below curves, by the values at their ends in the last axis."""
        inside = alive.sum(axis=-1) + (1.0 - alive[..., -1]) / 2.0
        return np.asarray(inside * self.end / self.count)

    @cached_property
    def raw(self) -> tuple[float, float]:
        """The released share at the end, and the area."""
        return float(self.alive[-1]), float(self.area(self.alive))

    @cached_property
    def final(self) -> tuple[float, float]:
        """The same of the curve that is shown."""
        return float(self.shown[-1]), float(self.area(self.shown))

    @cached_property
    def median(self) -> float:
        """Where the curve that is shown reaches a half; the end where it does not."""
        heights = np.concatenate([[1.0], self.shown])
        place = int(np.argmax(heights <= 0.5))
        if not place:
            return self.end
        drop = heights[place - 1] - heights[place]
        part = (heights[place - 1] - 0.5) / drop
        return float((place - 1 + part) * self.end / self.count)

    @cached_property
    def _simulated(self) -> tuple[Array, Array]:
        """Errors of the curve by noise and chance, and by noise alone: one a draw and interval."""
        count = self.count
        draws = _normals(self.stream, 3 * count + 1)
        noise = self.sigma * draws[:, count:]
        at_risk = np.maximum(self.at_risk + _at_risk(noise), 1.0)
        likely = np.clip(self.cells[:count] / self.at_risk, 0.0, 1.0)
        chance = np.sqrt(self.at_risk * likely * (1.0 - likely)) * draws[:, :count]
        noisy = self.cells[:count] + noise[:, :count]
        both, alone = (_alive(events, at_risk) for events in (noisy + chance, noisy))
        return np.clip(both - self.alive, -1.0, 1.0), np.clip(alone - self.alive, -1.0, 1.0)

    def errors(self, is_both: bool) -> tuple[Array, Array]:
        """Simulated errors of the share at the end and of the area."""
        found = self._simulated[0 if is_both else 1]
        return found[:, -1], self.area(found) - self.area(np.zeros(self.count))

    @cached_property
    def _worth(self) -> Array:
        """How many independent people a share alive is worth, by Greenwood's variance."""
        likely = (np.maximum(self.cells[: self.count], 0.0) + 0.5) / (self.at_risk + 1.0)
        likely = np.minimum(likely, 1.0 - 0.5 / (self.at_risk + 1.0))
        alive = np.cumprod(1.0 - likely)
        lost = np.cumsum(likely / (self.at_risk * (1.0 - likely)))
        return np.asarray((1.0 - alive) / (alive * lost))

    @cached_property
    def _spread(self) -> Array:
        """The standard deviation of the noise of each share alive."""
        return np.asarray(self._simulated[1].std(axis=0))

    @cached_property
    def shares(self) -> tuple[list[Interval], list[Interval]]:
        """Between what each share alive lies by noise and chance, and by noise alone."""
        parts = np.column_stack([self.alive, self._spread, self._worth]).tolist()
        both = [share_interval(worth * value, worth, worth * by) for value, by, worth in parts]
        return both, [(value - Z * by, value + Z * by) for value, by, _ in parts]

    def median_interval(self, is_both: bool) -> Interval:
        """The grid's points between those that are surely before the median and surely behind."""
        ends = np.array(self.shares[0 if is_both else 1])
        is_before, is_behind = ends[:, 0] > 0.5, ends[:, 1] < 0.5
        grid = np.linspace(0.0, self.end, self.count + 1)
        first = int(np.argmin(is_before)) if not is_before.all() else self.count
        last = int(np.argmin(is_behind[::-1])) if not is_behind.all() else self.count
        return float(grid[first]), float(grid[min(self.count - last + 1, self.count)])
