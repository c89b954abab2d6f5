"""InputPert: whom one has to trust for which ε, and people who stay away."""

from __future__ import annotations

import math

import pytest

from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration, Settings
from dpcore.erm.methods.inputpert import METHOD
from dpcore.erm.problem import Problem
from dpcore.erm.sufficient_statistics import sensitivity
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition
from dpcore.mechanisms.gaussian import analytic_delta


def calibrated(
    epsilon: float,
    records: int = 1_000,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    edition: Edition = Edition.SOUND,
    missing: int = 0,
) -> Calibration:
    problem = Problem("logistic", 0.05, records, 4, adjacency)
    (one,) = METHOD.calibrate(problem, [epsilon], 1e-5, edition, Settings(missing=missing))
    return one


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
@pytest.mark.parametrize("epsilon", [0.001, 0.01, 1.0])
def test_the_more_one_trusts_the_smaller_the_epsilon(epsilon: float, adjacency) -> None:
    assert METHOD.trust is not None
    sums, mixed, single = (
        one.guarantee for one in METHOD.trust(calibrated(epsilon, 10_000, adjacency))
    )
    assert (sums.epsilon, sums.adjacency) == (epsilon, adjacency)
    assert mixed.epsilon <= single.epsilon
    assert {mixed.adjacency, single.adjacency} == {Adjacency.REPLACE_ONE}
    assert {sums.delta, mixed.delta, single.delta} == {1e-5}
    # What mixing does is known only where a message alone says little.
    assert (mixed.epsilon < 0.5 * single.epsilon) == (epsilon < 0.1)
    assert ("hides nothing" in mixed.by) == (epsilon == 1.0)


def test_a_messages_epsilon_is_that_of_its_own_noise() -> None:
    for missing in (0, 300):
        one = calibrated(0.3, missing=missing)
        assert METHOD.trust is not None
        local = METHOD.trust(one)[-1].guarantee
        own = one.sigma / math.sqrt(1_000)
        moved = sensitivity(0.91, Adjacency.REPLACE_ONE)
        assert analytic_delta(local.epsilon, own, moved) == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize("missing", [1, 400, 999, 5_000])
def test_those_who_may_stay_away_are_made_up_for(missing: int) -> None:
    usual, more = calibrated(0.5), calibrated(0.5, missing=missing)
    left = 1_000 - min(missing, 999)
    # The noise of those who are sure to be there is what the promise needs.
    assert more.sigma * math.sqrt(left / 1_000) == pytest.approx(usual.sigma, rel=1e-12)
    assert more.proof.epsilon == usual.proof.epsilon == 0.5
    assert more.gaussian_mu == usual.gaussian_mu
    assert "stay away" in more.proof.by
    assert METHOD.trust is not None
    assert METHOD.trust(more)[-1].guarantee.epsilon < METHOD.trust(usual)[-1].guarantee.epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
def test_a_messages_epsilon_is_never_told_too_small(epsilon: float) -> None:
    one = calibrated(epsilon)
    assert METHOD.trust is not None
    exact = METHOD.trust(one)[-1].guarantee.epsilon
    told = float(one.proof.by.split("a single message has ε = ")[1])
    assert exact <= told <= 1.01 * exact


def test_a_message_is_told_whole_where_there_are_several_classes() -> None:
    assert METHOD.trust is not None
    two, ten = (
        one_vs_rest.calibrate(
            METHOD,
            Problem("logistic", 0.05, 1_000, 4, classes=classes),
            [0.7],
            1e-5,
            Edition.SOUND,
            Settings(missing=100),
        )[0]
        for classes in (2, 10)
    )
    assert ten.sigma == pytest.approx(math.sqrt(10.0) * two.sigma, rel=1e-12)
    assert ten.gaussian_mu == two.gaussian_mu
    local = METHOD.trust(ten)[-1].guarantee.epsilon
    told = float(ten.proof.by.split("a single message has ε = ")[1])
    assert local <= told <= 1.01 * local
    # Ten parts with the noise that is drawn, at the distance that a record moves each by.
    own = ten.sigma / math.sqrt(1_000)
    moved = math.sqrt(10.0) * sensitivity(0.91, Adjacency.REPLACE_ONE)
    assert analytic_delta(local, own, moved) == pytest.approx(1e-5, rel=1e-6)


def test_as_published_there_is_nobody_to_trust() -> None:
    assert METHOD.trust is not None
    (only,) = METHOD.trust(calibrated(0.5, edition=Edition.PUBLISHED))
    assert only.whom == "Nobody"
    assert only.guarantee.epsilon <= 0.5


def test_a_number_of_people_is_a_whole_one() -> None:
    with pytest.raises(InvalidInput, match="missing is -1"):
        calibrated(1.0, missing=-1)
