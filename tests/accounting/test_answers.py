"""One Gaussian release by any mechanism: golden values, the safe side, and what is refused."""

import math

import pytest

from dpcore.accounting import answers, tradeoff
from dpcore.accounting.accountants import certify
from dpcore.accounting.answers import LIMITS, answer, ladder
from dpcore.accounting.events import Composed, Gaussian, Repeated
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma
from tests.accounting.oracles import reference

THROUGH_ACCOUNTANTS = ("zcdp", "tcdp", "rdp", "pld")


@pytest.mark.parametrize(("params", "value"), reference("gaussian_sigma_analytic"))
def test_sigma_by_distribution_is_the_exact_one_from_above(params, value):
    result = answer("sigma", "pld", **params)["sigma"]
    assert value * (1.0 - 1e-9) <= result <= value * (1.0 + 1e-3)


@pytest.mark.parametrize(("params", "value"), reference("gaussian_epsilon"))
def test_epsilon_of_every_accountant_is_at_least_the_exact_one(params, value):
    result = {m: answer("epsilon", m, **params)["epsilon"] for m in THROUGH_ACCOUNTANTS}
    assert result["pld"] == pytest.approx(value, rel=1e-4)
    assert value * (1.0 - 1e-9) <= result["pld"] < result["rdp"] < result["zcdp"] == result["tcdp"]


def test_delta_of_every_accountant_is_at_least_the_exact_one():
    params, value = reference("gaussian_delta")[1]
    result = {m: answer("delta", m, **params)["delta"] for m in THROUGH_ACCOUNTANTS}
    assert result["pld"] == pytest.approx(value, rel=1e-3)
    assert value <= result["pld"] < result["rdp"] < result["zcdp"] == result["tcdp"]


@pytest.mark.parametrize("mechanism", THROUGH_ACCOUNTANTS)
@pytest.mark.parametrize(("epsilon", "sigma"), [(1.0, 1.0), (50.0, 0.5), (3000.0, 0.7), (1e5, 1.0)])
def test_delta_is_never_below_the_exact_one(mechanism, epsilon, sigma):
    result = answer("delta", mechanism, epsilon=epsilon, sigma=sigma)["delta"]
    assert float(analytic_delta(epsilon, sigma)) <= result
    assert 0.0 < result < 1.0


def test_the_ladder_falls_to_the_exact_noise():
    result = ladder(1.0, 1e-5, 2.0)
    order = ["zcdp", "tcdp", "classical", "rdp", "pld", "analytic"]
    assert [row["mechanism"] for row in result] == order
    noise = [row["claim"]["sigma"] for row in result]
    assert noise == sorted(noise, reverse=True)
    assert noise[-1] == pytest.approx(7.461263269631884, rel=1e-9)
    unproved = [row["mechanism"] for row in result if row["sigma"] is None]
    assert unproved == ["classical"]


@pytest.mark.parametrize("mechanism", THROUGH_ACCOUNTANTS)
@pytest.mark.parametrize(
    ("question", "given_values", "field"),
    [
        ("sigma", {"epsilon": 1e-13, "delta": 1e-5}, "epsilon"),
        ("sigma", {"epsilon": 1e-12, "delta": 1e-300}, "σ over sensitivity for this ε and δ"),
        ("sigma", {"epsilon": 1.0, "delta": 1e-323}, "delta"),
        ("sigma", {"epsilon": 1.0, "delta": 1.0}, "delta"),
        ("epsilon", {"sigma": 1e-300, "delta": 1e-5}, "σ over sensitivity"),
        ("delta", {"epsilon": 1e300, "sigma": 1.0}, "epsilon"),
        ("delta", {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1e-323}, "σ over sensitivity"),
        ("delta", {"epsilon": 1.0, "sigma": math.nan}, "sigma"),
    ],
)
def test_what_the_accountants_are_not_tested_for_is_refused(
    mechanism, question, given_values, field
):
    with pytest.raises(InvalidInput, match=f"^{field} is "):
        answer(question, mechanism, **given_values)


def test_the_limits_themselves_are_answered():
    for mechanism in THROUGH_ACCOUNTANTS:
        least = LIMITS["delta"]["at_least"]
        result = answer("epsilon", mechanism, sigma=1.0, delta=least)
        assert result["certified_epsilon"] <= result["epsilon"] < 60.0


ADD_REMOVE = Adjacency.ADD_REMOVE
YEAR = PrivacyBudget(3.0, 1e-5)


@pytest.mark.parametrize("parts", [4, [1.0, 2.0, 5.0]])
def test_a_split_keeps_the_budget_and_better_composition_needs_less_noise(parts):
    noise = []
    for kind in answers.COMPOSITIONS:
        result = answers.split(YEAR, parts, kind, sensitivity=2.0)
        event = Composed(tuple(Gaussian(p.noise_multiplier) for p in result.portions))
        exact = certify(event, YEAR.delta, ADD_REMOVE, "gdp").epsilon
        assert exact is not None
        assert exact <= YEAR.epsilon * (1.0 + 1e-9)
        assert result.certified_epsilon == pytest.approx(exact, rel=1e-9)
        assert sum(p.share for p in result.portions) == pytest.approx(1.0)
        assert all(p.sigma >= 2.0 * p.noise_multiplier for p in result.portions)
        noise.append(result.portions[0].sigma)
    assert noise[0] > noise[1] > noise[2]


def test_basic_composition_splits_both_epsilon_and_delta():
    actual = [p.noise_multiplier for p in answers.split(YEAR, [1.0, 3.0], "basic").portions]
    expected = [analytic_sigma(part * 3.0, part * 1e-5) for part in (0.25, 0.75)]
    assert actual == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("mechanism", ["zcdp", "tcdp", "rdp", "pld"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-5), (8.0, 1e-3)])
def test_sigma_by_every_mechanism_is_private_and_goes_round(mechanism, epsilon, delta):
    result = answers.answer("sigma", mechanism, epsilon=epsilon, delta=delta, sensitivity=2.0)
    assert result["certified_epsilon"] <= epsilon
    back = answers.answer(
        "epsilon", mechanism, sigma=result["sigma"], delta=delta, sensitivity=2.0
    )["epsilon"]
    assert back == pytest.approx(epsilon, rel=1e-4)
    assert back <= epsilon * (1.0 + 1e-9)
    given = answers.answer(
        "delta", mechanism, sigma=result["sigma"], epsilon=epsilon, sensitivity=2.0
    )["delta"]
    assert given == pytest.approx(delta, rel=1e-2)


def test_a_distribution_of_gaussians_has_the_gaussian_curve():
    exact = tradeoff.from_gaussian(0.5, ADD_REMOVE)
    result = tradeoff.from_event(Repeated(Gaussian(8.0), 16), ADD_REMOVE)
    for rate in (1e-4, 0.01, 0.3, 0.9):
        best, ours = float(tradeoff.power(exact, rate)), float(tradeoff.power(result, rate))
        assert best <= ours <= best * 1.001 + 1e-8
    for prior in (0.01, 0.5, 0.9):
        assert tradeoff.success(result, prior) == pytest.approx(
            tradeoff.success(exact, prior), rel=1e-4
        )


def test_success_is_never_below_following_the_prior_and_symmetric():
    curve = tradeoff.from_gaussian(1.0, ADD_REMOVE)
    for prior in (0.001, 0.2, 0.5, 0.8):
        result = tradeoff.success(curve, prior)
        assert result >= max(prior, 1.0 - prior)
        assert result == pytest.approx(tradeoff.success(curve, 1.0 - prior), rel=1e-12)
