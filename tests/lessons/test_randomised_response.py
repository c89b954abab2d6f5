"""Randomised response: its ε, its estimate and its interval, against exact sums and simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpcore.controls.learn import COINS
from dpcore.lessons import randomised_response as response

CLASSES = 20_000


def sent(true, answers, epsilon, seed=0):
    """Yes answers of many classes, by the coin's two tosses."""
    generator = np.random.default_rng(seed)
    is_yes = np.arange(answers) < true
    is_honest = generator.random((CLASSES, answers)) < response.truth_share(epsilon)
    by_chance = generator.random((CLASSES, answers)) < 0.5
    return np.where(is_honest, is_yes, by_chance).sum(axis=1)


@pytest.mark.parametrize(
    ("truth", "ratio"), [(0.25, Fraction(5, 3)), (0.5, 3), (0.75, 7), (0.875, 15)]
)
def test_the_epsilon_of_a_coin_is_exact(truth, ratio):
    epsilon = math.log(ratio)
    assert response.truth_share(epsilon) == pytest.approx(truth, rel=1e-15)
    yes, no = Fraction(1, 2) * (1 + Fraction(truth)), Fraction(1, 2) * (1 - Fraction(truth))
    assert yes / no == ratio
    assert epsilon in [pytest.approx(each) for each in COINS]


@pytest.mark.parametrize("epsilon", COINS)
def test_the_estimate_is_right_on_average_and_spreads_as_said(epsilon):
    true, answers = 12, 40
    shares = np.arange(answers + 1) / answers
    truth = response.truth_share(epsilon)
    estimates = ((shares - 0.5 * (1.0 - truth)) / truth)[sent(true, answers, epsilon)]
    spread = response.coins_spread(answers, epsilon)
    error = spread / math.sqrt(CLASSES)
    assert abs(estimates.mean() - true / answers) < 4.0 * error
    assert estimates.std() == pytest.approx(spread, rel=0.03)
    # As if all answers were true, or with another coin's spread, it is noticed.
    assert abs(sent(true, answers, epsilon).mean() / answers - true / answers) > 4.0 * error
    assert estimates.std() != pytest.approx(response.coins_spread(answers, 1.1 * epsilon), rel=0.03)


@pytest.mark.parametrize("epsilon", [COINS[0], COINS[1], COINS[3]])
@pytest.mark.parametrize("true", [0, 3, 17, 25])
def test_the_interval_holds_the_truth_as_often_as_said(epsilon, true):
    answers = 25
    every = [response.estimate(yes, answers, epsilon) for yes in range(answers + 1)]
    assert all(0.0 <= each.low <= each.share <= each.high <= 1.0 for each in every)
    yes = sent(true, answers, epsilon, seed=1)
    low, high = (np.array([getattr(each, end) for each in every])[yes] for end in ("low", "high"))
    share = true / answers
    assert np.mean((low <= share) & (share <= high)) > 0.95 - 4.0 * math.sqrt(0.05 / CLASSES)
    # Half as wide, or that of the answers as they came in, it does not.
    if true == 17 and epsilon == COINS[1]:
        middle = 0.5 * (low + high)
        half = 0.25 * (high - low)
        assert np.mean(abs(middle - share) <= half) < 0.9
        assert np.mean(abs(yes / answers - share) <= 1.96 * 0.5 / math.sqrt(answers)) < 0.9


def test_an_estimate_of_one_answer_says_next_to_nothing():
    for yes in (0, 1):
        each = response.estimate(yes, 1, COINS[1])
        assert (each.low, each.high) == (0.0, 1.0)
    assert response.estimate(200, 200, COINS[1]).low == 1.0
    assert response.estimate(0, 200, COINS[1]).high == 0.0


def test_the_curve_is_what_the_simulation_spreads():
    rows = response.curve().set_index(["series", "x"])["value"]
    off = rows[response.SERIES]
    assert off[300.0] / off[30.0] == pytest.approx(math.sqrt(0.1))
    assert rows[response.TRUSTED][300.0] == pytest.approx(100 * math.log(20) / math.log(3) / 300)
    shares = (sent(30, 100, COINS[1]) / 100 - 0.25) / 0.5
    assert np.mean(abs(100.0 * shares - 30.0) <= off[100.0] + 0.5) == pytest.approx(0.95, abs=0.015)
    # The trusted counter's, simulated.
    noise = np.random.default_rng(0).laplace(0.0, 1.0 / math.log(3), CLASSES)
    share_off = 100.0 * abs(noise) / 100
    assert np.mean(share_off <= rows[response.TRUSTED][100.0]) == pytest.approx(0.95, abs=0.01)


def test_the_made_up_class_is_the_seed_s():
    assert response.made_up(7, COINS[1]) == response.made_up(7, COINS[1])
    mean = np.mean([response.made_up(seed, COINS[1]) for seed in range(2000)])
    expected = 0.5 * response.MADE_UP_YES + 0.25 * response.MADE_UP
    assert abs(mean - expected) < 4.0 * math.sqrt(0.1875 * response.MADE_UP / 2000)
