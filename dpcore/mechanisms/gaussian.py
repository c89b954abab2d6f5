"""The Gaussian noise that an (ε, δ) needs, and the (ε, δ) that a given noise provides.

For a query of L2 sensitivity Δ answered with noise N(0, σ² I): the classical calibration (Dwork and
Roth 2014, Theorem A.1), which is proved for ε < 1 only, and the analytic one (Balle and Wang 2018,
Theorem 8), which is exact. Paper 000 uses both, the second through the α of its Algorithm 1.

Only the sensitivity depends on the adjacency: pass the Δ for the adjacency in use.

Every function takes numbers or arrays, which broadcast against each other. It returns a float when
all are numbers, otherwise a float64 array of the broadcast shape. Rounding is always to the safe
side: more noise, larger ε, larger δ.

The privacy profile in floating point, and its inverses. With μ = Δ/σ the mechanism is (ε,
δ)-private exactly for δ ≥ δ(ε; μ), where (Balle and Wang 2018, Theorem 8)

    δ(ε; μ) = Φ(-a) - e^ε Φ(-b),      a = ε/μ - μ/2,      b = ε/μ + μ/2 = a + μ.

Evaluated directly it loses every digit when ε and δ are small, and overflows when ε is large. Here
it is rewritten with the Mills ratio R(x) = Φ(-x)/φ(x). Since e^ε φ(b) = φ(a),

    δ = φ(a) (R(a) - R(b)) = φ(a) μ g,      g = (R(a) - R(b)) / μ,

in which nothing overflows. g is the mean over [a, b] of -R'(x) = 1 - x R(x), a positive, convex and
decreasing function; for small μ it comes from its Taylor series about the middle of [a, b].

Inversion is cheap because all derivatives come with the value. With s = 1/g,

    ∂ log δ / ∂ log μ = s,            ∂ log s / ∂ log μ = 1 + a b - s,
    ∂ log δ / ∂ a     = -R(b)/g       (at fixed μ, where ε = μ (a + μ/2)).

g grows with μ, because the middle of [a, b] falls, its width grows and -R' is convex; and
log R(a) - log R(b) shrinks as a grows, because R is log-convex. So log δ is concave both in log μ
and in a: a Newton step lands on the safe side of the root (less μ, more ε) wherever it starts.

Rounding. Write u for 2^-53. g carries an absolute error of a few u, or of a few u R(a)/μ where it
is a difference; a carries a few u (a + μ). A relative error e in δ moves log μ by e g only, and
g ≤ min(1/a², R(a)/μ), so that the errors of a, of φ(a) and of logarithms each leave a few u in μ,
whatever ε and δ; the difference for g leaves a few u R(a)/μ, and R(a)/μ ≤ 26. The sum is some 300 u
= 3e-14, which is also the largest error that comparison with mpmath has shown. `MARGIN` is 30 times
that.

For δ above 1/2 the same is done with 1 - δ = Φ(a) + e^ε Φ(-b) = φ(a) (R(-a) + R(b)), a sum without
cancellation, whose logarithm is concave in μ and in a while a ≤ 0, as it is there.

Arrays within are one-dimensional, float64, of one length, and already checked.
"""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dpcore.errors import number
from dpcore.guarantee import Condition
from dpcore.mechanisms._arrays import Array, apply, checked
from dpcore.words import as_set

MARGIN = 1e-12
"""Relative distance by which μ is returned below the computed root, and σ above it."""

UNIT = 2.0**-52
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)

# Below this μ the Taylor series of g is exact to double precision: its first neglected term is at
# most (μ/2)^8 384/9! ≤ 2e-16. Above it the difference R(a) - R(b) keeps enough digits.
SERIES_BELOW = 0.05


def mills_ratio(x: Array) -> Array:
    """R(x) = Φ(-x)/φ(x), for x > -37."""
    result: Array = math.sqrt(math.pi / 2.0) * scipy.special.erfcx(x * math.sqrt(0.5))
    return result


