"""Targets in risk, and the ε that keeps them: against closed forms, riskcal and gdpnum."""

from dataclasses import replace
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
import riskcal
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from gdpnum import PLDConverter

from dpcore.accounting import risk, tradeoff
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import RELATIVE_ERROR, saving, solve, through_budget
from dpcore.accounting.risk import advantage, gaussian_advantage
from dpcore.accounting.risk_target import KeptRisk, RiskTarget, kept_by_gaussian
from dpcore.accounting.tradeoff import from_gaussian
from dpcore.errors import InvalidInput
from dpcore.evaluation.at_epsilon import ModelAtEpsilon, largest_within
from dpcore.guarantee import Adjacency, PrivacyBudget, Status
from dpcore.mechanisms.gaussian import analytic_mu

NORMAL = NormalDist()
RELEASES = TrainingPlan(1.0, records=1, batch=1, steps=16, delta=1e-5, sampling="none")
RUN = TrainingPlan(1.0, records=10_000, batch=256, steps=400, delta=1e-5)
RIGHT, FOUND = RiskTarget(55.0), RiskTarget(5.0, 0.01)
TARGETS = pytest.mark.parametrize("target", [RIGHT, FOUND, RiskTarget(99.0), RiskTarget(60, 0.5)])


@cache
def library(sigma):
    """dp_accounting's distribution of `RUN` with other noise."""
    step = from_gaussian_mechanism(
        sigma, sampling_prob=RUN.rate, value_discretization_interval=1e-3, use_connect_dots=True
    )
    return step.self_compose(RUN.steps)


def reached_by_library(target, sigma):
    if target.false_alarm_rate is None:
        return riskcal.analysis.get_advantage_from_pld(library(sigma))
    miss = riskcal.analysis.get_beta_from_pld(library(sigma), alpha=target.false_alarm_rate)
    return 1.0 - miss - target.false_alarm_rate


def gaussian_gain(target, mu):
    """TPR - FPR of the threshold test on N(0, 1) and N(μ, 1)."""
    if target.false_alarm_rate is None:
        return 2.0 * NORMAL.cdf(mu / 2.0) - 1.0
    rate = target.false_alarm_rate
    return NORMAL.cdf(NORMAL.inv_cdf(rate) + mu) - rate


