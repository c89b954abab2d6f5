"""One Gaussian release by any mechanism: golden values, the safe side, and what is refused."""

import csv
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting.answers import LIMITS, MECHANISMS, answer, ladder
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon

THROUGH_ACCOUNTANTS = ("zcdp", "tcdp", "rdp", "pld")

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))


def rows(kind):
    result = [row for row in ROWS if row["kind"] == kind]
    assert result
    return [(json.loads(row["params"]), float(row["value"])) for row in result]


@pytest.mark.parametrize(("params", "value"), rows("gaussian_sigma_analytic"))
def test_sigma_by_distribution_is_the_exact_one_from_above(params, value):
    result = answer("sigma", "pld", **params)["sigma"]
    assert value * (1.0 - 1e-9) <= result <= value * (1.0 + 1e-3)


@pytest.mark.parametrize(("params", "value"), rows("gaussian_epsilon"))
def test_epsilon_of_every_accountant_is_at_least_the_exact_one(params, value):
    result = {m: answer("epsilon", m, **params)["epsilon"] for m in THROUGH_ACCOUNTANTS}
    assert result["pld"] == pytest.approx(value, rel=1e-4)
    assert value * (1.0 - 1e-9) <= result["pld"] < result["rdp"] < result["zcdp"] == result["tcdp"]


def test_delta_of_every_accountant_is_at_least_the_exact_one():
    params, value = rows("gaussian_delta")[1]
    result = {m: answer("delta", m, **params)["delta"] for m in THROUGH_ACCOUNTANTS}
    assert result["pld"] == pytest.approx(value, rel=1e-3)
    assert value <= result["pld"] < result["rdp"] < result["zcdp"] == result["tcdp"]


@pytest.mark.parametrize(("params", "value"), rows("gaussian_epsilon_via_rdp"))
def test_epsilon_by_renyi(params, value):
    result = answer("epsilon", "rdp", sigma=params["sigma"], delta=params["delta"])["epsilon"]
    # Theirs is the best of a grid of orders, so an upper bound on ours; to the row's tolerance.
    assert value - 1e-5 <= result <= value + 1e-6


@pytest.mark.parametrize(("params", "value"), rows("zcdp_to_epsilon_bs16"))
def test_epsilon_by_zcdp_is_the_printed_conversion(params, value):
    sigma = math.sqrt(1.0 / (2.0 * params["rho"]))
    assert answer("epsilon", "zcdp", sigma=sigma, delta=params["delta"])[
        "epsilon"
    ] == pytest.approx(value, rel=1e-11)


@pytest.mark.slow("composes many distributions of the privacy loss")
@settings(max_examples=30)
@given(
    st.sampled_from(("zcdp", "rdp")),
    st.floats(-6.0, 3.0),
    st.floats(-200.0, -0.4),
    st.floats(-3.0, 3.0),
)
def test_sigma_keeps_the_budget_it_was_found_for(
    mechanism, log_epsilon, log_delta, log_sensitivity
):
    epsilon, delta = 10.0**log_epsilon, 10.0**log_delta
    sensitivity = 10.0**log_sensitivity
    result = answer("sigma", mechanism, epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    spent = float(analytic_epsilon(result["sigma"], delta, sensitivity))
    assert spent <= epsilon
    assert result["certified_epsilon"] == spent
    back = answer("epsilon", mechanism, sigma=result["sigma"], delta=delta, sensitivity=sensitivity)
    assert back["epsilon"] == pytest.approx(epsilon, rel=1e-6)


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
        ("sigma", {"epsilon": 1e17, "delta": 1e-5}, "epsilon"),
        ("sigma", {"epsilon": 1e-12, "delta": 1e-300}, "σ over sensitivity for this ε and δ"),
        ("sigma", {"epsilon": 1.0, "delta": 1e-323}, "delta"),
        ("sigma", {"epsilon": 1.0, "delta": 1.0}, "delta"),
        ("epsilon", {"sigma": 1e-300, "delta": 1e-5}, "σ over sensitivity"),
        ("epsilon", {"sigma": 1e300, "delta": 1e-5}, "σ over sensitivity"),
        ("epsilon", {"sigma": 1.0, "delta": 1e-323}, "delta"),
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


def test_what_is_missing_is_named():
    for mechanism in MECHANISMS:
        with pytest.raises(InvalidInput, match="delta is missing"):
            answer("sigma", mechanism, epsilon=1.0)


def test_the_limits_themselves_are_answered():
    for mechanism in THROUGH_ACCOUNTANTS:
        least = LIMITS["delta"]["at_least"]
        result = answer("epsilon", mechanism, sigma=1.0, delta=least)
        assert result["certified_epsilon"] <= result["epsilon"] < 60.0