def _g_series(middle: Array, mu: Array) -> Array:
    """Taylor's series of g, from R⁽ⁿ⁺¹⁾ = x R⁽ⁿ⁾ + n R⁽ⁿ⁻¹⁾ at the middle of [a, b]."""
    zeroth = mills_ratio(middle)
    first = middle * zeroth - 1.0
    second = middle * first + zeroth
    third = middle * second + 2.0 * first
    fourth = middle * third + 3.0 * second
    fifth = middle * fourth + 4.0 * third
    sixth = middle * fifth + 5.0 * fourth
    seventh = middle * sixth + 6.0 * fifth
    square = 0.25 * mu * mu
    result: Array = -(
        first + square / 6.0 * (third + square / 20.0 * (fifth + square / 42.0 * seventh))
    )
    # At middles of 1e7 the sum is rounding only. φ(a) is then below every double, but log needs a
    # positive g.
    return np.maximum(result, 1e-20)


def _g_difference(a: Array, mu: Array) -> Array:
    return (mills_ratio(a) - mills_ratio(a + mu)) / mu


def _g(a: Array, mu: Array) -> Array:
    """Mean decay g = (R(a) - R(a + μ)) / μ for a > -37."""
    small = mu < SERIES_BELOW
    count = np.count_nonzero(small)
    if count == small.size:
        return _g_series(a + 0.5 * mu, mu)
    if count == 0:
        return _g_difference(a, mu)
    result = np.empty_like(a)
    result[small] = _g_series((a + 0.5 * mu)[small], mu[small])
    large = ~small
    result[large] = _g_difference(a[large], mu[large])
    return result


def _g_scale(a: Array, mu: Array) -> Array:
    """Size of the terms subtracted in `_g`; its absolute error is a few u times this."""
    # R(x) ≤ 4/(1 + max(x, 0)) for x ≥ -1.
    terms = 4.0 / (1.0 + np.maximum(a, 0.0)) / np.maximum(mu, SERIES_BELOW)
    return np.where(mu < SERIES_BELOW, 2.0, terms)


def delta_upper(a: Array, mu: Array) -> Array:
    """δ at ε = μ (a + μ/2), rounded up, at most 1; the caller handles the error of `a`."""
    # Moving a down only raises δ; beyond 40, φ is below the smallest double.
    a = np.minimum(a, 40.0)
    result = np.ones_like(a)
    inner = a > -1.0
    x, m = a[inner], mu[inner]
    g = _g(x, m)
    error = UNIT * (8.0 + x * x + 8.0 * _g_scale(x, m) / g)
    result[inner] = np.exp(-0.5 * x * x) * (m * g / ROOT_TWO_PI) * (1.0 + error)
    outer = ~inner
    x, m = a[outer], mu[outer]
    result[outer] = scipy.special.ndtr(-x) - np.exp(-0.5 * x * x) / ROOT_TWO_PI * mills_ratio(x + m)
    result[outer] *= 1.0 + 8.0 * UNIT
    return np.minimum(np.nextafter(result, np.inf), 1.0)


def mu_from_budget(epsilon: Array, delta: Array) -> Array:
    """The largest μ that is (ε, δ)-private, rounded down (relative distance `MARGIN`); ε > 0."""
    # δ ≤ Φ(-a), and δ(ε; μ) ≤ δ(0; μ) ≤ μ/√(2π), so both starts lie on the safe side for δ ≤ 1/2.
    epsilon = np.minimum(epsilon, 1e300)
    quantile = -scipy.special.ndtri(np.minimum(delta, 0.5))
    twice = 2.0 * epsilon
    start = np.maximum(
        twice / (quantile + np.sqrt(quantile * quantile + twice)), delta * ROOT_TWO_PI
    )
    # δ = 0 starts at 0 and needs no step; nor can one be made where ε swamps every digit of a.
    with np.errstate(all="ignore"):
        mu = _climb(epsilon, delta, start)
    large = delta > 0.5
    if large.any():
        mu[large] = _mu_above_half(epsilon[large], 1.0 - delta[large])
    # Among the subnormal numbers μ has too few digits to be rounded within the margin.
    return np.where(mu < 1e-305, 0.0, mu * (1.0 - MARGIN))


