"""Dominating pairs: for each kind of step, its worst-case pair of densities.

(P, Q) dominates a step when H_x(M(D)‖M(D')) ≤ H_x(P‖Q) for every x ≥ 0, H_x the hockey-stick
divergence ∫(p - xq)₊; adaptive compositions of steps are then dominated by the products of their
pairs (Zhu, Dong and Wang 2022, Theorem 10).

Why one dimension is enough under Poisson sampling. Let the record's value be u, exchanged for v,
with |u|, |v| ≤ 1 in units of the clipping norm, so that P = (1-q)N(0) + qN(u) and Q = (1-q)N(0) +
qN(v). For x ≥ 1 and any set A with N(u)-mass a, the Neyman-Pearson lemma bounds its mass under N(0)
and under N(v) from below by Φ(Φ⁻¹(a) - |u|/ν) and Φ(Φ⁻¹(a) - |u-v|/ν), hence

    P(A) - xQ(A) ≤ qa - (x-1)(1-q) Φ(Φ⁻¹(a) - 1/ν) - xq Φ(Φ⁻¹(a) - 2/ν),

and with u = 1, v = -1 on the line a half-line attains both bounds at once. For x < 1,
H_x(P‖Q) = 1 - x + x H_{1/x}(Q‖P) and u, v change places. With v = 0 this is zero-out, where a
blanked record contributes nothing and n stays, and add/remove, if q and the steps come from a
public size.

Batches of fixed size, drawn without replacement, under replace-one. Let S be the batches that hold
the record and S′ those that do not: P = (1-q)μ₀ + qμ₁ and Q = (1-q)μ₀ + qμ₁′, with μ₀ over S′ and
μ₁, μ₁′ over S before and after the exchange. Exchanging the record in a batch of S for one outside
it couples S with S′ (a uniform member of one gives a uniform member of the other), so μ₁ and μ₀ are
mixtures, with the same weights, of Gaussians at most 2C apart; so are μ₁ and μ₁′. With f(a) =
Φ(Φ⁻¹(a) - 2C/σ), convex in a, Jensen's inequality gives μ₀(A), μ₁′(A) ≥ f(μ₁(A)) for every set A.
Hence for x ≥ 1, with a = μ₁(A),

    P(A) - xQ(A) = qa - (x-1)(1-q)μ₀(A) - xqμ₁′(A) ≤ qa - (x-1+q) f(a) ≤ R(x),

R(x) = H_x((1-q)N(0) + qN(1)‖N(0)) at ν = σ/2C being the supremum of the middle over a (Balle,
Barthe and Gaboardi 2018 have the same bound). That holds for either order of the two data sets, so
the curve h(x) = R(x) for x ≥ 1 and 1 - x + xR(1/x) for x < 1 lies above both. The pair
((1-q)N(0) + qN(1), N(0)) has a lower curve for x < 1, and so does not dominate under composition
(Lebeda, Regehr, Kamath and Steinke 2024): `FixedGaussian` is a pair whose curve is h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_WEIGHTS = _WEIGHTS / math.sqrt(2.0 * math.pi)


class Pair(Protocol):
    """A dominating pair (P, Q) of one step, read through its privacy loss ln(P/Q)."""

    def spread(self) -> float:
        """Roughly the standard deviation of the loss under P; it only sets the grid."""
        ...

    def reach(self, log_tail: float) -> tuple[float, float]:
        """Losses between which all but e^`log_tail` of P's mass lies, at either end."""
        ...

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        """(P-mass, Q-mass) of the loss between consecutive grid points, P-mass below and above."""
        ...


