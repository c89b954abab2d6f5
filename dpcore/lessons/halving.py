"""Lesson 2: what halves as ε halves, and what doubles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.guarantee import Guarantee
from dpcore.lessons.counts import ADJACENCY, ANALYTIC, gaussian_right, right_of_100
from dpcore.lessons.lesson import DELTA, Lesson, Row, row, table
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.mechanisms.laplace import laplace_scale

if TYPE_CHECKING:
    import pandas as pd

SERIES = "right guesses"
LAPLACE = "Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006)"


def laplace_right(scale: float) -> float:
    """Right guesses of 100 about a count with Laplace noise of this scale b.

    Two Laplace distributions that are 1 apart differ by 1 - e^(-1/(2b)) in total variation.
    """
    return right_of_100(-math.expm1(-1.0 / (2.0 * scale)))


def curve(seed: int = 0, noise: str = "laplace") -> pd.DataFrame:
    """Right guesses of 100 against ε for a count: zero-out; δ is 0 of Laplace noise, else 1e-5."""

    def at(epsilon: float) -> Row:
        if noise == "laplace":
            scale = float(laplace_scale(epsilon))
            guarantee = Guarantee(epsilon, 0.0, ADJACENCY, LAPLACE)
            return row(SERIES, epsilon, laplace_right(scale), guarantee, math.sqrt(2.0) * scale)
        sigma = float(analytic_sigma(epsilon, DELTA))
        guarantee = Guarantee(epsilon, DELTA, ADJACENCY, ANALYTIC)
        return row(SERIES, epsilon, gaussian_right(sigma), guarantee, sigma)

    return table(map(at, LESSON.grid))


LESSON = Lesson(
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
    curve=curve,
    shows_noise=True,
)
