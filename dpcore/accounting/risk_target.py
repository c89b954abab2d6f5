"""A target said in risk in place of ε: what the best attack on one record may reach.

It is kept by the trade-off function of the noise itself, never through one (ε, δ), which allows
more attacks than the noise does (Kulynych, Gomez, Kaissis, Calmon and Troncoso 2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.accounting.risk import largest_advantage, smallest_miss_rate
from dpcore.errors import InvalidInput, number
from dpcore.guarantee import PrivacyBudget
from dpcore.words import as_set, at_least

if TYPE_CHECKING:
    from dpcore.accounting.tradeoff import PrivacyCurve

ROUNDED_DOWN = 1.0 - 1e-12
"""Closed forms here have a smaller rounding error."""


def risk_target(right: object, found: object, alarms: object) -> RiskTarget | None:
    """The target that is named by right guesses, or by members found; ``None`` without one."""
    if (found is None) != (alarms is None):
        raise InvalidInput(
            "found of 100 and the rate of false alarms say one risk together, but only one of them "
            "is given."
        )
    if right is not None and found is not None:
        raise InvalidInput("right of 100 and found of 100 are given, but a run has one target.")
    if right is not None:
        return RiskTarget(number("right of 100", right))
    if found is None:
        return None
    return RiskTarget(number("found of 100", found), number("rate of false alarms", alarms))


@dataclass(frozen=True)
class RiskTarget:
    """The most that the best attack may reach, under the adjacency of the run.

    Parameters
    ----------
    of_100 : float
        Of 100 people guessing from even odds, how many are right, between 50 and 100; with a
        false-alarm rate, how many of 100 members an attack finds, above its 100 false alarms.
    false_alarm_rate : float, optional
        FPR of the attack that finds members, in (0, 1).

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    of_100: float
    false_alarm_rate: float | None = None

    def __post_init__(self) -> None:
        if self.false_alarm_rate is None:
            number("right of 100", self.of_100, above=50.0, below=100.0)
            return
        rate = number("rate of false alarms", self.false_alarm_rate, above=0.0, below=1.0)
        number("found of 100", self.of_100, above=100.0 * rate, below=100.0)

    @property
    def gain(self) -> float:
        """TPR - FPR that the release may give: at the rate of false alarms, or the largest."""
        if self.false_alarm_rate is None:
            return self.of_100 / 50.0 - 1.0
        return self.of_100 / 100.0 - self.false_alarm_rate

    @property
    def words(self) -> str:
        """The target in the middle of a sentence."""
        if self.false_alarm_rate is None:
            return f"at most {as_set(self.of_100)} of 100 guess right"
        rate = as_set(100.0 * self.false_alarm_rate)
        return f"at most {as_set(self.of_100)} of 100 are found at {rate} % false alarms"

    def reached(self, curve: PrivacyCurve) -> float:
        """TPR - FPR of the best attack on a curve, to compare with `gain`."""
        # A page tells of targets before it needs a curve, and that loads half of SciPy.
        from dpcore.accounting import tradeoff

        if self.false_alarm_rate is None:
            return tradeoff.advantage(curve)
        return float(tradeoff.power(curve, self.false_alarm_rate)) - self.false_alarm_rate

    def allowed(
        self, budget: PrivacyBudget, noise: float | None = None, mu: float | None = None
    ) -> float:
        """TPR - FPR that (ε, δ) allows, to compare with `gain`.

        The least of it, of the noise's largest TPR - FPR, and of what its μ allows, where those
        are known.
        """
        if self.false_alarm_rate is None:
            return largest_advantage(budget, noise)
        rate = self.false_alarm_rate
        missed = float(smallest_miss_rate(rate, budget.epsilon, budget.delta))
        known = [1.0 - missed - rate]
        known += [] if noise is None else [noise]
        known += [] if mu is None else [_found(rate, mu) - rate]
        return min(known)

    def gaussian_mu(self) -> float:
        """The largest μ of Gaussian noise without sampling that keeps the target; rounded down.

        2Φ(μ/2) - 1 = advantage, or Φ(Φ⁻¹(FPR) + μ) = TPR (Dong, Roth and Su 2022).
        """
        from scipy import special

        if self.false_alarm_rate is None:
            return float(2.0 * math.sqrt(2.0) * special.erfinv(self.gain)) * ROUNDED_DOWN
        found = special.ndtri(self.of_100 / 100.0)
        return float(found - special.ndtri(self.false_alarm_rate)) * ROUNDED_DOWN

    def gaussian_epsilon(self, delta: float) -> float:
        """The largest ε of Gaussian noise without sampling that keeps the target; rounded down.

        Noise for an ε up to it, at this δ, keeps the target; 0 where only more noise than for any ε
        does.
        """
        from dpcore.mechanisms.gaussian import analytic_epsilon

        return analytic_epsilon(1.0 / self.gaussian_mu(), delta) * ROUNDED_DOWN

    def epsilon_alone(self, delta: float) -> float | None:
        """The largest ε with which (ε, δ) alone, whatever the noise, keeps the target.

        ``None`` where δ alone gives as much as the target allows. `risk.advantage` and
        `risk.smallest_miss_rate`, inverted.
        """
        if self.gain <= delta:
            return None
        # Of the two lines through (ε, δ) the one that allows less; at the best rate both meet.
        if self.false_alarm_rate is None:
            corner = 0.5 * (1.0 - self.gain)
        else:
            corner = min(self.false_alarm_rate, 1.0 - self.of_100 / 100.0)
        return math.log1p((self.gain - delta) / corner) * ROUNDED_DOWN


