"""A lower bound on ε from a single training: many canaries, each in or out by a coin's toss.

After one training an auditor guesses "in" for the canaries that look most like members, "out" for
those that look least like them, and abstains on the rest. The promise for one record bounds how
many of these guesses can be right (Steinke, Nasr and Jagielski 2023, Theorem 5.2): of r guesses on
m canaries, with q = 1/(1 + e^{-ε}) and W ~ Binomial(r, q),

    P(v right or more) ≤ P(W ≥ v) + 2mδ max_{0 < i ≤ v} P(v > W ≥ v - i)/i.

So v right guesses refute every ε for which that is below 1 %. This needs no second training, and
proves less than many trainings would: the bound is on the worst of all canaries, estimated from an
average over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from dpcore.errors import number, whole
from dpcore.mechanisms.gaussian import analytic_mu

Array = NDArray[np.floating]

LARGEST_EPSILON = 50.0
LESS = 3.0
"""The number of guesses is tuned for noise this many times too small: few guesses prove most for an
honest training, but too little to refute anything."""


def chance(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest probability of so many right guesses (Steinke et al. 2023, Theorem 5.2)."""
    if right <= 0:
        return 1.0
    likely = float(special.expit(epsilon))
    beyond = float(stats.binom.sf(right - 1, guesses, likely))
    down = np.arange(1, right + 1)
    inside = np.cumsum(stats.binom.pmf(right - down, guesses, likely))
    return min(1.0, beyond + 2.0 * canaries * delta * float((inside / down).max()))


def least_epsilon(
    canaries: int, guesses: int, right: int, delta: float, confidence: float = 0.99
) -> float:
    """The ε that so many right guesses prove, ≥ 0; rounded down."""
    whole("canaries", canaries, at_least=1)
    whole("guesses", guesses, at_least=1, at_most=canaries)
    whole("right guesses", right, at_least=0, at_most=guesses)
    number("delta", delta, at_least=0.0, below=1.0)
    number("confidence", confidence, at_least=0.5, below=1.0)

    def over(epsilon: float) -> float:
        return chance(canaries, guesses, right, epsilon, delta) - (1.0 - confidence)

    if over(0.0) >= 0.0:
        return 0.0
    refuted, open_still = 0.0, LARGEST_EPSILON
    while open_still - refuted > 1e-6:
        middle = 0.5 * (refuted + open_still)
        if over(middle) < 0.0:
            refuted = middle
        else:
            open_still = middle
    return refuted


@dataclass
class RightGuesses:
    """The ε that right guesses about the canaries of one training prove."""

    epsilon: float  # promised, with the δ
    delta: float
    confidence: float = 0.99
    pairs: int = 0
    lower_bound: float = 0.0

    def see(self, first: Array, second: Array) -> None:
        """Guess at all canaries of the training, of which the first ones are in."""
        self.pairs = len(first)
        canaries = 2 * self.pairs
        guesses = best_guesses(canaries, self.epsilon, self.delta, self.confidence)
        inside = np.arange(canaries) < self.pairs
        right = guessed(np.concatenate([first, second]), inside, guesses)
        self.lower_bound = least_epsilon(canaries, guesses, right, self.delta, self.confidence)


@cache
def best_guesses(canaries: int, epsilon: float, delta: float, confidence: float) -> int:
    """The number of guesses that proves most, by public values only; fixed before the training."""
    mu = LESS * float(analytic_mu(epsilon, delta))
    best, best_bound = canaries, -1.0
    for guesses in np.unique(np.geomspace(20, canaries, 24).astype(int)).tolist():
        # Canaries that are in score N(μ, 1), others N(0, 1); the highest r/2 are guessed "in".
        part = min(guesses / (2.0 * canaries), 0.5)

        def above(level: float, part: float = part) -> float:
            return 0.5 * float(stats.norm.sf(level) + stats.norm.sf(level - mu)) - part

        level = float(optimize.brentq(above, -50.0, 50.0 + mu))
        right = int(guesses * 0.5 * float(stats.norm.sf(level - mu)) / part)
        bound = least_epsilon(canaries, guesses, min(right, guesses), delta, confidence)
        if bound > best_bound:
            best, best_bound = guesses, bound
    return best


def guessed(scores: Array, inside: NDArray[np.bool_], guesses: int) -> int:
    """Count right guesses: "in" for the highest scores (one more if odd), "out" for the lowest."""
    order, out = np.argsort(scores, kind="stable"), guesses // 2
    return int(inside[order[len(order) - (guesses - out) :]].sum() + (~inside[order[:out]]).sum())
