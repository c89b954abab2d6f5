"""One question to a Gaussian mechanism: proved, claimed and certified values kept apart."""

from __future__ import annotations

import json
import math
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting.answers import answer
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, classical_sigma


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 1e3])
def test_from_one_on_the_classical_answer_is_empty_with_the_reason(epsilon):
    result = answer("sigma", "classical", epsilon=epsilon, delta=1e-5)
    assert result["sigma"] is None
    assert result["claim"]["sigma"] == classical_sigma(epsilon, 1e-5)
    unmet = [condition for condition in result["conditions"] if not condition["met"]]
    assert len(unmet) == 1
    assert "ε < 1" in unmet[0]["condition"]
    tight = analytic_epsilon(classical_sigma(epsilon, 1e-5), 1e-5)
    assert result["certified_epsilon"] == tight
    # At ε = 20 the printed σ is too small.
    assert answer("sigma", "classical", epsilon=20.0, delta=1e-5)["certified_epsilon"] > 20.0


def test_the_classical_formula_turned_round_gives_back_what_was_put_in():
    sigma = answer("sigma", "classical", epsilon=0.4, delta=1e-6, sensitivity=3.0)["sigma"]
    back = answer("epsilon", "classical", sigma=sigma, delta=1e-6, sensitivity=3.0)
    assert back["epsilon"] == pytest.approx(0.4, rel=1e-9)
    assert back["epsilon"] >= 0.4
    delta = answer("delta", "classical", epsilon=0.4, sigma=sigma, sensitivity=3.0)
    assert delta["delta"] == pytest.approx(1e-6, rel=1e-8)


@given(
    epsilon=st.floats(1e-6, 1e3),
    sigma=st.floats(1e-3, 1e6),
    sensitivity=st.floats(1e-3, 1e3),
)
def test_the_classical_delta_is_never_below_its_formula(epsilon, sigma, sensitivity):
    result = answer("delta", "classical", epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    with mpmath.workdps(50):
        reach = mpmath.mpf(epsilon) * sigma / sensitivity
        exact = 1.25 * mpmath.exp(-reach * reach / 2)
        claimed = mpmath.mpf(result["claim"]["delta"])
        assert claimed >= exact
        assert claimed <= exact * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-322")


def test_a_classical_delta_of_one_or_more_is_no_answer():
    result = answer("delta", "classical", epsilon=0.5, sigma=0.1)
    assert result["delta"] is None
    assert result["claim"]["delta"] > 1.0
    assert result["certified_epsilon"] is None
    assert any("promises nothing" in condition["why"] for condition in result["conditions"])


@given(
    question=st.sampled_from(("sigma", "epsilon", "delta")),
    mechanism=st.sampled_from(("analytic", "classical")),
    epsilon=st.floats(1e-12, 1e3),
    delta=st.floats(1e-300, 0.5),
    sigma=st.floats(1e-6, 1e12),
)
def test_what_is_certified_covers_the_noise_of_the_answer(
    question, mechanism, epsilon, delta, sigma
):
    known: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sigma": sigma}
    known.pop(question)
    actual = answer(question, mechanism, **known)
    known[question] = actual["claim"][question]
    assert actual["given"] == {name: known[name] for name in known if name != question}
    certified = actual["certified_epsilon"]
    if certified is not None and math.isfinite(certified) and certified > 0:
        reached = analytic_delta(certified, known["sigma"])
        assert reached <= known["delta"] * (1 + 1e-6)
    met = all(condition["met"] for condition in actual["conditions"])
    assert (actual[question] is None) != met
    json.dumps(actual)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question": "rho"}, ("question", "'rho'", "sigma, epsilon, delta")),
        ({"mechanism": "laplace"}, ("mechanism", "'laplace'", "analytic, classical")),
        ({"epsilon": None}, ("epsilon", "missing")),
        ({"epsilon": 0.0}, ("epsilon", "0", "above 0")),
        ({"epsilon": math.nan}, ("epsilon", "nan")),
        ({"delta": 1.0}, ("delta", "1", "below 1")),
        ({"delta": -1e-5}, ("delta", "-1e-5")),
        ({"sensitivity": math.inf}, ("sensitivity", "inf")),
        ({"question": "epsilon", "epsilon": None, "sigma": 0.0}, ("sigma is",)),
        ({"question": "delta", "delta": None, "sigma": math.nan}, ("sigma is",)),
    ],
)
@pytest.mark.parametrize("mechanism", ["analytic", "classical"])
def test_a_bad_value_is_named(mechanism, change, words):
    asked: dict[str, Any] = {"question": "sigma", "mechanism": mechanism}
    asked |= {"epsilon": 1.0, "delta": 1e-5} | change
    with pytest.raises(InvalidInput) as caught:
        answer(**asked)
    assert all(word in str(caught.value) for word in words)
