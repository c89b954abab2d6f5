"""GRPUA and SgdPert: the printed claim with its δ, the worth of its noise, the sound edition."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting.composition import amplified_epsilon, printed_total, strong_composition
from dpcore.accounting.sampled import SampledGaussian, certified_epsilon
from dpcore.erm import gradient_perturbation
from dpcore.erm.gradient_perturbation import (
    FULL_LENGTH_RECORDS,
    SOUND_STEPS,
    SoundNoise,
    StepRule,
    published_steps,
)
from dpcore.erm.method import Settings
from dpcore.erm.methods.grpua import METHOD as GRPUA
from dpcore.erm.methods.sgdpert import METHOD as SGDPERT
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Condition, Edition, PrivacyBudget, Status
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma, classical_sigma

BOTH = [GRPUA, SGDPERT]
PUBLISHED, SOUND = Edition.PUBLISHED, Edition.SOUND
REPLACE_ONE, ZERO_OUT = Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT


def one(method, problem, epsilon=1.0, delta=1e-5, edition=SOUND, steps=None, batch=None):
    return method.calibrate(problem, [epsilon], delta, edition, Settings(steps, batch))[0]


@pytest.mark.parametrize(("adjacency", "lower"), [(REPLACE_ONE, 6.6e6), (ZERO_OUT, 1.6e6)])
def test_published_grpua_at_t_n_squared(adjacency, lower) -> None:
    # Paper 000: n = 1000, T = n², ε = 0.1 per query, δ = 1e-3.
    problem = Problem("logistic", 1e-3, 1_000, 10, adjacency)
    total = printed_total(0.1, 1e-3, 1_000, 1_000**2)[0]
    c = one(GRPUA, problem, total, 1e-3, PUBLISHED, 1_000**2)
    assert c.sigma == pytest.approx(17.404, abs=5e-4)
    assert c.claim.epsilon == pytest.approx(1.0913, abs=5e-5)
    assert c.claim.delta == pytest.approx(1.000001, rel=1e-9)
    assert c.claim.vacuous
    assert c.claim.reason == "δ ≥ 1: every algorithm satisfies it."
    assert lower < c.certified.epsilon < 1.2 * lower
    assert c.certified.delta == 1e-3
    assert (c.proof.epsilon, c.proof.delta) == (None, None)
    assert "total δ is 1" in c.proof.reason
    assert c.status is Status.CLAIM_NOT_SUPPORTED


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize("records", [50, 5_000])
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_the_published_claim_is_the_requested_total_at_the_t_that_is_run(
    method, records, epsilon
) -> None:
    c = one(method, Problem("huber", 0.1, records, 10), epsilon, 1e-4, PUBLISHED)
    assert c.claim.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert c.claim.epsilon <= epsilon
    assert c.claim.delta == pytest.approx((c.steps + 1) * 1e-4 / records, rel=1e-12)
    assert c.proof.epsilon is None
    assert c.certified.epsilon > epsilon
    assert not c.conditions[0].met
    assert c.proof.reason.startswith("The query n∇f moves by up to")
    assert (c.batch, c.sampling, c.sensitivity) == (1, "fixed", 1.0)


def test_published_sigma_is_the_printed_one() -> None:
    problem = Problem("logistic", 0.1, 400, 10)
    for method, rule in ((GRPUA, analytic_sigma), (SGDPERT, classical_sigma)):
        c = one(method, problem, 3.0, 1e-4, PUBLISHED)
        query = 0.0
        low, high = 0.0, 1e3
        for _ in range(200):
            query = 0.5 * (low + high)
            low, high = (
                (query, high) if printed_total(query, 1e-4, 400, 400)[0] <= 3.0 else (low, query)
            )
        assert c.sigma == pytest.approx(rule(query, 1e-4), rel=1e-9)


def test_each_unmet_condition_is_named() -> None:
    problem = Problem("logistic", 0.1, 1_000, 10)
    c = one(SGDPERT, problem, 100.0, 1e-3, PUBLISHED, steps=1_000**2)
    texts = {condition.text.split(" (")[0]: condition.met for condition in c.conditions}
    assert list(texts.values()) == [False, False, False, False]
    for condition in c.conditions:
        assert condition.consequence in c.proof.reason
    mild = one(SGDPERT, problem, 0.1, 1e-9, PUBLISHED, steps=1_000)
    assert [condition.met for condition in mild.conditions] == [False, True, True, True]


def test_the_papers_length_is_run_when_asked_for_and_n_is_small() -> None:
    assert published_steps(455, full_length=False) == 455
    assert published_steps(FULL_LENGTH_RECORDS, full_length=True) == FULL_LENGTH_RECORDS**2 - 1
    with pytest.raises(InvalidInput, match="at most 1,000"):
        published_steps(FULL_LENGTH_RECORDS + 1, full_length=True)


SETTINGS = st.tuples(
    st.floats(1e-3, 100.0),
    st.sampled_from([1e-9, 1e-5, 1e-2]),
    st.sampled_from([1, 40, 2_000]),
    st.sampled_from([1, 25, 500]),
    st.sampled_from([REPLACE_ONE, ZERO_OUT]),
)


@settings(max_examples=8)
@given(SETTINGS)
def test_sound_grpua_proves_what_its_noise_is_certified_for(case) -> None:
    epsilon, delta, steps, batch, adjacency = case
    problem = Problem("logistic", 0.1, 500, 10, adjacency)
    c = one(GRPUA, problem, epsilon, delta, SOUND, steps, batch)
    assert c.status is Status.PROVED
    assert all(condition.met for condition in c.conditions)
    assert c.proof.epsilon <= epsilon
    assert c.proof.delta == delta
    assert c.proof.epsilon == c.certified.epsilon
    # From the noise that is added to the mean: multiplier σ/C = noise × batch, C = L = 1.
    what = SampledGaussian(c.model_noise * c.batch, batch / 500, steps, c.sampling, adjacency)
    assert certified_epsilon(what, delta)[0] == pytest.approx(c.proof.epsilon, rel=1e-6)
    assert what.covered()


@settings(max_examples=15)
@given(SETTINGS)
def test_sound_sgdpert_follows_from_its_theorems_step_by_step(case) -> None:
    epsilon, delta, steps, batch, adjacency = case
    problem = Problem("logistic", 0.1, 500, 10, adjacency)
    c = one(SGDPERT, problem, epsilon, delta, SOUND, steps, batch)
    assert c.status is Status.PROVED
    assert c.proof.epsilon <= epsilon * (1.0 + 1e-12)
    assert c.proof.delta == delta
    # One query: σ = c√(2 ln(1.25/δ₁))/ε₁, and that ε₁ must lie below 1.
    rate = batch / 500
    query_delta = min(delta / (2 * steps * rate), 0.5)
    query_epsilon = classical_sigma(1.0, query_delta, problem.gradient_change) / c.sigma
    assert query_epsilon < 1.0
    sigma = c.model_noise * c.batch
    assert analytic_delta(query_epsilon, sigma, problem.gradient_change) <= query_delta
    # Amplified, composed, and the two halves of δ put together.
    total = strong_composition(amplified_epsilon(query_epsilon, rate), steps, delta / 2)
    assert total <= c.proof.epsilon * (1.0 + 1e-9)
    assert steps * rate * query_delta + delta / 2 <= delta * (1.0 + 1e-12)
    # The certified ε is the smaller of that and the accountant's.
    of_unit = c.sigma / problem.computed_lipschitz(steps)
    what = SampledGaussian(of_unit, rate, steps, c.sampling, adjacency)
    assert c.certified.epsilon == min(c.proof.epsilon, certified_epsilon(what, delta)[0])


def test_a_large_budget_leaves_the_classical_share_unspent() -> None:
    c = one(SGDPERT, Problem("logistic", 0.1, 500, 10), 1e3)
    assert c.proof.epsilon < 500.0
    assert c.status is Status.PROVED


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize(("adjacency", "sampling"), [(REPLACE_ONE, "fixed"), (ZERO_OUT, "poisson")])
def test_sampling_pairs_with_the_adjacency(method, adjacency, sampling) -> None:
    c = one(method, Problem("logistic", 0.1, 5_000, 10, adjacency))
    assert (c.sampling, c.batch, c.steps) == (sampling, 100, SOUND_STEPS)
    assert c.sensitivity == pytest.approx(2.0 if adjacency is REPLACE_ONE else 1.0, rel=1e-7)
    assert c.certified.adjacency is c.proof.adjacency is adjacency


def test_an_unmet_condition_empties_the_proof_even_when_it_has_no_sentence() -> None:
    noise = SoundNoise(3.0, (Condition("something unmet", False),), "a theorem", 1.0)
    rule = StepRule(
        lambda epsilon, delta: 1.0,
        lambda epsilon: Condition("", True),
        lambda problem, budget, rate, steps, sampling: noise,
    )
    problem = Problem("logistic", 0.1, 500, 10)
    made_up = replace(GRPUA, rule=partial(gradient_perturbation.calibrate, rule))
    c = made_up.calibrate(problem, [1.0], 1e-5, SOUND, Settings())[0]
    assert c.status is Status.CONDITIONS_NOT_MET
    assert (c.proof.epsilon, c.proof.delta) == (None, None)
    assert c.certified.epsilon is not None


def test_step_sizes_of_theorems_8_and_9() -> None:
    strong = Problem("logistic", 0.05, 300, 10)
    assert one(GRPUA, strong).learning_rate == 20.0
    convex = Problem("logistic", 0.0, 300, 10, radius=4.0)
    printed = one(GRPUA, convex, edition=PUBLISHED)
    # R/√(n²L² + dσ²) on n∇f + z is R/√(L² + d(σ/n)²) on the mean.
    in_print = 4.0 / math.sqrt(300**2 + 10 * printed.sigma**2)
    assert printed.learning_rate == pytest.approx(300 * in_print)
    poisson = Problem("logistic", 0.0, 300, 10, ZERO_OUT, radius=4.0)
    c = one(GRPUA, poisson, batch=6)
    second_moment = 1.0 + (1.0 - 0.02) / 6 + 10 * c.model_noise**2  # E|S|²/b² = 1 + (1-q)/b
    assert c.learning_rate == pytest.approx(4.0 / math.sqrt(second_moment))


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize("edition", list(Edition))
def test_bad_budgets_steps_and_batches_are_refused(method, edition) -> None:
    problem = Problem("logistic", 0.01, 100, 10)
    with pytest.raises(InvalidInput, match="epsilon is -1, but it must be"):
        one(method, problem, -1.0, edition=edition)
    with pytest.raises(InvalidInput, match="delta is 0, but it must be"):
        one(method, problem, delta=0.0, edition=edition)
    with pytest.raises(InvalidInput, match=r"steps T is 1.5, but it must be"):
        one(method, problem, steps=1.5, edition=edition)
    if edition is SOUND:
        with pytest.raises(InvalidInput, match="batch size is 101, but it must be"):
            one(method, problem, batch=101)


def test_extreme_budgets_are_calibrated() -> None:
    problem = Problem("logistic", 0.01, 100, 10)
    for method in BOTH:
        for epsilon in (1e-12, 1e3):
            for edition in Edition:
                c = one(method, problem, epsilon, 1e-300, edition)
                assert 0.0 < c.sigma < math.inf
                assert c.certified.epsilon >= 0.0
    assert PrivacyBudget(1e-12, 0.0).delta == 0.0