@dataclass(frozen=True)
class PoissonGaussian:
    """One Poisson-sampled Gaussian step under add/remove or zero-out, or an unsampled one at q = 1.

    Remove: P = (1-q)N(0,ν²) + qN(1,ν²), Q = N(0,ν²). Add: the two exchanged, and the axis mirrored
    so that the loss still grows along it.
    """

    multiplier: float  # ν = σ over the change of the sum by one record
    rate: float  # q in (0, 1]
    adding: bool = False

    def spread(self) -> float:
        """About the standard deviation of the loss under P; it only sets the grid."""
        plain = self.loss(self.multiplier * _NODES)
        if self.adding:
            return _deviation(plain, plain, 0.0)
        return _deviation(plain, self.loss(self.multiplier * _NODES + 1.0), self.rate)

    def reach(self, log_tail: float) -> tuple[float, float]:
        spread = -float(special.ndtri_exp(log_tail)) * self.multiplier
        if self.adding:
            return -float(self.loss(spread)), -float(self.loss(-spread))
        return float(self.loss(-spread)), float(self.loss(1.0 + spread))

    def loss(self, x: Array | float) -> Array:
        """Ln of the density with the record over that without it, at x."""
        exponent = (2.0 * np.asarray(x) - 1.0) / (2.0 * self.multiplier**2)
        if self.rate == 1.0:
            return exponent
        # ln(1 + q(e^y - 1)) where y is small: the sum of logarithms would lose a small q.
        small = np.log1p(self.rate * np.expm1(np.minimum(exponent, 1.0)))
        large = np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + exponent)
        return np.where(exponent < 1.0, small, large)

    def _place(self, losses: Array) -> Array:
        """The x of these remove-direction losses; -inf where the loss is never so low."""
        if self.rate == 1.0:
            return np.asarray(self.multiplier**2 * losses + 0.5)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # ln((e^ε - (1-q))/q), in a form that neither overflows nor cancels.
            gap = losses - math.log1p(-self.rate)
            exponent = np.where(
                gap > 0.0, losses + np.log(-np.expm1(-gap)) - math.log(self.rate), -np.inf
            )
        return np.asarray(self.multiplier**2 * exponent + 0.5)

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        edges = self._place(-grid[::-1] if self.adding else grid)
        plain, shifted = edges / self.multiplier, (edges - 1.0) / self.multiplier
        q, still, moved = self.rate, _between(plain), _between(shifted)
        mixed = (1.0 - q) * still + q * moved
        if self.adding:
            below, above = special.ndtr(-plain[-1]), special.ndtr(plain[0])
            return still[::-1], mixed[::-1], float(below), float(above)
        below = (1.0 - q) * special.ndtr(plain[0]) + q * special.ndtr(shifted[0])
        above = (1.0 - q) * special.ndtr(-plain[-1]) + q * special.ndtr(-shifted[-1])
        return mixed, still, float(below), float(above)


@dataclass(frozen=True)
class PoissonGaussianReplaced:
    """One Poisson-sampled Gaussian step under replace-one (module docstring).

    P = (1-q)N(0,ν²) + qN(1,ν²), Q = (1-q)N(0,ν²) + qN(-1,ν²), in units of C. The loss is odd, so
    one direction serves both.
    """

    multiplier: float  # ν = σ/C
    rate: float  # q in (0, 1]

    def spread(self) -> float:
        x = self.multiplier * _NODES
        return _deviation(self._loss(x), self._loss(x + 1.0), self.rate)

    def reach(self, log_tail: float) -> tuple[float, float]:
        spread = -float(special.ndtri_exp(log_tail)) * self.multiplier
        return -float(self._loss(spread)), float(self._loss(1.0 + spread))

    def _loss(self, x: Array | float) -> Array:
        x = np.asarray(x)
        variance = 2.0 * self.multiplier**2
        stay = math.log1p(-self.rate) if self.rate < 1.0 else -math.inf
        with_p = np.logaddexp(stay, math.log(self.rate) + (2.0 * x - 1.0) / variance)
        with_q = np.logaddexp(stay, math.log(self.rate) + (-2.0 * x - 1.0) / variance)
        return np.asarray(with_p - with_q)

    def _place(self, losses: Array) -> Array:
        """x(ε) = ν²(ε/2 + asinh((1-q) sinh(ε/2)/A)) with A = q e^{-1/(2ν²)}."""
        half = np.abs(losses) / 2.0
        if self.rate == 1.0:
            return np.asarray(self.multiplier**2 * losses / 2.0)
        # asinh(e^y) with y in logs: A underflows for little noise.
        with np.errstate(divide="ignore"):
            log_sinh = half + np.log(-np.expm1(-2.0 * half)) - math.log(2.0)
        scale = math.log1p(-self.rate) - math.log(self.rate) + 0.5 / self.multiplier**2
        y = log_sinh + scale
        asinh = np.where(y > 30.0, y + math.log(2.0), np.arcsinh(np.exp(np.minimum(y, 30.0))))
        return np.asarray(np.sign(losses) * self.multiplier**2 * (half + asinh))

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        edges, q = self._place(grid) / self.multiplier, self.rate
        still = (1.0 - q) * _between(edges)
        unit = 1.0 / self.multiplier
        below = (1.0 - q) * special.ndtr(edges[0]) + q * special.ndtr(edges[0] - unit)
        above = (1.0 - q) * special.ndtr(-edges[-1]) + q * special.ndtr(unit - edges[-1])
        upper, lower = still + q * _between(edges - unit), still + q * _between(edges + unit)
        return upper, lower, float(below), float(above)


