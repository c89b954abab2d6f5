"""Bounds on an attacker, from the exact privacy curve rather than from one (ε, δ) on it.

TPR ≤ e^ε FPR + δ(ε) at every real ε, and the lower envelope of these lines is the best attack
(Dong, Roth and Su 2022, Proposition 2.12; Zhu, Dong and Wang 2022); the worse direction is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpcore.accounting import pld, risk
from dpcore.accounting.accountants import gaussian_mu, uncovered
from dpcore.accounting.events import Event, Step, steps, unsampled_gaussian
from dpcore.errors import InvalidInput, number
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.words import as_set, plain

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PrivacyCurve:
    """The privacy curve of a mechanism, as bounds on an attacker."""

    delta: Callable[[float], float]  # ε -> δ(ε), an upper bound in both directions
    power: Callable[[Array], Array]  # (k,) FPR -> (k,) largest TPR
    adjacency: Adjacency
    by: str
    # Smallest error rate that counts -> the least μ whose Gaussian trade-off no attack beats.
    mu: Callable[[float], float] | None = None

    def finite_mu(self, least: float) -> float | None:
        """`mu`; ``None`` where it is not known, and where no attack makes both errors."""
        mu = math.inf if self.mu is None else self.mu(least)
        return mu if math.isfinite(mu) else None


def from_gaussian(mu: float, adjacency: Adjacency) -> PrivacyCurve:
    """μ-Gaussian DP, exact: releases without sampling, μ = √(Σ Δ²/σ²) for the adjacency."""
    mu = number("μ", mu, above=0.0)

    def power(rate: Array) -> Array:
        return np.asarray(special.ndtr(special.ndtri(rate) + mu))

    return PrivacyCurve(
        lambda epsilon: analytic_delta(epsilon, 1.0 / mu),
        power,
        adjacency,
        f"{plain(mu, 4)}-GDP",
        lambda _: mu,
    )


def from_event(event: Event, adjacency: Adjacency) -> PrivacyCurve:
    """The certified curve of an event: exact Gaussian DP where nothing is sampled, else by PLD.

    Raises
    ------
    InvalidInput
        If PLD has no theorem for the event.
    """
    return _from_steps(steps(event), adjacency)


def _from_steps(parts: Sequence[Step], adjacency: Adjacency) -> PrivacyCurve:
    if reason := uncovered(parts, adjacency, pld.ACCOUNTANT):
        raise InvalidInput(reason)
    if all(unsampled_gaussian(step, adjacency) for step in parts):
        return from_gaussian(gaussian_mu(parts, adjacency), adjacency)
    distributions = pld.loss_distributions(parts, adjacency)
    polygons = [distribution.roc() for distribution in distributions]

    def power(rate: Array) -> Array:
        curves = [np.interp(rate, false, true) for false, true in polygons]
        return np.asarray(np.max(curves, axis=0), dtype=np.float64)

    return PrivacyCurve(
        lambda epsilon: max(distribution.delta(epsilon) for distribution in distributions),
        power,
        adjacency,
        "privacy loss distribution",
        lambda least: max(_least_mu(*polygon, least) for polygon in polygons),
    )


def _least_mu(false: Array, true: Array, least: float) -> float:
    """The least μ whose ROC, which is concave, is above a polygon where both errors are ≥ `least`.

    At smaller errors a sampled run is hardly better than one without sampling. Infinite where no
    attack makes both errors.
    """
    first, last = np.interp(least, false, true), np.interp(1.0 - least, true, false)
    if first > 1.0 - least:
        return math.inf
    inside = (false > least) & (1.0 - true > least)
    rates = np.concatenate(([least], false[inside], [last]))
    powers = np.concatenate(([first], true[inside], [1.0 - least]))
    return float(np.max(special.ndtri(powers) - special.ndtri(rates), initial=0.0))


def mu_of(parts: Sequence[Step], adjacency: Adjacency, least: float) -> float | None:
    """μ of steps where both errors are at least `least`; exact, whatever it is, without sampling.

    ``None`` where PLD has no theorem, and where no attack makes both errors.
    """
    if uncovered(parts, adjacency, pld.ACCOUNTANT):
        return None
    return _from_steps(parts, adjacency).finite_mu(least)


def from_budget(epsilon: float, delta: float, adjacency: Adjacency) -> PrivacyCurve:
    """All that follows from one (ε, δ) alone: the weaker bound (Kairouz, Oh and Viswanath 2015)."""
    epsilon = number("epsilon", epsilon, at_least=0.0)
    delta = number("delta", delta, at_least=0.0, at_most=1.0)

    def curve(at: float) -> float:
        # Between the lines of (ε, δ) and its mirror image; the advantage at 0.
        if at >= epsilon:
            return delta
        # (e^ε - e^at)/(1 + e^ε): δ at a smaller ε of the pure mechanism, without overflow.
        share = -math.expm1(at - epsilon) / (1.0 + math.exp(-epsilon))
        return min(1.0, delta + (1.0 - delta) * share)

    return PrivacyCurve(
        curve,
        lambda rate: 1.0 - risk.smallest_miss_rate(rate, epsilon, delta),
        adjacency,
        f"(ε, δ) = ({as_set(epsilon)}, {as_set(delta)}) alone",
    )


def power(curve: PrivacyCurve, false_alarm_rate: ArrayLike) -> Array:
    """Largest TPR of any attack with the given FPR; same shape."""
    rate = np.asarray(false_alarm_rate, dtype=float)
    if not np.all((rate >= 0.0) & (rate <= 1.0)):
        raise InvalidInput("false-alarm rate is out of range, but it must be between 0 and 1.")
    powers = curve.power(np.atleast_1d(rate)).reshape(rate.shape)
    return np.asarray(np.clip(powers, rate, 1.0), dtype=np.float64)


def advantage(curve: PrivacyCurve) -> float:
    """Largest TPR - FPR of any attack: δ(0)."""
    return min(1.0, curve.delta(0.0))


def success(curve: PrivacyCurve, prior: float = 0.5) -> float:
    """Probability that the best guesser with this prior is right.

    max over tests of π TPR + (1-π)(1-FPR) = 1 - π + π δ(ln((1-π)/π)); by symmetry of the two
    directions the prior may be taken as at most 1/2.
    """
    prior = number("prior", prior, above=0.0, below=1.0)
    least = min(prior, 1.0 - prior)
    return min(1.0, 1.0 - least + least * curve.delta(math.log((1.0 - least) / least)))


def posterior(curve: PrivacyCurve, prior: float, false_alarm_rate: float) -> float:
    """Belief after an alarm of the best test with that FPR: π TPR/(π TPR + (1-π) FPR)."""
    prior = number("prior", prior, above=0.0, below=1.0)
    rate = number("false-alarm rate", false_alarm_rate, above=0.0, at_most=1.0)
    hit = prior * float(power(curve, rate))
    return hit / (hit + (1.0 - prior) * rate)


@dataclass(frozen=True)
class Attacker:
    """The best attack in three numbers, each an upper bound."""

    advantage: float  # largest TPR - FPR
    true_positive_rate: float  # largest at the chosen FPR
    belief: float  # after an alarm of the test with that FPR


def attacker(curve: PrivacyCurve, prior: float, false_alarm_rate: float) -> Attacker:
    """The best attack on a curve, for an attacker with this prior."""
    belief = posterior(curve, prior, false_alarm_rate)
    return Attacker(advantage(curve), float(power(curve, false_alarm_rate)), belief)


def table(curves: Mapping[str, PrivacyCurve]) -> pd.DataFrame:
    """The ROC of the best attack on each curve, tidy, one row a point."""
    import pandas as pd

    parts = []
    for series, curve in curves.items():
        rate, best = roc(curve)
        columns = {"series": series, "false_positive_rate": rate, "true_positive_rate": best}
        parts.append(pd.DataFrame(columns | {"adjacency": str(curve.adjacency), "by": curve.by}))
    return pd.concat(parts, ignore_index=True)


def roc(curve: PrivacyCurve, points: int = 201) -> tuple[Array, Array]:
    """(FPR, TPR) of the best attack, denser towards both ends, for a chart."""
    ends = 0.5 * np.geomspace(1e-6, 1.0, points // 2)
    rate = np.concatenate(([0.0], ends, (1.0 - ends)[::-1][1:], [1.0]))
    return rate, power(curve, rate)
