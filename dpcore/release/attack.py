"""An attack on a release's own mechanism, before it is paid for: the μ and ε that it proves.

The neighbours are made up: one record of full length, which is blank in the other data set, or
points the other way under replace-one, at weights at which its gradient is as long as any. Where a
record is a person, it is one with the most rows that count, all alike. Their sums are made by the
release's own code, the noise by its own sampler at the σ that its training asks for, whatever the
mechanism says. The attacker sees all T noisy sums and knows all else. The best test of which data
set they come from is the likelihood ratio, which follows from their mean alone, a normal number of
standard deviation σ/√T about the exact sum, up to the rounding, a millionth of σ. So one draw at
σ/√T stands for a whole release, and a hundred thousand take a second.

Each bound counts how often a threshold is crossed on either data set, with the confidence limits of
Clopper and Pearson. Thresholds follow from what is stated, never from the draws. Both data sets use
the same draws: the limits add up whatever the dependence. No private record is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import special

from dpcore.audit import bounds
from dpcore.datasets.persons import Persons
from dpcore.datasets.schema import Column, Entry
from dpcore.errors import InvalidInput, number, whole
from dpcore.guarantee import Adjacency
from dpcore.release import grid, risk_counts
from dpcore.release.grid import Array
from dpcore.release.mechanism import Draw, Mechanism, Path, descend
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.scorer import Scorer

if TYPE_CHECKING:
    import pandas as pd

RUNS, CONFIDENCE = 100_000, 0.999
"""Releases on either data set, and of each bound."""
ABOUT = (
    "one record against a blank one (or its opposite, under replace-one), likelihood ratio of all "
    "noisy sums, thresholds fixed beforehand, limits of Clopper and Pearson"
)
OF_ROWS = "{rows} equal rows of one person, together "
"""These words go before `ABOUT` where a person may have several rows."""


class Proved(Protocol):
    """A mechanism under attack says what is proved of it."""

    @property
    def mu(self) -> float:
        """μ of Gaussian DP."""

    def epsilon(self, delta: float) -> float:
        """ε at δ."""


@dataclass(frozen=True)
class DistinguishingResult:
    """State what an attack proves; each bound holds at the confidence by itself."""

    lower_bound: float  # on ε at `delta`, for noise of any law
    mu_lower_bound: float  # on μ of Gaussian DP
    delta: float
    confidence: float
    runs: int  # on either data set
    about: str = ABOUT

    def __post_init__(self) -> None:
        for name in ("lower_bound", "mu_lower_bound"):
            number(name, getattr(self, name), at_least=0.0)
        number("confidence", self.confidence, above=0.0, below=1.0)
        whole("runs", self.runs, at_least=1)

    def above(self, mechanism: Proved) -> str:
        """The proved figure that the attack refutes, in words; "" where it refutes none."""
        if self.lower_bound > mechanism.epsilon(self.delta):
            return f"ε ≥ {self.lower_bound!r}"
        return f"μ ≥ {self.mu_lower_bound!r}" if self.mu_lower_bound > mechanism.mu else ""

    def stop_above(self, mechanism: Proved) -> None:
        """Refuse a mechanism if the attack refutes a proved figure."""
        if refuted := self.above(mechanism):
            raise InvalidInput(
                f"An attack on the noise found {refuted}, more than is proved, so nothing was "
                "paid. Chance does that less than once in 1 000 times: if it happens again, the "
                "noise is not what it must be, and nothing may be released."
            )


def attack(
    mechanism: Mechanism,
    scorer: Scorer,
    delta: float,
    rows: int | None = None,
    *,
    counted: bool = False,
    runs: int = RUNS,
    draw: Draw = rounded_gaussians,
) -> DistinguishingResult:
    """Attack releases of this mechanism.

    `rows` is k, the most rows of one person that count; without it one row is one record. `counted`
    says that some of the sums are counts of scores: then the weaker of both kinds is attacked.
    """
    record, other = _pair(scorer.features, mechanism.adjacency, rows or 1)
    persons = None
    if rows is not None and rows > 1:
        persons = Persons(np.arange(rows), np.zeros(1, dtype=np.int64), 0)
    weights = scorer.steepest()
    sums = [grid.total(each, weights, scorer.gradients, persons) for each in (record, other)]
    shift = math.dist(*(each.tolist() for each in sums))
    requested_sigma = _requested_sigma(mechanism, scorer)
    if counted:
        shift = max(shift, risk_counts.distance(scorer, mechanism, rows or 1))
        requested_sigma = min(requested_sigma, risk_counts.requested_sigma(scorer, mechanism))
    sigma = math.ceil(requested_sigma / math.sqrt(mechanism.steps))
    about = ABOUT if persons is None else OF_ROWS.format(rows=rows) + ABOUT
    return distinguish(shift, sigma, delta, about, runs=runs, draw=draw)


def distinguish(
    shift: float,
    sigma: int,
    delta: float,
    about: str,
    *,
    runs: int = RUNS,
    draw: Draw = rounded_gaussians,
) -> DistinguishingResult:
    """Bound ε and μ by telling two neighbours apart by one noisy likelihood ratio.

    `shift` is the distance of their exact sums, above 0, and `sigma` that of the noise, in units.
    """
    second = np.array(draw(sigma, runs), dtype=float)
    first = second + shift

    def counts(level: float) -> tuple[int, int]:
        return bounds.Threshold(level * sigma, above=True, first=True).counts(first, second)

    level = 1.0 - (1.0 - CONFIDENCE) / 2.0
    hits, false_alarms = counts(shift / sigma / 2.0)
    mu = special.ndtri(bounds.least_share(hits, runs, level)) - special.ndtri(
        bounds.most_share(false_alarms, runs, level)
    )
    best = counts(_level(shift / sigma, delta, runs))
    return DistinguishingResult(
        float(bounds.from_counts(*best, runs, delta, CONFIDENCE)),
        max(float(mu), 0.0),
        delta,
        CONFIDENCE,
        runs,
        about,
    )


def extreme_record(entry: Entry, last: int) -> pd.DataFrame:
    """A record with the last values in so many columns, and the first in all others."""
    import pandas as pd

    def value(column: Column, end: int) -> object:
        if column.kind == "number":
            return [column.bounds[end]]
        if column.kind == "category":
            level = [column.levels[-end]]
            return pd.Categorical(level, categories=pd.Index(column.levels))
        return [float(end)]

    return pd.DataFrame(
        {
            column.name: value(column, int(place < last))
            for place, column in enumerate(entry.columns)
        }
    )


def _pair(features: int, adjacency: str, rows: int) -> tuple[Array, Array]:
    """The record in which the neighbours differ, on either side; shape (features, rows)."""
    second = 1e-3
    first = math.sqrt(1.0 - second**2) * (1.0 - 1e-15)
    record, other = (np.zeros((features, rows)) for _ in range(2))
    record[0], record[1] = first, second
    if adjacency == Adjacency.REPLACE_ONE:
        other[0], other[1] = -first, second
    return record, other


def _requested_sigma(mechanism: Mechanism, scorer: Scorer) -> int:
    """The least σ that the first steps of a training request from the sampler."""
    sigmas: list[int] = []

    def note(sigma: int, count: int) -> list[int]:
        sigmas.append(sigma)
        return [0] * count

    few = replace(mechanism, steps=min(mechanism.steps, 3))
    descend(np.zeros((scorer.features, 1)), few, Path(scorer, 0.0, 1.0, 1), note)
    return min(sigmas)


def _level(mu: float, delta: float, runs: int) -> float:
    """The threshold, in standard deviations, that is expected to prove the largest ε."""
    levels = np.linspace(0.0, 5.0, 201)
    hits, false_alarms = (runs * special.ndtr(each - levels) for each in (mu, 0.0))
    expected = bounds.from_counts(hits, false_alarms, runs, delta, CONFIDENCE)
    return float(levels[int(np.argmax(expected))])
