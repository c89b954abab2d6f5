"""Lesson 7: a coin in everybody's hand, so that nobody need be trusted with a true answer.

With probability s a phone sends the true answer, else Yes or No with even odds (after Warner 1965:
his design with chance (1 + s)/2 of the truth). The statements on the share are of the people who
answered, not of others whom they stand for: all randomness is the coins'.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import number
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.lessons.lesson import Lesson, Row, row, table

if TYPE_CHECKING:
    import pandas as pd

WARNER = "randomised response (Warner 1965)"
LAPLACE = "Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006)"
SERIES, TRUSTED = "a coin in each phone", "one trusted counter, same ε"
OUTSIDE = 0.05
"""Chance that an interval misses the truth, at most."""
NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
MADE_UP, MADE_UP_YES = 99, 30
"""People of a made-up class, and those of them who truly say Yes."""


def truth_share(epsilon: float) -> float:
    """Return s, the chance that the coin lets the true answer through: tanh(ε/2)."""
    return math.tanh(0.5 * number("epsilon", epsilon, above=0.0))


@dataclass(frozen=True)
class Estimate:
    """How many of those who answered truly say Yes, as shares in [0, 1]."""

    answers: int
    yes: int  # as sent, after the coins
    share: float
    low: float
    high: float


def estimate(yes: int, answers: int, epsilon: float) -> Estimate:
    """Estimate the true share from how many of the answers that were sent are Yes.

    Unbiased, (yes/n - (1 - s)/2)/s, before it is cut to the interval: of all numbers of true Yes,
    those under which neither so many sent Yes nor so few have a chance of 2.5 % or less. It holds
    the truth with at least 95 % for every n, as the sum of coins is taken exactly.
    """
    truth = truth_share(epsilon)
    low = _first(answers, lambda true: _chance(true, answers, truth, yes, answers))
    high = answers - _first(answers, lambda false: _chance(answers - false, answers, truth, 0, yes))
    share = (yes / answers - 0.5 * (1.0 - truth)) / truth
    least, most = low / answers, high / answers
    return Estimate(answers, yes, min(max(share, least), most), least, most)


def _first(answers: int, chance: Callable[[int], float]) -> int:
    """Return the first count of which the chance, which grows with it, is above 2.5 %."""
    low, high = 0, answers
    while low < high:
        middle = (low + high) // 2
        if chance(middle) > 0.5 * OUTSIDE:
            high = middle
        else:
            low = middle + 1
    return low


def _chance(true: int, answers: int, truth: float, least: int, most: int) -> float:
    """Return the chance of `least` to `most` sent Yes where so many are truly Yes."""
    honest, other = 0.5 * (1.0 + truth), 0.5 * (1.0 - truth)
    chances = np.convolve(_binomial(true, honest), _binomial(answers - true, other))
    return float(chances[least : most + 1].sum())


def _binomial(count: int, chance: float) -> NDArray[np.float64]:
    from scipy.special import gammaln, xlog1py, xlogy

    places = np.arange(count + 1)
    ways = gammaln(count + 1) - gammaln(places + 1) - gammaln(count - places + 1)
    result: NDArray[np.float64] = np.exp(
        ways + xlogy(places, chance) + xlog1py(count - places, -chance)
    )
    return result


def made_up(seed: int, epsilon: float) -> int:
    """Return how many of the made-up class send Yes; their true share is public."""
    generator, truth = np.random.default_rng(seed), truth_share(epsilon)
    return int(
        generator.binomial(MADE_UP_YES, 0.5 * (1.0 + truth))
        + generator.binomial(MADE_UP - MADE_UP_YES, 0.5 * (1.0 - truth))
    )


def coins_spread(answers: int, epsilon: float) -> float:
    """Return the standard deviation of the estimated share: √(1 - s²)/(2s√n) for any true share."""
    truth = truth_share(epsilon)
    return math.sqrt(1.0 - truth * truth) / (2.0 * truth * math.sqrt(answers))


def curve(seed: int = 0, epsilon: float = math.log(3.0)) -> pd.DataFrame:
    """How far off the estimate is, in people of 100, against the number of answers.

    With 95 %: by the normal distribution for coins, exactly for Laplace noise on one true count.
    """
    coin = Guarantee(epsilon, 0.0, Adjacency.REPLACE_ONE, WARNER)
    counter = Guarantee(epsilon, 0.0, Adjacency.REPLACE_ONE, LAPLACE)

    def rows(answers: float) -> tuple[Row, Row]:
        spread, scale = 100.0 * coins_spread(int(answers), epsilon), 100.0 / (epsilon * answers)
        off = -math.log(OUTSIDE) * scale
        return (
            row(SERIES, answers, NORMAL * spread, coin, spread),
            row(TRUSTED, answers, off, counter, math.sqrt(2.0) * scale),
        )

    coins, counters = zip(*map(rows, LESSON.grid), strict=True)
    return table([*coins, *counters])


LESSON = Lesson(
    title="Was it you, or the coin?",
    story="Everybody answers a question that nobody likes. A coin in the phone now and then sends "
    "Yes or No at random instead. The server gets what was sent, and nothing else.",
    question="By how many of 100 people may the estimate of all true Yes be off, with 95 %?",
    why="The coins cancel out: four times the answers halve the error. One counter whom all trust "
    "needs far less noise.",
    across="Answers",
    up="Off by, of 100 people",
    grid=(30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0),
    points=(30.0, 300.0, 3000.0),
    name="answer",
    limits=(0, 80),
    unit=" of 100",
    series=SERIES,
    noise="Noise of the estimate, in people of 100",
    curve=curve,
    is_counted=True,
)
