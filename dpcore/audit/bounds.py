"""Lower bounds on ε, at a stated confidence, from an attacker's observations.

An (ε, δ) promise means P(S) ≤ e^ε Q(S) + δ for every set S of outputs, P and Q being the laws of
the release on two neighbouring data sets, in either order. So P(S) ≥ p and Q(S) ≤ q prove
ε ≥ ln((p - δ)/q). P(S) and Q(S) are observed as counts, with the confidence limits of Clopper and
Pearson. Where both laws are normal with one variance, the distance of their means in standard
deviations is μ, the release is no better than μ-Gaussian DP, and μ has an exact confidence limit
by the noncentral t distribution; it needs no rare events, so it has power at any δ.

A bound above the promised ε refutes the promise at that confidence; one below it proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from dpcore.errors import InvalidInput, number, whole
from dpcore.mechanisms.gaussian import analytic_epsilon

Array = NDArray[np.floating]

CANDIDATES = 400
"""Thresholds among which the best is chosen."""

LARGEST_STATISTIC = 1e4
"""The noncentral t distribution is computed up to this value; a smaller statistic proves less."""


def least_share(hits: ArrayLike, trials: int, confidence: float) -> Array:
    """A lower confidence limit for a probability (Clopper and Pearson 1934), one-sided."""
    count = np.asarray(hits, dtype=float)
    limit = special.betaincinv(np.maximum(count, 1.0), trials - count + 1.0, 1.0 - confidence)
    return np.where(count > 0.0, limit, 0.0)


def most_share(hits: ArrayLike, trials: int, confidence: float) -> Array:
    """An upper confidence limit for a probability, one-sided; see `least_share`."""
    return np.asarray(1.0 - least_share(trials - np.asarray(hits), trials, confidence))


def from_counts(
    hits: ArrayLike, false_alarms: ArrayLike, trials: int, delta: float, confidence: float
) -> Array:
    """The ε proved by `hits` in `trials` draws of P and `false_alarms` in as many draws of Q; ≥ 0.

    `hits` and `false_alarms` count outputs in S, with one S for each element; half of the failure
    probability goes to either limit.
    """
    level = 1.0 - (1.0 - confidence) / 2.0
    excess = least_share(hits, trials, level) - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilons = np.log(excess / most_share(false_alarms, trials, level))
    return np.where(excess > 0.0, np.maximum(epsilons, 0.0), 0.0)


class Verdict(StrEnum):
    """How the trial of a promise ended, or stands."""

    REFUTED = "refuted"
    NOT_REFUTED = "not refuted"
    UNDECIDED = "cannot be decided"


def verdict(lost: float, promised: float, outputs: int, needed: int) -> Verdict:
    """Say how a promise stands by the ε that is lost at least: the rule of every trial."""
    if 0.0 < lost >= promised:
        return Verdict.REFUTED
    return Verdict.UNDECIDED if outputs < needed else Verdict.NOT_REFUTED


@dataclass(frozen=True)
class Threshold:
    """A set of outputs, {score ≥ level} or {score ≤ level}, and the data set it indicates."""

    level: float
    above: bool
    first: bool  # whether an output in the set is attributed to the first data set

    def counts(self, first: Array, second: Array) -> tuple[int, int]:
        """(hits, false alarms) among the scores of either data set."""
        inside = [
            int(np.count_nonzero(scores >= self.level if self.above else scores <= self.level))
            for scores in (first, second)
        ]
        return (inside[0], inside[1]) if self.first else (inside[1], inside[0])


def best_threshold(first: Array, second: Array, delta: float, confidence: float) -> Threshold:
    """The threshold that proves most on these scores, so it must be evaluated on others."""
    levels = np.quantile(np.concatenate([first, second]), np.linspace(0.0, 1.0, CANDIDATES))
    ordered = np.sort(first), np.sort(second)
    best, best_bound = Threshold(float(levels[0]), True, True), -1.0
    for above in (True, False):
        # Scores equal to the level are in both sets.
        first_counts, second_counts = (
            len(scores) - np.searchsorted(scores, levels, side="left")
            if above
            else np.searchsorted(scores, levels, side="right")
            for scores in ordered
        )
        for hits, false_alarms, is_first in (
            (first_counts, second_counts, True),
            (second_counts, first_counts, False),
        ):
            bounds = from_counts(hits, false_alarms, len(first), delta, confidence)
            index = int(np.argmax(bounds))
            if bounds[index] > best_bound:
                best = Threshold(float(levels[index]), above, is_first)
                best_bound = float(bounds[index])
    return best


def from_scores(first: Array, second: Array, delta: float, confidence: float = 0.99) -> float:
    """A lower bound on ε from scores of any law: threshold from a quarter, counts from the rest.

    `first` and `second`, (runs,), are of independent releases on each data set; fewer than four
    runs, or unequal numbers of them, are refused.
    """
    _checked(first, second, delta, confidence)
    quarter = len(first) // 4
    threshold = best_threshold(first[:quarter], second[:quarter], delta, confidence)
    hits, false_alarms = threshold.counts(first[quarter:], second[quarter:])
    return float(from_counts(hits, false_alarms, len(first) - quarter, delta, confidence))


def gaussian_mu(first: Array, second: Array, confidence: float = 0.99) -> float:
    """A lower bound on μ from scores that are normal with one variance; ≥ 0.

    With m runs of either, the t statistic of the two samples is noncentral t with 2m - 2 degrees of
    freedom and noncentrality μ√(m/2); the bound is the least μ under which the observation has
    probability 1 - confidence. `first` has the larger mean, which must be fixed beforehand.
    """
    _checked(first, second, 0.0, confidence)
    runs, tail = len(first), 1.0 - confidence
    difference = float(np.mean(first) - np.mean(second))
    deviation = math.sqrt((np.var(first, ddof=1) + np.var(second, ddof=1)) / runs)
    if difference <= 0.0:
        return 0.0
    near = difference < LARGEST_STATISTIC * deviation
    statistic, freedom = difference / deviation if near else LARGEST_STATISTIC, 2 * runs - 2

    spread = math.sqrt(1.0 + statistic**2 / (2.0 * freedom))

    def short(noncentrality: float) -> float:
        less = float(special.nctdtr(freedom, noncentrality, statistic))
        if math.isnan(less):
            # SciPy has gaps far below the statistic, where it is 1; nearer by, 0 bounds less.
            less = float(statistic - noncentrality > 10.0 * spread)
        return less - (1.0 - tail)

    if short(0.0) <= 0.0:
        return 0.0
    # At the statistic itself the probability of less is below a half: the bound lies below it.
    root = float(optimize.brentq(short, 0.0, statistic, xtol=1e-12, rtol=1e-12))
    return root * (1.0 - 1e-9) / math.sqrt(runs / 2.0)


def from_gaussian(first: Array, second: Array, delta: float, confidence: float = 0.99) -> float:
    """A lower bound on ε at `delta` from scores that are normal with one variance (`gaussian_mu`).

    δ = 0 is refused, where normal noise has no finite ε.
    """
    number("delta", delta, above=0.0, below=1.0)
    return epsilon_of(gaussian_mu(first, second, confidence), delta)


def epsilon_of(mu: float, delta: float) -> float:
    """The ε that μ-Gaussian DP has at δ, above 0; 0 for a μ of 0."""
    return float(analytic_epsilon(1.0 / mu, delta)) if mu else 0.0


def _checked(first: Array, second: Array, delta: float, confidence: float) -> None:
    whole("runs", len(first), at_least=4)
    if len(first) != len(second):
        raise InvalidInput(
            f"runs are {len(first)} on one data set and {len(second)} on the other, but must be as "
            "many."
        )
    number("delta", delta, at_least=0.0, below=1.0)
    number("confidence", confidence, at_least=0.5, below=1.0)
