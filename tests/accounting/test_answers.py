"""One Gaussian release by any mechanism: golden values, the safe side, and what is refused."""

import math

import pytest

from dpcore.accounting.answers import LIMITS, answer, ladder
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_delta
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
