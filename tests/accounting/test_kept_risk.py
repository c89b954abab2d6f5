"""An ε said as a risk: the largest that keeps it, by the noise and by ε and δ alone."""

import pytest

from dpcore.accounting.risk import advantage, gaussian_advantage
from dpcore.accounting.risk_target import KeptRisk, RiskTarget, kept_by_gaussian
from dpcore.accounting.tradeoff import from_gaussian
from dpcore.evaluation.at_epsilon import ModelAtEpsilon, largest_within
from dpcore.guarantee import Adjacency, PrivacyBudget, Status
from dpcore.mechanisms.gaussian import analytic_mu

DELTA = 1e-5
EPSILONS = (0.1, 0.2, 0.5, 0.6, 0.9, 1.0, 2.0)
RIGHT, FOUND = RiskTarget(55.0), RiskTarget(5.0, 0.01)


def model(epsilon, noise=float("nan"), mu=float("nan")):
    proved = str(Status.PROVED)
    return ModelAtEpsilon(
        *("m", "sound", epsilon, DELTA, "zero-out", proved, 1),
        noise_advantage=noise,
        gaussian_mu=mu,
    )


def gaussian_models():
    levels = [float(analytic_mu(epsilon, DELTA)) for epsilon in EPSILONS]
    return [
        model(epsilon, gaussian_advantage(mu), mu)
        for epsilon, mu in zip(EPSILONS, levels, strict=True)
    ]


@pytest.mark.parametrize(
    "target", [RiskTarget(51.0), RIGHT, RiskTarget(90.0), FOUND, RiskTarget(50.0, 0.001)]
)
def test_gaussian_noise_up_to_the_epsilon_keeps_the_risk_and_beyond_does_not(target):
    epsilon = kept_by_gaussian(target, DELTA).epsilon
    for more, is_kept in ((1.0, True), (1.0001, False)):
        mu = float(analytic_mu(more * epsilon, DELTA))
        curve = from_gaussian(mu, Adjacency.ZERO_OUT)
        assert (target.reached(curve) <= target.gain) is is_kept


@pytest.mark.parametrize(("target", "by_noise", "alone"), [(RIGHT, 0.9, 0.2), (FOUND, 2.0, 1.0)])
def test_the_largest_epsilon_is_by_the_noise_that_is_drawn_where_its_law_is_known(
    target, by_noise, alone
):
    assert largest_within(gaussian_models(), target) == by_noise
    assert largest_within([model(epsilon) for epsilon in EPSILONS], target) == alone
    assert largest_within(gaussian_models(), RiskTarget(50.0001)) == 0.0


def test_what_epsilon_and_delta_allow_is_what_an_epsilon_alone_inverts():
    for target in (RIGHT, FOUND):
        epsilon = target.epsilon_alone(DELTA)
        assert target.allowed(PrivacyBudget(epsilon, DELTA)) == pytest.approx(target.gain, rel=1e-9)
    assert RIGHT.allowed(PrivacyBudget(0.2, DELTA)) == advantage(0.2, DELTA)


def test_members_found_are_no_more_than_the_largest_advantage_of_noise_without_a_mu():
    # At 1 % false alarms ε = 1 alone allows 2.7 of 100; an advantage of .01 allows 2.
    assert FOUND.allowed(PrivacyBudget(1.0, DELTA), 0.01) == 0.01


def test_it_says_what_the_noise_saves_and_where_no_epsilon_alone_keeps_the_risk():
    said = kept_by_gaussian(RIGHT, DELTA).sentence
    assert "up to ε = 0.9317" in said
    assert "up to ε = 0.2, which takes 4.08 times the noise" in said
    said = kept_by_gaussian(FOUND, DELTA).sentence
    assert "at most 5 of 100 are found at 1 % false alarms up to ε = " in said
    assert "noise that" in KeptRisk(RIGHT, 0.5, DELTA).sentence
    assert "times" not in KeptRisk(RIGHT, 0.5, DELTA).sentence
    assert "alone at none" in kept_by_gaussian(RiskTarget(50.0001), DELTA).sentence