def _found(rate: float, mu: float) -> float:
    """The largest TPR at an FPR against μ-Gaussian DP."""
    from scipy import special

    return float(special.ndtr(special.ndtri(rate) + mu))


def named(target: float | RiskTarget) -> dict[str, float]:
    """An ε or a risk by the names that commands and Python have for it."""
    if not isinstance(target, RiskTarget):
        return {"epsilon": target}
    if target.false_alarm_rate is None:
        return {"right_of_100": target.of_100}
    return {"found_of_100": target.of_100, "at_false_alarms": target.false_alarm_rate}


def noise_ratio(epsilon: float, other: float, delta: float) -> float:
    """σ of one Gaussian release at an ε over that at another one, at the same δ."""
    from dpcore.mechanisms.gaussian import analytic_mu

    return analytic_mu(other, delta) / analytic_mu(epsilon, delta)


@dataclass(frozen=True)
class KeptRisk:
    """The largest ε that keeps a risk by the noise that is drawn."""

    target: RiskTarget
    epsilon: float
    delta: float
    saves: float | None = None  # times this noise that (ε, δ) alone would take, where known

    @property
    def sentence(self) -> str:
        """Up to which ε the risk is kept by the noise, and by ε and δ alone."""
        said = f"By the noise that is drawn, {self.target.words} up to ε = "
        said += at_least(self.epsilon, 4)
        alone = self.target.epsilon_alone(self.delta)
        if alone is None:
            return f"{said}; by ε and δ alone at none."
        noise = ""
        if self.saves is not None:
            noise = f", which takes {at_least(self.saves)} times the noise"
        return f"{said}; by ε and δ alone up to ε = {at_least(alone)}{noise}."


def kept_by_gaussian(target: RiskTarget, delta: float, epsilon: float | None = None) -> KeptRisk:
    """The risk by Gaussian noise without sampling; `epsilon` is the largest, where it is known."""
    largest = target.gaussian_epsilon(delta) if epsilon is None else epsilon
    alone = target.epsilon_alone(delta)
    saves = None if alone is None or not largest else noise_ratio(alone, largest, delta)
    return KeptRisk(target, largest, delta, saves)
