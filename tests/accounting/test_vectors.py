"""Published and cross-checked accounting figures (tests/reference/vectors.csv).

Rows that record another library's upper bound or search tolerance are brackets: our ε, and our σ,
is at most theirs, and never below our own lower bound.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcore.accounting import composition, concentrated, renyi, risk, tradeoff
from dpcore.accounting.accountants import certify
from dpcore.accounting.events import Event, Gaussian, PoissonSampled, Repeated, from_schedule, steps
from dpcore.accounting.losses import loss_distributions
from dpcore.accounting.schedules import custom
from dpcore.accounting.theorems.gaussian import planning_estimate
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_sigma
from tests.accounting.oracles import bounds

ADD_REMOVE = Adjacency.ADD_REMOVE

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))


def rows(*kinds: str) -> list[Any]:
    result = [row for row in ROWS if row["kind"] in kinds]
    assert result
    return [
        pytest.param(json.loads(row["params"]), float(row["value"]), id=f"{row['kind']} {i}")
        for i, row in enumerate(result)
    ]


def training(params: dict[str, Any], sigma: float | None = None) -> Event:
    steps = params.get("steps", params.get("queries"))
    if isinstance(steps, str):
        steps = 2249
    if steps is None:
        steps = round(params["epochs"] / params["q"])
    noise = params["sigma"] if sigma is None else sigma
    return Repeated(
        PoissonSampled(params["q"], Gaussian(noise, params.get("sensitivity", 1.0))), steps
    )


def schedule(params: dict[str, Any]) -> Event:
    sigmas = {
        "linspace(2.0,0.8,50)": np.linspace(2.0, 0.8, 50).tolist(),
        "linspace(2.0,0.8,800)": np.linspace(2.0, 0.8, 800).tolist(),
        "[1.0]*16+[0.9]*16+[0.81]*16": [1.0] * 16 + [0.9] * 16 + [0.81] * 16,
    }[params["sigmas"]]
    return from_schedule(custom(sigmas), rate=params["q"], sampling="poisson")


def epsilon(event: Event, delta: float, accountant: str) -> float:
    result = certify(event, delta, ADD_REMOVE, accountant).epsilon
    assert result is not None
    return result


@pytest.mark.parametrize(("params", "value"), rows("rdp_subsampled_gaussian"))
def test_renyi_divergence(params: dict[str, Any], value: float) -> None:
    order = params["order"]
    function = renyi.poisson_whole if order == int(order) else renyi.poisson_between
    result = params["steps"] * function(np.array([params["sigma"]]), params["q"], np.array([order]))
    if order == 1.5:  # theirs interpolates between whole orders
        assert result[0, 0] == pytest.approx(0.00065007, rel=1e-4)
        assert result[0, 0] <= value
    else:
        assert result[0, 0] == pytest.approx(value, rel=1e-4 if params["steps"] == 50 else 1e-9)


@pytest.mark.parametrize(("params", "value"), rows("rdp_to_epsilon"))
def test_conversion(params: dict[str, Any], value: float) -> None:
    orders = np.arange(2, 33)
    result, best = renyi.epsilon_from(orders, np.full(31, 1.1), params["delta"])
    assert best == 32
    assert result == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("params", "value"), rows("gaussian_epsilon_via_rdp"))
def test_one_gaussian_by_renyi(params: dict[str, Any], value: float) -> None:
    event = Gaussian(params["sigma"])
    assert epsilon(event, params["delta"], "rdp") == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_epsilon_rdp", "schedule_epsilon_rdp"))
def test_renyi_epsilon_is_at_most_the_librarys(params: dict[str, Any], value: float) -> None:
    event = schedule(params) if "sigmas" in params else training(params)
    result = epsilon(event, params["delta"], "rdp")
    assert result <= value + 1e-6
    assert result >= 0.995 * value


@pytest.mark.parametrize(
    ("params", "value"), rows("dpsgd_epsilon_prv_upper", "schedule_epsilon_prv_upper")
)
def test_pld_epsilon_is_at_most_the_prv_upper_bound(params: dict[str, Any], value: float) -> None:
    event = schedule(params) if "sigmas" in params else training(params)
    result = epsilon(event, params["delta"], "pld")
    # Theirs is an estimate plus its error of 0.01.
    assert value - 0.025 <= result <= value


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_epsilon_pld", "schedule_epsilon_pld"))
def test_pld_epsilon_is_close_to_the_librarys(params: dict[str, Any], value: float) -> None:
    event = schedule(params) if "sigmas" in params else training(params)
    lower, upper = bounds(event, params["delta"], ADD_REMOVE)
    assert lower <= value
    assert upper == pytest.approx(value, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize(("params", "value"), rows("subsampled_gaussian_delta_pld"))
def test_pld_delta(params: dict[str, Any], value: float) -> None:
    result = loss_distributions(steps(training(params)), ADD_REMOVE)
    assert max(each.delta(params["epsilon"]) for each in result) == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_noise_multiplier_opacus"))
def test_the_noise_of_a_looser_search_is_enough(params: dict[str, Any], value: float) -> None:
    accountant = "pld" if params["accountant"] == "prv" else "rdp"
    assert epsilon(training(params, value), params["delta"], accountant) <= params["target_epsilon"]


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_noise_multiplier_pld"))
def test_the_noise_for_a_target(params: dict[str, Any], value: float) -> None:
    result = epsilon(training(params, value + 0.001), params["delta"], "pld")
    assert result <= params["target_epsilon"]
    assert bounds(training(params, value - 0.006), params["delta"], ADD_REMOVE)[0] > 0.98


@pytest.mark.parametrize(("params", "value"), rows("subsampled_gaussian_sigma_pld"))
def test_sampled_noise_for_a_target(params: dict[str, Any], value: float) -> None:
    result = epsilon(training(params, value), params["delta"], "pld")
    assert result == pytest.approx(params["epsilon"], rel=2e-3)


@pytest.mark.parametrize(("params", "value"), rows("gaussian_sigma_composed"))
def test_composed_noise(params: dict[str, Any], value: float) -> None:
    moved = params["sensitivity"] * params["queries"] ** 0.5
    assert value in (10.0, pytest.approx(1 / 3))
    # The row of one query has sensitivity 1.
    expected = analytic_sigma(params["epsilon"], params["delta"], moved)
    assert expected / moved == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize(("params", "value"), rows("gaussian_hetero_epsilon"))
def test_different_gaussians(params: dict[str, Any], value: float) -> None:
    event = from_schedule(custom(params["sigmas"]))
    assert epsilon(event, params["delta"], "gdp") == pytest.approx(value, abs=1e-6)
    assert epsilon(event, params["delta"], "pld") == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(("params", "value"), rows("zcdp_to_epsilon_bs16"))
def test_printed_conversion(params: dict[str, Any], value: float) -> None:
    assert concentrated.printed_epsilon(**params) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("params", "value"), rows("zcdp_to_epsilon_cks20"))
def test_modern_conversion(params: dict[str, Any], value: float) -> None:
    result = concentrated.epsilon(concentrated.Concentrated(params["rho"]), params["delta"])
    assert result == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(("params", "value"), rows("zcdp_to_delta_cks20"))
def test_modern_conversion_to_delta(params: dict[str, Any], value: float) -> None:
    result = concentrated.delta(concentrated.Concentrated(params["rho"]), params["epsilon"])
    assert result <= value + 1e-9
    assert result >= 0.1


@pytest.mark.parametrize(("params", "value"), rows("gaussian_rho"))
def test_rho_of_a_gaussian(params: dict[str, Any], value: float) -> None:
    assert concentrated.gaussian_rho(**params) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("params", "value"), rows("gdp_mu_clt_poisson"))
def test_the_central_limit_estimate(params: dict[str, Any], value: float) -> None:
    result = planning_estimate(training(params), 1e-5, ADD_REMOVE)
    assert result == pytest.approx(float(analytic_epsilon(1.0 / value, 1e-5)), rel=1e-9)


@pytest.mark.parametrize(("params", "value"), rows("optimal_homogeneous_composition_epsilon"))
def test_optimal_composition(params: dict[str, Any], value: float) -> None:
    result = composition.optimal_homogeneous_epsilon(
        params["epsilon"], params["delta"], params["queries"], params["total_delta"]
    )
    assert result == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_tradeoff_beta_pld"))
def test_attackers_miss_rate(params: dict[str, Any], value: float) -> None:
    curve = tradeoff.from_event(training(params), ADD_REMOVE)
    result = 1.0 - float(tradeoff.power(curve, params["alpha"]))
    assert result == pytest.approx(value, abs=1e-3)
    assert result <= value + 1e-4


@pytest.mark.parametrize(("params", "value"), rows("dpsgd_advantage_pld"))
def test_attackers_advantage(params: dict[str, Any], value: float) -> None:
    curve = tradeoff.from_event(training(params), ADD_REMOVE)
    assert tradeoff.advantage(curve) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(("params", "value"), rows("gdp_tradeoff_beta"))
def test_gaussian_miss_rate(params: dict[str, Any], value: float) -> None:
    curve = tradeoff.from_gaussian(params["mu"], ADD_REMOVE)
    assert 1.0 - float(tradeoff.power(curve, params["alpha"])) == pytest.approx(value, abs=1e-9)
    assert float(risk.gaussian_miss_rate(params["alpha"], params["mu"])) == pytest.approx(value)


@pytest.mark.parametrize(("params", "value"), rows("gdp_advantage"))
def test_gaussian_advantage(params: dict[str, Any], value: float) -> None:
    assert tradeoff.advantage(tradeoff.from_gaussian(params["mu"], ADD_REMOVE)) == pytest.approx(
        value, abs=1e-9
    )


@pytest.mark.parametrize(("params", "value"), rows("adp_advantage"))
def test_advantage_from_a_budget(params: dict[str, Any], value: float) -> None:
    curve = tradeoff.from_budget(params["epsilon"], params["delta"], ADD_REMOVE)
    assert tradeoff.advantage(curve) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("params", "value"), rows("adp_tradeoff_beta"))
def test_miss_rate_from_a_budget(params: dict[str, Any], value: float) -> None:
    curve = tradeoff.from_budget(params["epsilon"], params["delta"], ADD_REMOVE)
    assert 1.0 - float(tradeoff.power(curve, params["alpha"])) == pytest.approx(value, abs=1e-12)
