"""Lesson 1: a count without noise gives the last person away to who knows all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.counts import gaussian_guarantee, gaussian_right
from dpcore.lessons.lesson import Lesson, row, table

if TYPE_CHECKING:
    import pandas as pd

PEOPLE = 100
RATE = 0.24
"""Share of smokers among people of whom nothing else is known."""
STEP = 0.01
"""Of the numerical integral, in units of the noise."""
SERIES = "right guesses"


def right(sigma: float, unknown: int) -> float:
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


def curve(seed: int = 0, known: int = PEOPLE - 1) -> pd.DataFrame:
    """Right guesses of 100 against the noise on the count (zero-out, δ = 1e-5)."""
    return table(
        row(SERIES, sigma, right(sigma, PEOPLE - 1 - known), gaussian_guarantee(sigma), sigma)
        for sigma in LESSON.grid
    )


LESSON = Lesson(
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
    curve=curve,
)
