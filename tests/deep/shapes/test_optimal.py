"""Scales in closed form against numerical optimisation, and what is known of them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from dpcore.deep.shapes import optimal

POWERS = (1, 2)


def least_cost(squares, weights, power):
    """T^(r/2+1) / M^(r/2): what the best d costs where no ratio binds."""
    share = power / (power + 2)
    total = float((weights ** (1.0 - share) * squares**share).sum())
    return total ** (power / 2 + 1) / float(squares.sum()) ** (power / 2)


def drawn(seed, spread=1.0):
    generator = np.random.default_rng(seed)
    return tuple(torch.from_numpy(np.exp(spread * generator.standard_normal(6))) for _ in range(2))


def searched(squares, weights, power):
    """The same problem by an optimiser that knows no closed form; the mass is restored at the end.

    Both sums are homogeneous in d, so the constraint may be put into the objective.
    """
    s2, a = squares.numpy() / float(squares.sum()), weights.numpy()

    def objective(u):
        return np.log(np.sum(a * np.exp(power * u))) + power / 2 * np.log(
            np.sum(s2 * np.exp(-2 * u))
        )

    result = np.exp(minimize(objective, np.zeros(len(a)), tol=1e-9).x)
    return result * np.sqrt(np.sum(s2 / result**2))


def cost(scale, weights, power):
    """Σ a d^r."""
    return float((weights.double() * scale.double() ** power).sum())


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(4))
def test_closed_form_is_what_an_optimiser_finds(power, seed):
    squares, weights = drawn(seed)
    result = optimal.scales(squares, weights, power)
    np.testing.assert_allclose(result, searched(squares, weights, power), rtol=1e-4)
    assert cost(result, weights, power) == pytest.approx(
        least_cost(squares, weights, power), rel=1e-12
    )


@pytest.mark.parametrize("power", POWERS)
@given(seed=st.integers(0, 10**6), spread=st.floats(0.0, 30.0))
def test_clipping_mass_is_kept_and_the_ratio_bounded(power, seed, spread):
    squares, weights = drawn(seed, spread)
    result = optimal.scales(squares, weights, power)
    assert float((squares / result**2).sum()) == pytest.approx(float(squares.sum()), rel=1e-9)
    assert float(result.max() / result.min()) <= optimal.RATIO * (1 + 1e-9)


@pytest.mark.parametrize("power", POWERS)
def test_coordinates_without_signal_or_cost_stay_within_the_ratio(power):
    squares, weights = torch.tensor([0.0, 1.0, 2.0, 0.0]), torch.tensor([1.0, 0.0, 2.0, 0.0])
    result = optimal.scales(squares, weights, power)
    assert bool(result.isfinite().all())
    assert result[0] == result.min()
    assert result[1] == result.max()
    assert float(result[1] / result[0]) == pytest.approx(optimal.RATIO)
    nothing = torch.zeros(4)
    assert optimal.scales(nothing, weights, power).tolist() == [1.0] * 4
    assert optimal.scales(squares, nothing, power).tolist() == [1.0] * 4