def _climb(epsilon: Array, delta: Array, start: Array) -> Array:
    """Root of log(φ(a) μ g) = log δ in log μ by Householder's method of order four.

    Three steps suffice for ε from 1e-12 to 1e3 and δ from 1e-300 to 1/2. Elements that have not
    converged at the end fall back to `start`.
    """
    mu = start
    for _ in range(12):
        middle = epsilon / mu
        half = 0.5 * mu
        a = middle - half
        g = _g(a, mu)
        slope = 1.0 / g
        newton = (0.5 * a * a - np.log(g * (mu / delta / ROOT_TWO_PI))) * g
        product = (middle - half) * (middle + half)
        # Second and third derivatives over the first.
        second = 1.0 + product - slope
        third = second * (second - slope) - 2.0 * (middle * middle + half * half)
        step = (
            newton
            * (1.0 + 0.5 * newton * second)
            / (1.0 + newton * (second + newton * third / 6.0))
        )
        # By concavity the root never lies below the Newton step.
        step = np.maximum(step, newton)
        mu = mu * np.exp(step)
        # The error left is below the fourth power of the last step. (False for nan, which stays.)
        moving = np.abs(step) > 1e-4
        if not moving.any():
            break
    return np.where(np.isfinite(mu) & ~moving, mu, start)


def _mu_above_half(epsilon: Array, complement: Array) -> Array:
    """Root in μ for 1/2 < δ < 1 by Newton's method on log(1 - δ), concave as a ≤ 0."""
    quantile = -scipy.special.ndtri(complement)
    mu = quantile + np.sqrt(quantile * quantile + 2.0 * epsilon)
    for _ in range(50):
        a = np.minimum(epsilon / mu - 0.5 * mu, 0.0)
        ratios = mills_ratio(-a) + mills_ratio(a + mu)
        step = (np.log(ratios / (ROOT_TWO_PI * complement)) - 0.5 * a * a) * ratios
        mu = mu + step
        if np.all(np.abs(step) <= 1e-9 * mu):
            break
    return mu


def epsilon_from_mu(mu: Array, delta: Array) -> Array:
    """The smallest ε with δ(ε; μ) ≤ δ, rounded up; for 0 < δ < δ(0; μ)."""
    a = np.empty_like(mu)
    small = delta <= 0.5
    a[small] = _a_below_half(mu[small], delta[small])
    a[~small] = _a_above_half(mu[~small], 1.0 - delta[~small])
    return np.nextafter(mu * np.maximum(a + 0.5 * mu, 0.0) * (1.0 + 4.0 * UNIT), np.inf)


def _a_below_half(mu: Array, delta: Array) -> Array:
    """Root in a of log δ, by Halley's method, from δ ≤ Φ(-a); rounded up."""
    lowest = -0.5 * mu
    start = np.maximum(-scipy.special.ndtri(delta), lowest)
    a = start
    # μ/δ overflows for some δ below 1e-306; the safe start stands there.
    with np.errstate(all="ignore"):
        ratio = mu / delta / ROOT_TWO_PI
        for _ in range(60):
            g = _g(a, mu)
            beyond = mills_ratio(a + mu)
            slope = beyond / g
            newton = (np.log(g * ratio) - 0.5 * a * a) / slope
            second = mu - 1.0 / beyond + slope
            halley = newton / (1.0 + 0.5 * newton * second)
            # By concavity the root never lies above the Newton step.
            step = np.maximum(np.minimum(halley, newton), lowest - a)
            a = a + step
            moving = np.abs(step) > 1e-10 * (1.0 + np.abs(a))
            if not moving.any():
                break
        a = a + UNIT * (8.0 + a * a + 8.0 * _g_scale(a, mu) / g) / slope
    a = np.where(np.isfinite(a) & ~moving, a, start)
    return a + 2.0 * UNIT * (np.abs(a) + mu)


def _a_above_half(mu: Array, complement: Array) -> Array:
    """Root in a ≤ 0 of log(1 - δ), by Newton's method; rounded up."""
    lowest = -0.5 * mu
    a = np.maximum(scipy.special.ndtri(complement), lowest)
    for _ in range(60):
        beyond = mills_ratio(a + mu)
        ratios = mills_ratio(-a) + beyond
        slope = mu * beyond / ratios
        step = (0.5 * a * a - np.log(ratios / (ROOT_TWO_PI * complement))) / slope
        step = np.clip(step, lowest - a, -a)
        a = a + step
        if np.all(np.abs(step) <= 1e-10 * (1.0 + np.abs(a))):
            break
    error = UNIT * (8.0 + a * a) / slope
    return a + error + 2.0 * UNIT * (np.abs(a) + mu)


