"""Losses as functions of one number a record, with their constants; and that number of records.

For classification that number is the margin m = y wᵀx, for regression the residual m = wᵀx - y with
|y| ≤ 1. All are 1-Lipschitz in m, so with ‖x‖₂ ≤ 1 the data-dependent part of the objective is
1-Lipschitz in w; the regulariser is not counted because it is the same for neighbours and cancels.

Source: paper 000 (Ding et al.), section V-B (logistic) and V-C (Huber SVM). Squared loss: see
`Squared`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.errors import number, one_of


@dataclass(frozen=True, eq=False)
class Forms:
    """The linear forms ⟨aᵢ, w⟩ - bᵢ of n records."""

    # (n, d): aᵢ
    rows: Array
    # (n,): bᵢ; `None` where all are 0, which spares a pass over the values
    offsets: Array | None = None

    def __len__(self) -> int:
        """The number of records, n."""
        return len(self.rows)

    def __getitem__(self, part: Any) -> Forms:
        """The forms of some records, indexed like NumPy rows."""
        return Forms(self.rows[part], None if self.offsets is None else self.offsets[part])

    def at(self, weights: Array) -> Array:
        """AW - b, shape (n,) for one vector of weights and (n, k) for k as columns of W."""
        values: Array = self.rows @ weights
        return values if self.offsets is None else self.less_offsets(values)

    def less_offsets(self, values: Array) -> Array:
        """`values` (n,) or (n, k) with each record's offset taken off, in place."""
        if self.offsets is not None:
            values -= self.offsets if values.ndim == 1 else self.offsets[:, None]
        return values

    def blocks(self, size: int) -> list[Forms]:
        """Views of `size` successive records each; the last may hold fewer."""
        return [self[start : start + size] for start in range(0, len(self), size)]

    def contiguous(self, dtype: type[np.floating]) -> Forms:
        """The forms as contiguous arrays of the given precision."""
        offsets = None if self.offsets is None else self.offsets.astype(dtype)
        return Forms(np.ascontiguousarray(self.rows, dtype=dtype), offsets)


Array = NDArray[np.floating]

MARGIN_LOSSES = ("logistic", "huber")
RESIDUAL_LOSSES = ("squared",)
LOSSES = MARGIN_LOSSES + RESIDUAL_LOSSES


class Loss(Protocol):
    """A convex, 1-Lipschitz function of the margin, which it never increases in, or residual."""

    name: str
    residual: bool
    """Whether the loss is of the residual, with slopes of either sign, and not of the margin."""
    curvature: float
    """Largest second derivative; with ‖x‖₂ ≤ 1 the smoothness of the data-dependent part."""
    at_zero: float
    """Largest value of the objective at w = 0."""
    reach: float
    """Typical ‖w‖, used by rules for noise and steps only. For margins it was fixed once, on public
    data; for residuals it is 1, which reaches all values of y."""

    def value(self, margins: Array) -> Array:
        """ℓ(m), element by element."""
        ...

    def slope(self, margins: Array) -> Array:
        """ℓ'(m), in [-1, 0] for margins and in [-1, 1] for residuals."""
        ...

    def bend(self, margins: Array) -> Array:
        """ℓ''(m), in [0, curvature]."""
        ...

    def expected(self, margins: Array, spread: Array | float) -> Array:
        """E ℓ(m + s ξ) with ξ ~ N(0, 1), for each margin m and spread s ≥ 0."""
        ...


