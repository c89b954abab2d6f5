"""The exponential mechanism: its law, its exact ε, and what it costs as zCDP."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from dpcore.errors import InvalidInput
from dpcore.mechanisms.exponential import choose, exponential_epsilon, exponential_rate

SCORES = np.array([0.0, 1.0, 2.5, 2.4, -3.0])


def pvalue(rate, assumed):
    drawn = choose(np.random.default_rng(1), np.tile(SCORES, (20_000, 1)), rate)
    seen = np.bincount(drawn, minlength=len(SCORES))
    return float(stats.chisquare(seen, 20_000 * special.softmax(assumed * SCORES)).pvalue)


def test_options_are_drawn_by_their_law():
    assert pvalue(0.7, 0.7) > 1e-3
    assert pvalue(0.7, 2.0 / 3.0 * 0.7) < 1e-9
    assert pvalue(0.7, 1.5 * 0.7) < 1e-9


def test_an_infinite_rate_takes_a_best_option_each_equally_often():
    drawn = choose(np.random.default_rng(0), np.tile([1.0, 3.0, 3.0], (4_000, 1)), math.inf)
    assert set(drawn) == {1, 2}
    assert stats.binomtest(int((drawn == 1).sum()), 4_000).pvalue > 1e-3


def test_each_row_has_its_own_rate():
    scores = np.tile([0.0, 1.0], (2, 3_000, 1))
    drawn = choose(np.random.default_rng(0), scores, [[0.0], [math.inf]])
    assert 0.4 < drawn[0].mean() < 0.6
    assert drawn[1].all()


def test_several_generators_draw_what_each_draws_alone():
    def draws():
        return [np.random.default_rng(seed) for seed in range(50)]

    scores = np.stack([np.roll(np.tile(SCORES, (3, 1)), run, axis=1) for run in range(50)])
    alone = [choose(draw, one, 0.7) for draw, one in zip(draws(), scores, strict=True)]
    assert np.array_equal(choose(draws(), scores, 0.7), alone)


changes = st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4)
levels = st.lists(st.floats(-30.0, 30.0), min_size=4, max_size=4)


@given(scores=levels, moved=changes, epsilon=st.floats(0.01, 5.0), one_way=st.booleans())
def test_no_neighbour_is_told_apart_by_more_than_epsilon(scores, moved, epsilon, one_way):
    change = np.abs(moved) if one_way else np.array(moved)
    rate = exponential_rate(epsilon, 1.0 if one_way else 2.0)
    one, other = np.array(scores), np.array(scores) + change
    ratio = special.log_softmax(rate * other) - special.log_softmax(rate * one)
    assert np.abs(ratio).max() <= epsilon + 1e-12
    assert np.ptp(ratio) <= epsilon + 1e-12


@pytest.mark.parametrize(("change", "score_range"), [((0.0, 1.0), 1.0), ((-1.0, 1.0), 2.0)])
def test_epsilon_is_reached(change, score_range):
    rate = exponential_rate(1.0, score_range)
    one = np.array([60.0, 0.0])
    ratio = special.log_softmax(rate * (one + change)) - special.log_softmax(rate * one)
    assert 1.0 - 1e-9 <= np.abs(ratio).max() <= 1.0


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0, 6.0])
def test_rho_bounds_every_order_and_is_nearly_reached(epsilon):
    # Two options suffice for the worst case: log ratios at both ends of an interval of length ε.
    balance = np.linspace(-6.0, 6.0, 601)
    options = np.stack([np.zeros_like(balance), balance])
    moves = np.array([[[0.0], [0.0]], [[0.0], [epsilon]]])
    logs = [special.log_softmax(options + move, axis=0) for move in moves]
    largest = max(
        float((special.logsumexp(order * one - (order - 1.0) * other, axis=0) / reach).max())
        for order in (1.0001, 1.5, 2.0, 4.0, 20.0)
        for reach in [order * (order - 1.0)]
        for one, other in (logs, logs[::-1])
    )
    rho = epsilon**2 / 8.0
    assert largest <= rho * (1.0 + 1e-9)
    if epsilon <= 0.5:
        assert largest >= 0.98 * rho
    assert epsilon * (1.0 - 1e-12) <= exponential_epsilon(rho) <= epsilon


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: exponential_rate(0.0), "epsilon is 0"),
        (lambda: exponential_rate(1.0, 0.0), "score_range is 0"),
        (lambda: exponential_epsilon(math.inf), "rho is inf"),
        (lambda: choose(np.random.default_rng(0), [], 1.0), "scores is"),
        (lambda: choose(np.random.default_rng(0), [1.0, math.nan], 1.0), "scores is"),
        (lambda: choose(np.random.default_rng(0), [1.0, 2.0], -1.0), "rate is"),
    ],
)
def test_bad_input_is_refused(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()
