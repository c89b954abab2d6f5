"""Lesson 4: the mean of many noisy answers has little noise left; a budget is spent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.lessons.counts import gaussian_guarantee, gaussian_right
from dpcore.lessons.lesson import Lesson, Row, row, table

if TYPE_CHECKING:
    import pandas as pd

SIGMA = 10.0
SERIES = "right guesses"


def curve(seed: int = 0, answered: str = "fresh") -> pd.DataFrame:
    """Right guesses of 100 against the number of answers: zero-out, δ = 1e-5 for all together."""

    def at(answers: int) -> Row:
        fresh_answers = answers if answered == "fresh" else 1
        guarantee = gaussian_guarantee(SIGMA, fresh_answers)
        noise = SIGMA / math.sqrt(fresh_answers)
        return row(SERIES, float(answers), gaussian_right(SIGMA, fresh_answers), guarantee, noise)

    return table(at(int(answers)) for answers in LESSON.grid)


LESSON = Lesson(
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
    curve=curve,
    shows_noise=True,
    is_counted=True,
)