class Logistic:
    """log(1 + e^{-m}): slope in (-1, 0), second derivative at most 1/4."""

    name = "logistic"
    residual = False
    curvature = 0.25
    at_zero = float(np.log(2.0))
    reach = 10.0

    def value(self, margins: Array) -> Array:
        # max(-m, 0) + log1p(e^{-|m|}): about three times faster than np.logaddexp, as exact.
        result = np.abs(margins)
        np.negative(result, out=result)
        np.exp(result, out=result)
        np.log1p(result, out=result)
        result -= np.minimum(margins, 0)
        return result

    def slope(self, margins: Array) -> Array:
        """ℓ'(m), in [-1, 0]."""
        # -1/(1+e^m) = (tanh(m/2) - 1)/2: NumPy vectorises tanh, and it cannot overflow.
        result: Array = np.multiply(margins, margins.dtype.type(0.5))
        np.tanh(result, out=result)
        # Noise is sized for the largest slope: no library's last digit may exceed it.
        np.clip(result, -1, 1, out=result)
        result -= 1
        result *= margins.dtype.type(0.5)
        return result

    def bend(self, margins: Array) -> Array:
        probability = scipy.special.expit(margins)
        return np.asarray(probability * (1.0 - probability))

    def expected(self, margins: Array, spread: Array | float) -> Array:
        """E ℓ(m + s ξ), ξ ~ N(0, 1), for each margin m and spread s ≥ 0; error below 1e-9.

        For s ≤ 2 by Gauss-Hermite. Beyond, log(1+e^{-m}) = (-m)₊ + log(1+e^{-|m|}): the first part
        has the exact mean s φ(m/s) - m Φ(-m/s), the second is confined to |m| < 40 and is
        integrated there, each side of its kink on its own.
        """
        scale = np.broadcast_to(np.asarray(spread, dtype=float), margins.shape)
        result = np.empty(margins.shape)
        near = scale <= 2.0
        if np.any(near):
            points, mass = _hermite(61)
            at = margins[near][:, None] + scale[near][:, None] * points[None, :]
            result[near] = self.value(at) @ (mass / math.sqrt(2.0 * math.pi))
        if not np.all(near):
            m, s = margins[~near], scale[~near]
            hinge = s * _density(m / s) - m * scipy.special.ndtr(-m / s)
            points, mass = _legendre(96)
            points, mass = 20.0 * (points + 1.0), 20.0 * mass
            height = np.log1p(np.exp(-points)) * mass
            right = _density((points[None, :] - m[:, None]) / s[:, None]) @ height
            left = _density((-points[None, :] - m[:, None]) / s[:, None]) @ height
            result[~near] = hinge + (left + right) / s
        return result


class Huber:
    """The Huber-smoothed hinge of width h: quadratic for |1 - m| ≤ h (paper 000, section V-C).

    h is from 0.001 to 10, in margin units; the second derivative is at most 1/(2h).
    """

    name = "huber"
    residual = False
    reach = 10.0

    def __init__(self, width: float) -> None:
        self.width = number("Huber width h", width, at_least=1e-3, at_most=10.0)
        self.curvature = 1.0 / (2.0 * self.width)
        self.at_zero = float(self.value(np.zeros(1))[0])

    def value(self, margins: Array) -> Array:
        gap = 1.0 - margins
        inside = np.clip(gap + self.width, 0.0, 2.0 * self.width)
        # (gap+h)²/(4h) on the quadratic part equals the printed gap²/(4h) + gap/2 + h/4.
        return np.asarray(inside * inside / (4.0 * self.width) + np.maximum(gap - self.width, 0.0))

    def slope(self, margins: Array) -> Array:
        result = np.subtract(margins, margins.dtype.type(1.0 + self.width))
        result *= margins.dtype.type(1.0 / (2.0 * self.width))
        return np.clip(result, -1.0, 0.0, out=result)

    def bend(self, margins: Array) -> Array:
        return np.where(np.abs(1.0 - margins) <= self.width, self.curvature, 0.0)

    def expected(self, margins: Array, spread: Array | float) -> Array:
        """E ℓ(m + s ξ), ξ ~ N(0, 1), in closed form; relative error below 1e-9."""
        return _expected_ramp(1.0 - np.asarray(margins, dtype=float), spread, self.width)


