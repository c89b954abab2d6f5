"""Risk in plain odds: by what must hold for every guarantee (figures: test_vectors.py)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting import risk
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget

epsilons = st.floats(1e-9, 50.0)
deltas = st.floats(0.0, 0.4)


@given(epsilons, deltas)
def test_advantage_is_the_best_gap_of_the_trade_off(epsilon, delta):
    # The gap is concave and piecewise linear in the false-alarm rate; its corner is known.
    corner = (1.0 - delta) / (1.0 + math.exp(epsilon))
    miss = float(risk.smallest_miss_rate(corner, epsilon, delta))
    assert 1.0 - miss - corner == pytest.approx(risk.advantage(epsilon, delta), abs=1e-12)
    rates = np.linspace(0.0, 1.0, 101)
    gaps = 1.0 - risk.smallest_miss_rate(rates, epsilon, delta) - rates
    assert gaps.max() <= risk.advantage(epsilon, delta) + 1e-12


@given(epsilons, deltas)
def test_odds_never_understate_the_bound(epsilon, delta):
    right = risk.odds(PrivacyBudget(epsilon, delta), Adjacency.REPLACE_ONE).right
    assert 50 <= right <= 100
    assert right >= 50.0 * (1.0 + risk.advantage(epsilon, delta)) - 1e-8


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(-1.0, 0.0), (math.nan, 0.0), (1.0, -0.1), (1.0, 1.1)]
)
def test_bad_input_is_refused_by_name(epsilon, delta):
    with pytest.raises(InvalidInput, match=r"epsilon|delta"):
        risk.advantage(epsilon, delta)


A = Adjacency.REPLACE_ONE
NONE = Guarantee(None, None, A, "a theorem", "Its condition fails.")
PROOF, CERTIFIED = Guarantee(2.0, 1e-5, A, "a theorem"), Guarantee(0.5, 1e-6, A, "an accountant")


def test_a_promise_is_the_proved_one_else_the_certified_one_else_none():
    proved = risk.promise("it", PROOF, CERTIFIED, 10)
    assert (proved.standing, proved.guarantee) == ("proved", PROOF)
    assert proved.budget == PrivacyBudget(2.0, 1e-5)
    certified = risk.promise("it", NONE, CERTIFIED, 10)
    assert (certified.standing, certified.guarantee) == ("certified", CERTIFIED)
    assert certified.budget == PrivacyBudget(0.5, 1e-6)
    nothing = risk.promise("it", NONE, NONE, 10)
    assert (nothing.standing, nothing.budget) == ("none", None)
    assert nothing.guarantee.reason == "Its condition fails."


@pytest.mark.parametrize(
    "hollow", [Guarantee(math.inf, 1e-5, A, "it"), Guarantee(1.0, 1.0, A, "it")]
)
def test_a_guarantee_that_says_nothing_is_no_promise(hollow):
    assert risk.promise("it", hollow, hollow, 10).budget is None
    assert risk.promise("it", hollow, CERTIFIED, 10).standing == "certified"


def test_an_epsilon_of_zero_is_still_a_promise():
    result = risk.promise("it", NONE, Guarantee(0.0, 1e-5, A, "an accountant"), 10)
    assert result.budget == PrivacyBudget(1e-12, 1e-5)


@given(epsilons, deltas)
def test_what_is_shown_is_never_less_than_the_bound(epsilon, delta):
    chances = risk.odds(PrivacyBudget(epsilon, delta), Adjacency.ZERO_OUT)
    people = 50.0 * (1.0 + risk.advantage(epsilon, delta))
    if chances.shown == "under 51":
        assert people < 50.5
        assert chances.by_release == 0
    else:
        assert 50 + chances.by_release == chances.right
        assert chances.shown == ("over 99" if chances.right == 100 else str(chances.right))


# 100 Φ(1.1684 / 2) = 72.04; the last noise is worth less than the (ε, δ) that is asked.
@pytest.mark.parametrize(("mu", "shown"), [(1.1684, "73"), (0.0, "under 51"), (9.0, "over 99")])
def test_the_noise_that_is_drawn_bounds_the_guesses(mu, shown):
    budget = PrivacyBudget(5.0, 1e-5)
    assert risk.odds(budget, Adjacency.ZERO_OUT).shown == "over 99"
    noise = risk.gaussian_advantage(mu)
    assert risk.odds(budget, Adjacency.ZERO_OUT, noise).shown == shown
