"""The Gaussian noise that an (ε, δ) needs, and the (ε, δ) that a given noise provides.

For a query of L2 sensitivity Δ answered with noise N(0, σ² I): the classical calibration (Dwork and
Roth 2014, Theorem A.1), which is proved for ε < 1 only, and the analytic one (Balle and Wang 2018,
Theorem 8), which is exact. Paper 000 uses both, the second through the α of its Algorithm 1.

Only the sensitivity depends on the adjacency: pass the Δ for the adjacency in use.

Every function takes numbers or arrays, which broadcast against each other. It returns a float when
all are numbers, otherwise a float64 array of the broadcast shape. Rounding is always to the safe
side: more noise, larger ε, larger δ (see `dpcore.mechanisms.profile` for the argument).
"""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from dpcore.errors import number
from dpcore.guarantee import Condition
from dpcore.mechanisms import profile
from dpcore.mechanisms._arrays import Array, apply, checked
from dpcore.words import as_set


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
    return apply(profile.mu_from_budget, _epsilon(epsilon), _delta(delta))


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
        mu = profile.mu_from_budget(epsilon, delta)
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
            a = epsilon / mu * (1.0 - 4.0 * profile.UNIT) - 0.5 * mu * (1.0 + 4.0 * profile.UNIT)
        return np.where(np.isinf(sigma), 0.0, profile.delta_upper(a, mu))

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
        needed &= profile.delta_upper(-0.5 * mu, mu) > delta
        result[needed] = profile.epsilon_from_mu(mu[needed], delta[needed])
        return result

    return apply(formula, _sigma(sigma), _delta(delta), _sensitivity(sensitivity))