class Squared:
    """Half the squared residual up to 1, and as a straight line beyond: m²/2, then |m| - 1/2.

    Without a bound on ‖w‖ the squared loss is not Lipschitz: one record could move a gradient
    without limit. Going on as a straight line from |m| = 1 is the same as clipping each record's
    gradient (‖x‖ ≤ 1) to norm 1, so that L = 1 and β = 1 hold for every w and no ball is needed
    (Song, Steinke, Thakurta and Thakurta 2021, section 3). Wherever no residual exceeds half the
    public range of y it is the squared loss itself; the constant model w = 0 never exceeds it.
    """

    name = "squared"
    residual = True
    curvature = 1.0
    at_zero = 0.5
    reach = 1.0

    def value(self, margins: Array) -> Array:
        size = np.abs(margins)
        inside = np.minimum(size, 1)
        size -= inside * margins.dtype.type(0.5)  # |m| - c/2 with c = min(|m|, 1), times c
        size *= inside
        return size

    def slope(self, margins: Array) -> Array:
        """ℓ'(m), in [-1, 1]."""
        return np.clip(margins, -1, 1)

    def bend(self, margins: Array) -> Array:
        """ℓ''(m), 1 or 0."""
        return np.where(np.abs(margins) <= 1.0, 1.0, 0.0)

    def expected(self, margins: Array, spread: Array | float) -> Array:
        """E ℓ(m + s ξ), ξ ~ N(0, 1), in closed form; error below 1e-9 of 1 + ℓ.

        ℓ(m) + 1/2 is the sum of two ramps of width 1, one to each side.
        """
        middle = np.asarray(margins, dtype=float)
        ramps = _expected_ramp(middle, spread, 1.0) + _expected_ramp(-middle, spread, 1.0)
        return np.asarray(np.maximum(ramps - 0.5, 0.0))


def _expected_ramp(gaps: Array, spread: Array | float, width: float) -> Array:
    """E ρ(g + s ξ), ξ ~ N(0, 1), for ρ(g) = ((g+h)₊² - (g-h)₊²)/(4h), a ramp with a round corner.

    For s ≤ 4h by E (c + sξ)₊² = (c²+s²) Φ(c/s) + c s φ(c/s). Beyond, that difference loses its
    digits; there ρ is the mean of the ramps (g+u)₊ over |u| ≤ h, whose expectations
    c Φ(c/s) + s φ(c/s) hardly bend in u, so that 16 Gauss-Legendre points do.
    """
    shape = np.broadcast_shapes(gaps.shape, np.shape(spread))
    scale = np.broadcast_to(np.asarray(spread, dtype=float), shape)
    gap = np.broadcast_to(gaps, shape)
    result = np.empty(shape)
    wide = scale > 4.0 * width
    result[~wide] = _expected_ramp_narrow(gap[~wide], np.maximum(scale[~wide], 1e-300), width)
    if np.any(wide):
        points, mass = _legendre(16)
        centre = gap[wide][:, None] + width * points[None, :]
        ratio = centre / scale[wide][:, None]
        ramp = centre * scipy.special.ndtr(ratio) + scale[wide][:, None] * _density(ratio)
        result[wide] = ramp @ (0.5 * mass)
    return result


def _expected_ramp_narrow(gap: Array, scale: Array, width: float) -> Array:
    """`_expected_ramp` for spreads up to 4h."""

    def half_square(centre: Array) -> Array:
        ratio = centre / scale
        return np.asarray(
            (centre**2 + scale**2) * scipy.special.ndtr(ratio) + centre * scale * _density(ratio)
        )

    return np.asarray((half_square(gap + width) - half_square(gap - width)) / (4.0 * width))


def _density(points: Array) -> Array:
    """The standard normal density; zero, not an overflow, far out."""
    clipped = np.clip(points, -40.0, 40.0)
    return np.asarray(np.exp(-0.5 * clipped * clipped) / math.sqrt(2.0 * math.pi))


def loss_named(name: str, huber_width: float = 0.5) -> Loss:
    """Find the loss called `name`; another, or a Huber width out of range, is refused."""
    one_of("loss", name, LOSSES)
    if name == "squared":
        return Squared()
    return Logistic() if name == "logistic" else Huber(huber_width)


@cache
def _hermite(nodes: int) -> tuple[Array, Array]:
    points, mass = np.polynomial.hermite_e.hermegauss(nodes)
    return points, mass


@cache
def _legendre(nodes: int) -> tuple[Array, Array]:
    points, mass = np.polynomial.legendre.leggauss(nodes)
    return points, mass
