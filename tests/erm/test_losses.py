"""The losses: derivatives, constants, and expectations under Gaussian spread."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from dpcore.erm.losses import Huber, Logistic, Squared, loss_named
from dpcore.errors import InvalidInput

ALL = [Logistic(), Huber(0.001), Huber(0.5), Huber(3.0), Squared()]
MARGINS = np.linspace(-9.0, 9.0, 3_001)


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: f"{loss.name} {loss.curvature:g}")
def test_slope_and_bend_are_the_derivatives(loss):
    step = 1e-6
    slope = (loss.value(MARGINS + step) - loss.value(MARGINS - step)) / (2.0 * step)
    assert np.allclose(loss.slope(MARGINS), slope, atol=1e-3 if loss.curvature > 10 else 1e-6)
    bend = (loss.slope(MARGINS + step) - loss.slope(MARGINS - step)) / (2.0 * step)
    corner = loss.name == "huber"  # the second derivative jumps at 1 ± h
    gap = np.abs(1.0 - MARGINS) - loss.width if corner else np.abs(MARGINS) - 1.0
    away = (np.abs(gap) > 2.0 * step) | (loss.name == "logistic")
    assert np.allclose(loss.bend(MARGINS)[away], bend[away], atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: f"{loss.name} {loss.curvature:g}")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_constants_bound_the_derivatives_and_are_reached(loss, kind):
    margins = np.concatenate([MARGINS, [-1e4, -50.0, 0.0, 1.0, 50.0, 1e4]]).astype(kind)
    slope, bend = loss.slope(margins.copy()), loss.bend(margins)
    assert np.all((slope >= -1.0) & (slope <= (1.0 if loss.residual else 0.0)))
    assert slope.min() == -1.0
    assert np.all((bend >= 0.0) & (bend <= loss.curvature * (1 + 1e-6)))
    assert bend.max() == pytest.approx(loss.curvature, rel=1e-5)
    at_zero = [-1.0, 1.0] if loss.residual else [0.0]  # residuals of w = 0 are -y
    assert loss.at_zero == pytest.approx(float(loss.value(np.array(at_zero)).max()), rel=1e-15)
    assert slope.dtype == kind


def test_squared_loss_is_half_the_square_up_to_one_and_straight_beyond():
    residuals = np.array([0.0, 0.5, -1.0, 2.0, -30.0])
    assert Squared().value(residuals) == pytest.approx([0.0, 0.125, 0.5, 1.5, 29.5])
    # Clipping the gradient r x of half the square to norm 1, for ‖x‖ = 1, is this slope times x.
    assert Squared().slope(residuals) == pytest.approx([0.0, 0.5, -1.0, 1.0, -1.0])


def test_values_in_print():
    assert Logistic().value(np.array([0.0, 800.0, -800.0])) == pytest.approx(
        [math.log(2.0), 0.0, 800.0]
    )
    huber = Huber(0.5)
    # 0 above 1+h, (1+h-m)²/(4h) between, 1-m below 1-h.
    assert huber.value(np.array([1.5, 2.0, 1.0, 0.5, -3.0])) == pytest.approx(
        [0.0, 0.0, 0.125, 0.5, 4.0]
    )


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize(
    "loss", [Logistic(), Huber(0.5), Huber(3.0), Squared()], ids=["log", "h", "wide", "squared"]
)
@given(
    margin=st.floats(-20.0, 20.0),
    spread=st.one_of(st.just(0.0), st.floats(1e-6, 60.0)),
)
def test_expectation_agrees_with_quadrature(loss, margin, spread):
    def integrand(z):
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        return float(loss.value(np.array([margin + spread * z]))[0]) * density

    if spread == 0.0:
        expected = float(loss.value(np.array([margin]))[0])
    else:
        kinks = [(c - margin) / spread for c in (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 4.0)]
        ends = sorted({-12.0, 12.0, *(k for k in kinks if abs(k) < 12.0)})
        expected = sum(
            integrate.quad(integrand, a, b, limit=200, epsabs=1e-12)[0] for a, b in pairwise(ends)
        )
    actual = float(loss.expected(np.array([margin]), spread)[0])
    assert actual == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: f"{loss.name} {loss.curvature:g}")
@pytest.mark.parametrize("spread", [1e6, 1e9, 1e12])
def test_expectation_keeps_its_digits_under_very_wide_noise(loss, spread):
    # E(1 - m - sξ)₊ → s/√(2π) + (1-m)/2, and losses differ from a hinge (squared: from two) by a
    # bounded amount.
    result = loss.expected(np.array([0.25]), spread)[0]
    hinges = 2.0 if loss.residual else 1.0
    assert result == pytest.approx(hinges * spread / math.sqrt(2.0 * math.pi), rel=2e-6)


@pytest.mark.parametrize("width", [0.0, -1.0, 1e-9, 11.0, math.nan, math.inf, "wide"])
def test_a_width_out_of_range_is_refused(width):
    with pytest.raises(InvalidInput, match=r"Huber width h is .*, but it must be"):
        loss_named("huber", width)
