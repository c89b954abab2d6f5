"""What (ε, δ) or μ means to a person: how well anyone can guess about one record.

FPR is the chance of a false alarm, FNR of a miss, advantage the largest TPR - FPR (Dong, Roth and
Su 2019 for μ; Kairouz, Oh and Viswanath 2015 for (ε, δ)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.errors import number
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget


def _words(present: str, exchanged: str) -> dict[Adjacency, str]:
    """The words for data that a record is in or not in, and for data where it is exchanged."""
    return {
        adjacency: exchanged if adjacency is Adjacency.REPLACE_ONE else present
        for adjacency in Adjacency
    }


# The attacker's question, in words that a patient would use.
QUESTION = _words("whether you are in the data", "whether a record is yours or another's")
# What the attacker may conclude, and whose records raise a false or a true alarm.
BELIEF = _words("you are in the data", "a record is yours and not another's")
FALSE_ALARM = _words("people who are not in the data", "records that are another's")
TRUE_ALARM = _words("people who are in the data", "records that are yours")


def advantage(epsilon: float, delta: float) -> float:
    """Largest TPR - FPR that any attack can reach against an (ε, δ) guarantee, in [0, 1].

    (e^ε - 1 + 2δ)/(e^ε + 1); under the adjacency of the guarantee.
    """
    delta = number("delta", delta, at_least=0.0, at_most=1.0)
    if epsilon == math.inf:
        return 1.0
    epsilon = number("epsilon", epsilon, at_least=0.0)
    # tanh(ε/2) = (e^ε - 1)/(e^ε + 1) without overflow.
    slack = 2.0 * delta * math.exp(-epsilon) / (1.0 + math.exp(-epsilon))
    return min(1.0, math.tanh(epsilon / 2.0) + slack)


def smallest_miss_rate(false_alarm_rate: ArrayLike, epsilon: float, delta: float) -> np.ndarray:
    """FNR that every attack with the given FPR must suffer under (ε, δ), same shape as the FPR.

    max{0, 1 - δ - e^ε a, e^{-ε}(1 - δ - a)}; under the adjacency of the guarantee.
    """
    epsilon = number("epsilon", epsilon, at_least=0.0)
    delta = number("delta", delta, at_least=0.0, at_most=1.0)
    rate = np.asarray(false_alarm_rate, dtype=float)
    # e^ε is capped where it would overflow; the first branch is negative long before.
    steep = 1.0 - delta - math.exp(min(epsilon, 700.0)) * rate
    flat = math.exp(-epsilon) * (1.0 - delta - rate)
    return np.maximum(0.0, np.maximum(steep, flat))


def gaussian_advantage(mu: float) -> float:
    """Largest TPR - FPR against a μ-Gaussian-DP release: 2Φ(μ/2) - 1, in [0, 1]."""
    return math.erf(number("mu", mu, at_least=0.0) / (2.0 * math.sqrt(2.0)))


RIGHT_GUESSES = "Attackers' right guesses"
"""What the number is called on screen."""
FEW = 0.5
"""People of 100 who are right thanks to the release, below which none of them is counted."""
UNDER, OVER = "under 51", "over 99"
"""Shown where rounding up would count a person too many, or leave no privacy at all."""


def right_of_100(advantage: float) -> int:
    """Of 100 people guessing from even odds, how many are right at most; from 50 to 100.

    Rounded up, so that the statement stays true.
    """
    # A rounding error must not add a person.
    return min(100, math.ceil(50.0 * (1.0 + advantage) - 1e-9))


def right_shown(advantage: float) -> str:
    """`right_of_100` as a number to show; `UNDER` or `OVER` where a whole one misleads.

    Rounded up, next to no advantage would be a person who is right thanks to the release, and next
    to no privacy would be no privacy.
    """
    if 50.0 * advantage < FEW:
        return UNDER
    right = right_of_100(advantage)
    return OVER if right == 100 else str(right)


def hedge(shown: str) -> str:
    """What stands before a number of `right_shown`, as "at most over 99" would be no bound.

    "at most"; "possibly" before `OVER`; "" before `UNDER`, which says itself that it is a bound.
    """
    return {UNDER: "", OVER: "possibly"}.get(shown, "at most")


def right_bounded(advantage: float, of: str = "") -> str:
    """`right_shown` in the middle of a sentence about the people `of` whom so many are right."""
    number = right_shown(advantage)
    if number == OVER:
        return f"more than 99{of} may be"
    return f"{'fewer than 51' if number == UNDER else f'at most {number}'}{of} are"


@dataclass(frozen=True)
class Odds:
    """The static statement of risk for one guarantee.

    Parameters
    ----------
    right : int
        Of 100 people guessing, how many are right at most; rounded up, at least 50.
    question : str
        Their question, in words, by the adjacency.
    sentence : str
        One fixed sentence for the screen.
    shown : str
        `right` as a number to show: "74", "under 51", "over 99" or "all".
    """

    right: int
    question: str
    sentence: str
    shown: str

    @property
    def by_release(self) -> int:
        """How many of `right` are so thanks to the release."""
        return 0 if self.shown == UNDER else self.right - 50


def largest_advantage(budget: PrivacyBudget, noise: float | None = None) -> float:
    """The least of what (ε, δ) and `noise` allow: TPR - FPR by the noise's trade-off function."""
    largest = advantage(budget.epsilon, budget.delta)
    return largest if noise is None else min(largest, noise)


