"""Noise on a count, and how often the best guess about one person is right.

One person changes a count by 0 or 1, so its sensitivity is 1 under every adjacency; zero-out is
stated. All formulas are for a guesser who starts from even odds.
"""

from __future__ import annotations

import math

from dpcore.accounting.risk import gaussian_advantage
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.lessons.lesson import DELTA
from dpcore.mechanisms.gaussian import analytic_epsilon

ADJACENCY = Adjacency.ZERO_OUT
ANALYTIC = "analytic Gaussian mechanism (Balle and Wang 2018)"
COMPOSED = "exact composition of Gaussian noise (Dong, Roth and Su 2019)"


def right_of_100(advantage: float) -> float:
    """Of 100 guesses from even odds, how many are right: 50 (1 + advantage)."""
    return 50.0 * (1.0 + advantage)


def gaussian_right(sigma: float, answers: int = 1) -> float:
    """Right guesses of 100 after independent answers with Gaussian noise.

    The mean of k answers has noise σ/√k and tells all that they tell together, so the advantage is
    that of μ = √k/σ (Dong, Roth and Su 2019, Corollary 3.3).
    """
    if sigma == 0.0:
        return 100.0
    return right_of_100(gaussian_advantage(math.sqrt(answers) / sigma))


def gaussian_guarantee(sigma: float, answers: int = 1) -> Guarantee:
    """The (ε, δ) of so many answers with Gaussian noise at `DELTA`, zero-out; ε rounded up."""
    by = ANALYTIC if answers == 1 else COMPOSED
    if sigma == 0.0:
        return Guarantee(None, None, ADJACENCY, "none", "No noise is added.")
    epsilon = float(analytic_epsilon(sigma / math.sqrt(answers), DELTA))
    return Guarantee(epsilon, DELTA, ADJACENCY, by)