def _epsilon(value: ArrayLike) -> Array:
    return checked("epsilon", value, above=0.0)


def _delta(value: ArrayLike) -> Array:
    return checked("delta", value, at_least=0.0, below=1.0)


def _sigma(value: ArrayLike) -> Array:
    return checked("sigma", value, above=0.0, infinite=True)


def _sensitivity(value: ArrayLike) -> Array:
    return checked("sensitivity", value, above=0.0)


def _mu_upper(sigma: Array, sensitivity: Array) -> Array:
    """Δ/σ, rounded up, and capped where its square would overflow."""
    with np.errstate(over="ignore"):
        return np.minimum(np.nextafter(sensitivity / sigma, np.inf), 1e150)


@overload
def classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float: ...
@overload
def classical_sigma(epsilon: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any: ...
def classical_sigma(epsilon: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any:
    """σ = Δ √(2 ln(1.25/δ)) / ε, the formula as printed.

    It is evaluated for every ε, for study; it is proved only where `classical_condition` is met,
    and is too little noise for large ε.

    Parameters
    ----------
    epsilon : float or array
        Above 0.
    delta : float or array
        In [0, 1); at 0 the answer is infinite.
    sensitivity : float or array
        L2 sensitivity Δ of the query, in its units, above 0; carries the adjacency.

    Returns
    -------
    float or array
        Standard deviation of the noise in each coordinate, in the query's units.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Dwork and Roth 2014, Theorem A.1; paper 000, Theorem 1 (whose print has Δ under the root).
    """

    def formula(epsilon: Array, delta: Array, sensitivity: Array) -> Array:
        with np.errstate(divide="ignore", over="ignore"):
            result: Array = sensitivity * np.sqrt(2.0 * (math.log(1.25) - np.log(delta))) / epsilon
        return result

    return apply(formula, _epsilon(epsilon), _delta(delta), _sensitivity(sensitivity))


def classical_condition(epsilon: float, of: str = "") -> Condition:
    """The hypothesis ε < 1 of the classical Gaussian theorem, checked.

    Parameters
    ----------
    epsilon : float
        Above 0.
    of : str
        Owner of the ε, where it is not the requested one.

    Returns
    -------
    Condition
        Unmet at ε = 1 and above, with a sentence for the user.

    Raises
    ------
    InvalidInput
        If `epsilon` is not a finite number above 0.

    References
    ----------
    Dwork and Roth 2014, Theorem A.1.
    """
    epsilon = number("epsilon", epsilon, above=0.0)
    met, whose = epsilon < 1.0, f" of {of}" if of else ""
    return Condition(
        text=f"ε{whose} < 1 (ε = {as_set(epsilon)})",
        met=met,
        consequence=""
        if met
        else "The classical Gaussian theorem is proved for ε below 1 only, so its σ proves nothing "
        f"at ε{whose} = {as_set(epsilon)}.",
    )


@overload
def analytic_mu(epsilon: float, delta: float) -> float: ...
@overload
def analytic_mu(epsilon: ArrayLike, delta: ArrayLike) -> Any: ...
def analytic_mu(epsilon: ArrayLike, delta: ArrayLike) -> Any:
    """The largest μ = Δ/σ, the Gaussian-DP level, that is (ε, δ)-private; rounded down.

    Parameters
    ----------
    epsilon : float or array
        Above 0.
    delta : float or array
        In [0, 1); at 0 the answer is 0.

    Returns
    -------
    float or array
        μ, at most 2e-12 (relative) below the exact value for ε from 1e-12 to 1e3 and δ from 1e-300
        to 1/2; never above it, inside that range or outside.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Balle and Wang 2018, Theorem 8; Dong, Roth and Su 2022, Corollary 1.
    """
    return apply(mu_from_budget, _epsilon(epsilon), _delta(delta))


@overload
def analytic_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float: ...
@overload
def analytic_sigma(epsilon: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any: ...
def analytic_sigma(epsilon: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any:
    """The smallest σ that is (ε, δ)-private; rounded up.

    Parameters
    ----------
    epsilon : float or array
        Above 0.
    delta : float or array
        In [0, 1); at 0 the answer is infinite.
    sensitivity : float or array
        L2 sensitivity Δ of the query, in its units, above 0; carries the adjacency.

    Returns
    -------
    float or array
        Standard deviation of the noise in each coordinate, in the query's units; rounded as
        `analytic_mu`.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Balle and Wang 2018, Theorem 8; paper 000, Theorem 2.
    """

    def formula(epsilon: Array, delta: Array, sensitivity: Array) -> Array:
        mu = mu_from_budget(epsilon, delta)
        with np.errstate(divide="ignore", over="ignore"):
            # The margin of μ covers the division, unless it ends among the subnormal numbers.
            return np.nextafter(sensitivity / mu, np.inf)

    return apply(formula, _epsilon(epsilon), _delta(delta), _sensitivity(sensitivity))


@overload
def analytic_delta(epsilon: float, sigma: float, sensitivity: float = 1.0) -> float: ...
@overload
def analytic_delta(epsilon: ArrayLike, sigma: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any: ...
def analytic_delta(epsilon: ArrayLike, sigma: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any:
    """The smallest δ at which noise σ is (ε, δ)-private; rounded up.

    Parameters
    ----------
    epsilon : float or array
        At least 0; at 0 the answer is the total-variation distance, an attacker's advantage.
    sigma : float or array
        Standard deviation of the noise in each coordinate, in the query's units, above 0; may be
        infinite.
    sensitivity : float or array
        L2 sensitivity Δ of the query, in the same units, above 0; carries the adjacency.

    Returns
    -------
    float or array
        δ in [0, 1], never below the exact value; 0 only for infinite σ.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Balle and Wang 2018, Theorem 8; paper 000, Theorem 2.
    """

    def formula(epsilon: Array, sigma: Array, sensitivity: Array) -> Array:
        mu = _mu_upper(sigma, sensitivity)
        # δ falls with a, which is moved down by more than its rounding error.
        with np.errstate(over="ignore"):
            a = epsilon / mu * (1.0 - 4.0 * UNIT) - 0.5 * mu * (1.0 + 4.0 * UNIT)
        return np.where(np.isinf(sigma), 0.0, delta_upper(a, mu))

    # Unlike a budget's, this ε may be 0.
    epsilon = checked("epsilon", epsilon, at_least=0.0)
    return apply(formula, epsilon, _sigma(sigma), _sensitivity(sensitivity))


@overload
def analytic_epsilon(sigma: float, delta: float, sensitivity: float = 1.0) -> float: ...
@overload
def analytic_epsilon(sigma: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any: ...
def analytic_epsilon(sigma: ArrayLike, delta: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any:
    """The smallest ε at which noise σ is (ε, δ)-private; rounded up.

    Parameters
    ----------
    sigma : float or array
        Standard deviation of the noise in each coordinate, in the query's units, above 0; may be
        infinite.
    delta : float or array
        In [0, 1).
    sensitivity : float or array
        L2 sensitivity Δ of the query, in the same units, above 0; carries the adjacency.

    Returns
    -------
    float or array
        ε, never below the exact value: 0 where δ alone covers the noise (δ ≥ δ(0; σ)), infinite
        where δ = 0 and σ is finite.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Balle and Wang 2018, Theorem 8; paper 000, Theorem 2.
    """

    def formula(sigma: Array, delta: Array, sensitivity: Array) -> Array:
        mu = _mu_upper(sigma, sensitivity)
        result = np.where((delta == 0.0) | (mu >= 1e150), np.inf, 0.0)
        result[np.isinf(sigma)] = 0.0
        needed = (delta > 0.0) & (mu < 1e150)
        needed &= delta_upper(-0.5 * mu, mu) > delta
        result[needed] = epsilon_from_mu(mu[needed], delta[needed])
        return result

    return apply(formula, _sigma(sigma), _delta(delta), _sensitivity(sensitivity))