def odds(budget: PrivacyBudget | None, adjacency: Adjacency, noise: float | None = None) -> Odds:
    """The guarantee in plain odds: of 100 people guessing, how many are right at most.

    Each guesser sees the release, knows every other record, and starts from even odds. Without a
    budget nothing is promised, and all may be right.
    """
    if budget is not None:
        return odds_by(largest_advantage(budget, noise), adjacency)
    question, tail = QUESTION[adjacency], "all may be right: nothing is promised to one person."
    return Odds(100, question, f"Of 100 people guessing {question}, {tail}", "all")


def odds_by(largest: float, adjacency: Adjacency) -> Odds:
    """As `odds`, from the largest advantage of any attack, in [0, 1]."""
    question = QUESTION[adjacency]
    tail = (
        "right: next to nothing is promised to one person."
        if right_of_100(largest) == 100
        else "right. Without the release it would be 50."
    )
    sentence = f"Of 100 people guessing {question}, {right_bounded(largest)} {tail}"
    return Odds(right_of_100(largest), question, sentence, right_shown(largest))


@dataclass(frozen=True)
class Promise:
    """The (ε, δ) that risk to a person is computed from, and its basis."""

    whose: str  # the method or run, as shown on screen
    standing: str  # "proved", "certified", "assumed" (no method is named) or "none"
    guarantee: Guarantee
    records: int  # n, public

    @property
    def budget(self) -> PrivacyBudget | None:
        """(ε, δ), or ``None`` where nothing holds. An ε of 0 is shown as 1e-12."""
        return promised(self.guarantee)


def promised(guarantee: Guarantee) -> PrivacyBudget | None:
    """The (ε, δ) of a guarantee, ``None`` where it says nothing. An ε of 0 is shown as 1e-12."""
    if guarantee.delta is None or guarantee.vacuous or not math.isfinite(guarantee.bound):
        return None
    return PrivacyBudget(max(guarantee.bound, 1e-12), guarantee.delta)


def promise(whose: str, proof: Guarantee, certified: Guarantee, records: int) -> Promise:
    """Choose what holds: the proved guarantee, else the certified one, else none."""
    for standing, guarantee in (("proved", proof), ("certified", certified)):
        if promised(guarantee):
            return Promise(whose, standing, guarantee, records)
    reason = proof.reason or certified.reason
    nothing = Guarantee(None, None, proof.adjacency, "none", reason)
    return Promise(whose, "none", nothing, records)