@dataclass(frozen=True)
class _AgainstBlank:
    """(p, r) = ((1-q)N(0,ν²) + qN(2,ν²), (1-q)N(0,ν²) + qN(1,ν²)) where p > r, which is z > 3/2.

    There the loss grows with z, and e^ℓ = x lies at z = 3/2 + ν² ln t with t² = xt + (x-1)s and
    s = (1-q)/q e^{-1/ν²}. With `adding` the two are exchanged and the axis mirrored.
    """

    multiplier: float
    rate: float
    adding: bool = False

    def spread(self) -> float:
        return PoissonGaussian(self.multiplier, self.rate, self.adding).spread()

    def reach(self, log_tail: float) -> tuple[float, float]:
        """Losses between which all but e^`log_tail` of P's mass on this side lies."""
        spread = -float(special.ndtri_exp(log_tail)) * self.multiplier
        if self.adding:
            return min(0.0, -self._loss(1.0 + spread)), 0.0
        return 0.0, max(0.0, self._loss(2.0 + spread))

    def _loss(self, z: float) -> float:
        variance = self.multiplier**2
        stay, drawn = math.log1p(-self.rate), math.log(self.rate)
        with_it = np.logaddexp(stay, drawn + (2.0 * z - 2.0) / variance)
        return float(with_it - np.logaddexp(stay, drawn + (z - 0.5) / variance))

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        """(P-mass, Q-mass) between consecutive losses of 0 or more (with `adding`, or less)."""
        nu, q = self.multiplier, self.rate
        losses = -grid[::-1] if self.adding else grid
        log_odds = math.log1p(-q) - math.log(q) - 1.0 / nu**2 + math.log(4.0)
        with np.errstate(divide="ignore"):
            under = np.exp(np.minimum(log_odds - losses + np.log(-np.expm1(-losses)), 700.0))
        at = 1.5 + nu**2 * (losses + np.log1p(np.sqrt(1.0 + under)) - math.log(2.0))
        still, blank, there = (_between((at - centre) / nu) for centre in (0.0, 1.0, 2.0))
        upper, lower = (1.0 - q) * still + q * there, (1.0 - q) * still + q * blank
        beyond = (1.0 - q) * special.ndtr(-at[-1] / nu)
        if self.adding:
            beyond += q * special.ndtr((1.0 - at[-1]) / nu)
            return lower[::-1], upper[::-1], float(beyond), 0.0
        return upper, lower, 0.0, float(beyond + q * special.ndtr((2.0 - at[-1]) / nu))


@dataclass(frozen=True)
class FixedGaussian:
    """One Gaussian step on a batch of fixed size without replacement (module docstring).

    The pair combines two curves: R for x ≥ 1 and, for x < 1, 1 - x + xR′(1/x) from the other
    order's curve R′. Its outcomes are those (+, z) at which the pair of R has a loss above 0, those
    (-, z) at which the pair of R′, exchanged, has one below 0, and one more, which has the
    remaining mass of both. For x ≥ 1 only the first kind counts, and H_x(P‖Q) = ∫(p - xr)₊ = R(x).
    """

    right: Pair  # for losses above 0
    left: Pair  # for losses below 0
    same: float  # the mass of the uninformative outcome

    @classmethod
    def replaced(cls, multiplier: float, rate: float) -> FixedGaussian:
        """Under replace-one, where either order has the same curve; `multiplier` is σ/2C."""
        forth = PoissonGaussian(multiplier, rate)
        same = (1.0 - rate) * math.erf(math.sqrt(0.125) / multiplier)
        return cls(forth, PoissonGaussian(multiplier, rate, adding=True), same)

    @classmethod
    def blanked(cls, multiplier: float, rate: float, *, adding: bool) -> FixedGaussian:
        """Under zero-out; `multiplier` is σ/C, and `adding` puts the blanked record first.

        The record is at most 2C from another one that takes its place, but C from its blank, which
        is C from the other at most. So a = μ₁(A) gives μ₀(A) ≥ f₂(a) and μ₁′(A) ≥ f₁(a) where the
        record comes first, f₁(a) both times where its blank does; and P(A) - xQ(A) is at most
        qa - (x-1)(1-q)f₂(a) - xqf₁(a), or qa - (x-1+q)f₁(a). Both are the same at x = 1.
        """
        sides: tuple[Pair, Pair] = (
            _AgainstBlank(multiplier, rate),
            PoissonGaussian(multiplier, rate, adding=True),
        )
        if adding:
            sides = PoissonGaussian(multiplier, rate), _AgainstBlank(multiplier, rate, adding=True)
        edge = math.sqrt(0.125) / multiplier
        return cls(*sides, (1.0 - rate) * 0.5 * (math.erf(edge) + math.erf(3.0 * edge)))

    def spread(self) -> float:
        return self.right.spread()

    def reach(self, log_tail: float) -> tuple[float, float]:
        low, high = self.left.reach(log_tail)[0], self.right.reach(log_tail)[1]
        return min(low, 0.0), max(high, 0.0)

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        """(P-mass, Q-mass) of the loss in (grid_i, grid_{i+1}], P-mass below and above.

        The grid must hold 0 as an inner point.
        """
        zero = int(np.searchsorted(grid, 0.0))
        if grid[zero] != 0.0 or not 0 < zero < len(grid) - 1:
            raise ValueError("0 must be an inner point of the grid")
        upper_left, lower_left, below, _ = self.left.masses(grid[: zero + 1])
        upper_right, lower_right, _, above = self.right.masses(grid[zero:])
        upper = np.concatenate((upper_left, upper_right))
        lower = np.concatenate((lower_left, lower_right))
        upper[zero - 1] += self.same
        lower[zero - 1] += self.same
        return upper, lower, below, above


