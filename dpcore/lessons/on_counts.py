"""Lessons 1, 2 and 4, on noise on a count: how often the best guess about one person is right.

1. A count without noise gives the last person away to who knows all others.
2. What halves as ε halves, and what doubles.
4. The mean of many noisy answers has little noise left; a budget is spent.

One person changes a count by 0 or 1, so its sensitivity is 1 under every adjacency; zero-out is
stated. All formulas are for a guesser who starts from even odds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.risk import gaussian_advantage
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.lessons.lesson import DELTA, Lesson, Row, row, table
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_sigma
from dpcore.mechanisms.laplace import laplace_scale

if TYPE_CHECKING:
    import pandas as pd


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


PEOPLE = 100
RATE = 0.24
"""Share of smokers among people of whom nothing else is known."""
STEP = 0.01
"""Of the numerical integral, in units of the noise."""
SERIES = "right guesses"


def right_with_unknown(sigma: float, unknown: int) -> float:
    """Right guesses of 100 about one person's bit, by who does not know so many of the others.

    What is published is the bit, plus a binomial number of the unknown others, plus Gaussian
    noise. The best guess is right with probability (1 + TV)/2, where TV is the distance in total
    variation between that distribution and itself moved by 1; it is integrated by the trapezoidal
    rule, to about 1e-6.
    """
    if not unknown:
        return gaussian_right(sigma)
    chances = binomial(unknown)
    if sigma == 0.0:
        moved = np.diff(np.concatenate([[0.0], chances, [0.0]]))
        return 50.0 * (1.0 + 0.5 * float(np.abs(moved).sum()))
    ends = -8.0 * sigma, unknown + 1 + 8.0 * sigma
    points = np.arange(*ends, STEP * sigma)
    places = np.arange(unknown + 1)
    density = np.zeros_like(points)
    for place, chance in zip(places[chances > 1e-12], chances[chances > 1e-12], strict=True):
        density += chance * (_normal(points - place, sigma) - _normal(points - place - 1, sigma))
    distance = 0.5 * float(np.trapezoid(np.abs(density), points))
    return 50.0 * (1.0 + distance)


def binomial(count: int) -> NDArray[np.float64]:
    """Chances of 0 … count smokers among so many people."""
    chances = np.ones(1)
    for _ in range(count):
        chances = np.convolve(chances, [1.0 - RATE, RATE])
    return chances


def _normal(x: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
    return density


def why_noise_curve(seed: int = 0, known: int = PEOPLE - 1) -> pd.DataFrame:
    """Right guesses of 100 against the noise on the count (zero-out, δ = 1e-5)."""
    return table(
        row(
            SERIES,
            sigma,
            right_with_unknown(sigma, PEOPLE - 1 - known),
            gaussian_guarantee(sigma),
            sigma,
        )
        for sigma in WHY_NOISE.grid
    )


WHY_NOISE = Lesson(
    title="Why noise?",
    story="A clinic publishes how many of its 100 patients smoke. Someone knows the other 99, and "
    "subtracts them. Noise of size σ is added to the count first.",
    question="Of 100 such people, how many guess the last patient right?",
    why="Without noise a subtraction gives the last patient away. Noise larger than "
    "one patient blurs that.",
    across="Noise σ on the count, in patients",
    up="Right guesses of 100",
    grid=(0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
    points=(0.0, 1.0, 4.0),
    name="σ",
    limits=(50, 100),
    unit=" of 100",
    series=SERIES,
    noise="Noise on the count, in patients",
    curve=why_noise_curve,
)


LAPLACE = "Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006)"


def laplace_right(scale: float) -> float:
    """Right guesses of 100 about a count with Laplace noise of this scale b.

    Two Laplace distributions that are 1 apart differ by 1 - e^(-1/(2b)) in total variation.
    """
    return right_of_100(-math.expm1(-1.0 / (2.0 * scale)))


def halving_curve(seed: int = 0, noise: str = "laplace") -> pd.DataFrame:
    """Right guesses of 100 against ε for a count: zero-out; δ is 0 of Laplace noise, else 1e-5."""

    def at(epsilon: float) -> Row:
        if noise == "laplace":
            scale = float(laplace_scale(epsilon))
            guarantee = Guarantee(epsilon, 0.0, ADJACENCY, LAPLACE)
            return row(SERIES, epsilon, laplace_right(scale), guarantee, math.sqrt(2.0) * scale)
        sigma = float(analytic_sigma(epsilon, DELTA))
        guarantee = Guarantee(epsilon, DELTA, ADJACENCY, ANALYTIC)
        return row(SERIES, epsilon, gaussian_right(sigma), guarantee, sigma)

    return table(map(at, HALVING.grid))


HALVING = Lesson(
    title="What does half of ε halve?",
    story="The same count, published at a smaller and smaller ε. Each step to the right halves ε. "
    "50 of 100 guess right by luck alone.",
    question="Of 100 people who know all others, how many guess right?",
    why="Half of ε needs twice the noise. Below ε = 1 it nearly halves what a guesser gains over "
    "luck.",
    across="ε, halved at each step",
    up="Right guesses of 100",
    grid=(8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125),
    points=(4.0, 1.0, 0.25),
    name="ε",
    limits=(50, 100),
    unit=" of 100",
    series=SERIES,
    noise="Noise on the count, in patients (standard deviation)",
    curve=halving_curve,
    shows_noise=True,
)


SIGMA = 10.0


def repeated_curve(seed: int = 0, answered: str = "fresh") -> pd.DataFrame:
    """Right guesses of 100 against the number of answers: zero-out, δ = 1e-5 for all together."""

    def at(answers: int) -> Row:
        fresh_answers = answers if answered == "fresh" else 1
        guarantee = gaussian_guarantee(SIGMA, fresh_answers)
        noise = SIGMA / math.sqrt(fresh_answers)
        return row(SERIES, float(answers), gaussian_right(SIGMA, fresh_answers), guarantee, noise)

    return table(at(int(answers)) for answers in REPEATED_ANSWERS.grid)


REPEATED_ANSWERS = Lesson(
    title="The same noise twice?",
    story="The clinic answers the same question again and again. Each answer has fresh noise of "
    "σ = 10 patients. Someone takes the mean of all answers.",
    question="Of 100 people who do so, how many guess the last patient right?",
    why="Fresh noise cancels out: the mean of k answers has √k times less of it. So each answer "
    "costs ε.",
    across="Answers to the same question",
    up="Right guesses of 100",
    grid=(1.0, 4.0, 16.0, 64.0, 256.0, 1024.0),
    points=(1.0, 16.0, 256.0),
    name="answer",
    limits=(50, 100),
    unit=" of 100",
    series=SERIES,
    noise="Noise of the mean of all answers, in patients",
    curve=repeated_curve,
    shows_noise=True,
    is_counted=True,
)