@TARGETS
@pytest.mark.parametrize("adjacency", [Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
def test_the_noise_of_releases_is_the_least_that_keeps_the_risk(target, adjacency):
    plan = solve("sigma", replace(RELEASES, adjacency=adjacency), target, "pld")
    moved = 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0
    mu = moved * np.sqrt(RELEASES.steps) / plan.value
    assert gaussian_gain(target, mu) <= target.gain
    assert gaussian_gain(target, mu * (1.0 + 2.0 * RELATIVE_ERROR)) > target.gain
    assert mu == pytest.approx(target.gaussian_mu(), rel=RELATIVE_ERROR)
    assert gaussian_gain(target, target.gaussian_mu()) == pytest.approx(target.gain, rel=1e-10)


@pytest.mark.parametrize("target", [RIGHT, FOUND])
def test_the_noise_of_a_sampled_run_is_that_of_riskcal(target):
    plan = solve("sigma", RUN, target, "pld")
    assert reached_by_library(target, plan.value) == pytest.approx(target.gain, rel=5e-3)
    assert reached_by_library(target, 0.97 * plan.value) > 1.01 * target.gain
    assert reached_by_library(target, 1.03 * plan.value) < 0.99 * target.gain


@pytest.mark.parametrize("unknown", ["sigma", "steps", "batch", "clip"])
def test_one_more_would_be_too_much(unknown):
    plan = solve(unknown, RUN, RIGHT, "pld")
    bolder = {
        "sigma": lambda run: replace(run, sigma=run.sigma * (1.0 - 2.0 * RELATIVE_ERROR)),
        "steps": lambda run: replace(run, steps=run.steps + 1),
        "batch": lambda run: replace(run, batch=run.batch + 1),
        "clip": lambda run: replace(run, clip=run.clip * (1.0 + 2.0 * RELATIVE_ERROR)),
    }[unknown](plan.training)
    reached = [
        tradeoff.advantage(tradeoff.from_event(run.event(), run.adjacency))
        for run in (plan.training, bolder)
    ]
    assert reached[0] <= RIGHT.gain < reached[1]
    assert "at most 55 of 100 guess right" in plan.sentence


def test_an_epsilon_of_a_risk_is_that_of_the_noise_that_keeps_it():
    noise, epsilon = (solve(unknown, RUN, RIGHT, "pld") for unknown in ("sigma", "epsilon"))
    assert (epsilon.training, epsilon.guarantee) == (noise.training, noise.guarantee)
    assert epsilon.value == noise.guarantee.epsilon


@TARGETS
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_an_epsilon_alone_reaches_the_target_and_takes_more_noise(target, delta):
    epsilon = target.epsilon_alone(delta)
    rate = target.false_alarm_rate
    reached = (
        risk.advantage(epsilon, delta)
        if rate is None
        else 1.0 - float(risk.smallest_miss_rate(rate, epsilon, delta)) - rate
    )
    assert reached == pytest.approx(target.gain, rel=1e-9)
    assert reached <= target.gain
    releases = replace(RELEASES, delta=delta)
    exact = solve("sigma", releases, target, "gdp")
    through = through_budget("sigma", releases, target, "gdp")
    assert saving(exact, through) == pytest.approx(through.value / exact.value)
    assert through.value > exact.value


def test_where_delta_alone_is_too_much_no_epsilon_keeps_the_target():
    assert through_budget("sigma", replace(RUN, delta=0.2), RIGHT, "pld") is None


def test_mu_of_a_sampled_run_is_that_of_gdpnum_where_its_masses_hold():
    curve = tradeoff.from_event(RUN.event(), RUN.adjacency)
    peer = PLDConverter(library(RUN.sigma))
    # gdpnum's rates are off by about 1e-4: in the middle that is little.
    assert curve.mu(0.05) == pytest.approx(peer.get_mu(err=0.05), rel=5e-3)
    assert curve.mu(0.05) < curve.mu(1e-3) < curve.mu(1e-5)


@pytest.mark.parametrize("least", [1e-5, 1e-2])
def test_no_attack_beats_mu_where_both_errors_count(least):
    curve = tradeoff.from_event(RUN.event(), RUN.adjacency)
    mu, rates = curve.mu(least), np.geomspace(least, 0.99, 50)
    # dp_accounting's own δ(ε), as lines TPR = e^ε FPR + δ.
    epsilons = np.linspace(-6.0, 12.0, 400)
    deltas = np.array(library(RUN.sigma).get_delta_for_epsilon(epsilons))
    powers = np.min(np.exp(epsilons) * rates[:, None] + deltas, axis=1)
    ours = tradeoff.power(curve, rates)
    assert ours == pytest.approx(powers, rel=5e-3)
    counted = 1.0 - ours >= least
    reached = [
        NORMAL.inv_cdf(power) - NORMAL.inv_cdf(rate)
        for power, rate in zip(ours[counted], rates[counted], strict=True)
    ]
    assert 0.98 * mu < max(reached) <= mu * (1.0 + 1e-9)


def test_mu_without_sampling_is_exact():
    curve = tradeoff.from_event(RELEASES.event(), Adjacency.REPLACE_ONE)
    assert curve.mu(1e-5) == pytest.approx(8.0, rel=1e-11)


def test_what_no_theorem_covers_is_refused_in_words():
    fixed = replace(RUN, sampling="fixed", adjacency=Adjacency.ADD_REMOVE)
    plan = solve("sigma", fixed, RIGHT, "pld")
    assert plan.value is None
    assert "no theorem" in plan.sentence
    loud = solve("steps", replace(RUN, sigma=0.05), RiskTarget(50.5), "pld")
    assert loud.value is None
    assert "reaches the target that at most 50.5" in loud.sentence


@pytest.mark.parametrize(
    ("of_100", "rate", "named"),
    [
        (50.0, None, "right of 100 is 50"),
        (100.0, None, "right of 100 is 100"),
        (1.0, 0.01, "found of 100 is 1"),
        (5.0, 0.0, "rate of false alarms is 0"),
        (float("nan"), None, "right of 100 is nan"),
    ],
)
def test_a_target_that_is_none_is_refused_by_name(of_100, rate, named):
    with pytest.raises(InvalidInput, match=named):
        RiskTarget(of_100, rate)


def test_a_delta_is_not_solved_for_a_risk():
    with pytest.raises(InvalidInput, match="unknown is 'delta', but it must be another"):
        solve("delta", RUN, RIGHT, "pld")


DELTA = 1e-5
EPSILONS = (0.1, 0.2, 0.5, 0.6, 0.9, 1.0, 2.0)


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