@dataclass(frozen=True)
class LaplacePair:
    """One Laplace mechanism: P = Lap(0, b), Q = Lap(Δ, b); the loss has atoms at ±Δ/b.

    A vector within Δ in L1 norm is no easier to tell: moving one coordinate after the other
    composes trade-off functions, and those of the Laplace location family compose to the one of the
    full shift, as each is attained by a threshold.
    """

    scale: float  # b/Δ

    def spread(self) -> float:
        return min(1.0 / self.scale, 2.0)

    def _top(self) -> float:
        # Rounded up: an atom just below its position would move to the grid point under it.
        return 1.0 / self.scale * (1.0 + 4e-16)

    def reach(self, log_tail: float) -> tuple[float, float]:
        """The loss lies in [-Δ/b, Δ/b], whatever the tail."""
        return -self._top(), self._top()

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        """(P-mass, Q-mass) of the loss in (grid_i, grid_{i+1}], P-mass below and above."""
        top = self._top()
        inside = np.clip(grid, -top, top)
        left, width = inside[:-1], np.diff(inside)
        # Within (-top, top) the densities are e^{(t-top)/2}/4 and e^{-(top+t)/2}/4.
        upper = 0.5 * np.exp((left - top) / 2.0) * np.expm1(width / 2.0)
        lower = -0.5 * np.exp(-(top + left) / 2.0) * np.expm1(-width / 2.0)
        atom = 0.5 * math.exp(-top)
        at_top = (grid[:-1] < top) & (grid[1:] >= top)
        at_bottom = (grid[:-1] < -top) & (grid[1:] >= -top)
        upper += 0.5 * at_top + atom * at_bottom
        lower += atom * at_top + 0.5 * at_bottom
        return upper, lower, 0.0, 0.0


@dataclass(frozen=True)
class ResponsePair:
    """Randomised response, which dominates everything (ε, 0)-private (Kairouz et al. 2015).

    Under P the loss is ε with probability e^ε/(1 + e^ε), else -ε. An (ε, 0)-private release is a
    post-processing of this pair (their Theorem 3.1 at δ = 0).
    """

    epsilon: float

    def spread(self) -> float:
        return min(self.epsilon, 2.0)

    def _top(self) -> float:
        # Rounded up, as of `LaplacePair`.
        return self.epsilon * (1.0 + 4e-16)

    def reach(self, log_tail: float) -> tuple[float, float]:
        """The loss is ε or -ε, whatever the tail."""
        return -self._top(), self._top()

    def masses(self, grid: Array) -> tuple[Array, Array, float, float]:
        top = self._top()
        likely, seldom = special.expit(top), special.expit(-top)
        at_top = (grid[:-1] < top) & (grid[1:] >= top)
        at_bottom = (grid[:-1] < -top) & (grid[1:] >= -top)
        return likely * at_top + seldom * at_bottom, seldom * at_top + likely * at_bottom, 0.0, 0.0


def _deviation(plain: Array, shifted: Array, share: float) -> float:
    mean = (1.0 - share) * (_WEIGHTS @ plain) + share * (_WEIGHTS @ shifted)
    square = (1.0 - share) * (_WEIGHTS @ (plain - mean) ** 2)
    return math.sqrt(square + share * (_WEIGHTS @ (shifted - mean) ** 2))


def _between(edges: Array) -> Array:
    """Standard normal mass between ascending edges, without cancellation in either tail."""
    tails = special.ndtr(-np.abs(edges))
    result = np.abs(np.diff(tails))
    middle = int(np.searchsorted(edges, 0.0))
    if 0 < middle < len(edges):
        # The interval that holds 0 has its mass from the left tail, which is as precise there.
        result[middle - 1] = special.ndtr(edges[middle]) - tails[middle - 1]
    return np.asarray(result)
