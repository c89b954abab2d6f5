"""Rényi accounting of sampled Gaussian steps, vectorised over steps and orders.

Poisson sampling under zero-out and add/remove: exact at every order (Mironov, Talwar, Zhang 2019),
by the finite binomial sum at whole orders and by quadrature in between. A fixed-size batch without
replacement under replace-one: the upper bound of Wang, Balle, Kasiviswanathan 2019 (Theorem 27).
Unsampled: α/(2ν²).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.accounting.events import Accountant, Step, change
from dpcore.guarantee import Adjacency

Array = NDArray[np.float64]

WHOLE_ORDERS = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64])
"""Whole orders tried first; the search continues from the best of them."""

LARGEST_ORDER = 2**16
MAX_TERMS = 20_000_000  # limit on steps times order in the search for large orders
LARGEST_BETWEEN = 16.0  # beyond, whole orders lie close enough together
MIN_ORDER = 1.0 + 1e-6
MAX_NODES = 4_000_000
QUADRATURE_REACH = 9.0  # standard deviations beyond the peaks
QUADRATURE_SLACK = 1e-12
"""Added to ln A_α: exceeds the error of the quadrature (`poisson_between`), always upward."""

ROUNDING = 1e-11
"""Relative: exceeds the error of the logarithms of binomials, up to 1e6."""


def gaussian(multipliers: Array, orders: Array) -> Array:
    """α/(2ν²) for each noise multiplier ν and order α; shape (steps, orders)."""
    return orders[None, :] / (2.0 * multipliers[:, None] ** 2)


def pure(epsilon: float, orders: Array) -> Array:
    """RDP of anything (ε, 0)-private, rounded up; shape (orders,).

    Whatever is (ε, 0)-private is randomised response with ln(p/(1-p)) = ε, worked on further
    (Kairouz, Oh, Viswanath 2015, Theorem 3.1 at δ = 0), so that its divergence at every order is at
    most that of randomised response, which attains it:
    (α-1) RDP = ln(p^α (1-p)^{1-α} + (1-p)^α p^{1-α}) = ln((e^{αε} + e^{(1-α)ε})/(1 + e^ε))
    = ln(1 + (e^{αε} - 1)(1 - e^{-(α-1)ε})/(1 + e^ε)), where nothing cancels.

    Parameters
    ----------
    epsilon : float
        Above 0.
    orders : (orders,) array
        Above 1.
    """
    gap = orders - 1.0
    excess = (
        orders * epsilon
        + np.log(-np.expm1(-orders * epsilon))
        + np.log(-np.expm1(-gap * epsilon))
        - np.logaddexp(0.0, epsilon)
    )
    return np.asarray(np.logaddexp(0.0, excess) / gap * (1.0 + ROUNDING))


def poisson_whole(multipliers: Array, rate: float, orders: Array) -> Array:
    """RDP of Poisson-sampled Gaussians at whole orders, rounded up; shape (steps, orders).

    A_α - 1 = Σ_{k≥2} C(α,k) (1-q)^{α-k} q^k (e^{k(k-1)/(2ν²)} - 1), RDP = ln A_α/(α-1): the
    binomial weights sum to 1, so that taking the 1 out leaves positive terms only and no
    cancellation. The multipliers are ν_t = σ_t/C, under zero-out or add/remove.
    """
    if rate == 1.0:
        return gaussian(multipliers, orders.astype(float))
    result = np.empty((len(multipliers), len(orders)))
    inverse = 1.0 / (2.0 * multipliers[:, None] ** 2)
    for column, order in enumerate(orders.astype(int)):
        k = np.arange(2, order + 1)
        weights = _log_binomial(order, k) + k * math.log(rate) + (order - k) * math.log1p(-rate)
        result[:, column] = _log_one_plus(weights, inverse * (k * (k - 1.0))) / (order - 1.0)
    return result * (1.0 + ROUNDING)


def _log_one_plus(weights: Array, exponents: Array) -> Array:
    """ln(1 + Σ_k e^{w_k}(e^{y_k} - 1)) for each row of exponents y."""
    # e^y - 1 = e^y (1 - e^{-y}), in logarithms: y may be anything from 1e-18 to 1e9.
    with np.errstate(divide="ignore"):
        terms = weights + exponents + np.log(-np.expm1(-exponents))
    peak = np.maximum(terms.max(axis=1), -700.0)
    total = peak + np.log(np.exp(terms - peak[:, None]).sum(axis=1))
    return np.asarray(
        np.where(
            total > 30.0,
            total + np.exp(-np.maximum(total, 30.0)),
            np.log1p(np.exp(np.minimum(total, 30.0))),
        )
    )


def poisson_between(multipliers: Array, rate: float, orders: Array) -> Array:
    """RDP of Poisson-sampled Gaussians at any orders above 1, rounded up; shape (steps, orders).

    A_α = E_{z ~ N(0,ν²)} [(1 - q + q e^{(2z-1)/(2ν²)})^α] by the trapezoid rule.

    Notes
    -----
    The integrand f is analytic for |Im z| < πν², where 1 - q + q e^{z/ν²} has its zeros, and there
    ∫|f(x+id)|dx ≤ e^{d²/(2ν²)} A_α. The error of the rule with spacing s is hence at most
    2 e^{d²/(2ν²)} A_α/(e^{2πd/s} - 1) for each d below πν² (Trefethen and Weideman 2014, Theorem
    5.1); `_spacing` makes this 1e-16 A_α. The part beyond 9 standard deviations is at most 2^α
    Φ(-9) A_α, as (a+b)^α ≤ 2^{α-1}(a^α + b^α). Both stay below `QUADRATURE_SLACK` for α up to 23;
    the rounding of the exponents is added for each step. Where little noise would need too many
    points, ln A_α is bounded by its chord between whole orders: it is convex in α.
    """
    if rate == 1.0:
        return gaussian(multipliers, orders)
    result = np.empty((len(multipliers), len(orders)))
    spacing = _spacing(multipliers)
    for column, order in enumerate(orders.tolist()):
        low = -QUADRATURE_REACH * multipliers
        width = order + 2.0 * QUADRATURE_REACH * multipliers
        count = int(np.ceil((width / spacing).max())) + 1
        if count * len(multipliers) > MAX_NODES:
            result[:, column] = _chords(poisson_whole, multipliers, rate, order)
            continue
        z = low[:, None] + width[:, None] * np.linspace(0.0, 1.0, count)[None, :]
        variance = multipliers[:, None] ** 2
        exponent = (z - 0.5) / variance
        ratio = np.maximum(exponent + math.log(rate), math.log1p(-rate))
        ratio += np.log1p(np.exp(-np.abs(exponent + math.log(rate) - math.log1p(-rate))))
        log_terms = order * ratio - 0.5 * z * z / variance
        peak = log_terms.max(axis=1)
        area = np.exp(log_terms - peak[:, None]).sum(axis=1) * width / (count - 1)
        total = peak + np.log(area / (math.sqrt(2.0 * math.pi) * multipliers))
        largest = order * np.abs(exponent[:, -1]) + 0.5 * (width / multipliers) ** 2
        slack = QUADRATURE_SLACK + 1e-15 * largest
        result[:, column] = (np.maximum(total, 0.0) + slack) / (order - 1.0)
    return result


def _spacing(multipliers: Array) -> Array:
    """The largest s with d²/(2ν²) - 2πd/s ≤ -38 for d = min(2πν²/s, πν²): e^{-38} = 3e-17."""
    wide = multipliers * (math.pi * math.sqrt(2.0 / 38.0))
    narrow = (2.0 * math.pi**2 * multipliers**2) / (38.0 + 0.5 * math.pi**2 * multipliers**2)
    return np.where(wide >= 2.0, wide, narrow)


def _chords(
    whole: Callable[[Array, float, Array], Array], multipliers: Array, rate: float, order: float
) -> Array:
    """RDP at an order between whole ones, bounded by the chord of ln A_α, which is convex in α."""
    low = math.floor(order)
    ends = whole(multipliers, rate, np.array([max(low, 2), low + 1]))
    left = ends[:, 0] * (low - 1.0)  # ln A_1 = 0
    share = order - low
    return np.asarray(((1.0 - share) * left + share * ends[:, 1] * low) / (order - 1.0))


def fixed_between(multipliers: Array, rate: float, orders: Array) -> Array:
    """The bound of `fixed_size` at any orders above 1: the chord between whole ones.

    Of the same shapes, (steps,) and (orders,) to (steps, orders).
    """
    if rate == 1.0:
        return gaussian(multipliers, orders)
    columns = [_chords(fixed_size, multipliers, rate, order) for order in orders.tolist()]
    return np.stack(columns, axis=1)


def fixed_size(multipliers: Array, rate: float, orders: Array) -> Array:
    """RDP bound for batches drawn without replacement under replace-one; shape (steps, orders).

    Wang, Balle, Kasiviswanathan 2019, Theorem 27: A_α ≤ 1 + C(α,2) q² min(4(e^{ε(2)}-1), 2e^{ε(2)})
    + Σ_{j≥3} C(α,j) q^j 2e^{(j-1)ε(j)}, with the Gaussian's ε(j) = j/(2ν²), so that (j-1)ε(j) =
    j(j-1)/(2ν²). A multiplier is σ over the change of the batch sum when a record is exchanged,
    σ/(2C); orders are whole.
    """
    if rate == 1.0:
        return gaussian(multipliers, orders.astype(float))
    result = np.empty((len(multipliers), len(orders)))
    inverse = 1.0 / (2.0 * multipliers**2)
    second = 2.0 * inverse
    log_second = np.minimum(
        math.log(4.0) + second + np.log(-np.expm1(-second)), math.log(2.0) + second
    )
    for column, order in enumerate(orders.astype(int)):
        j = np.arange(2, order + 1)
        weights = _log_binomial(order, j) + j * math.log(rate)
        terms = weights + math.log(2.0) + inverse[:, None] * (j * (j - 1.0))
        terms[:, 0] = weights[0] + log_second
        peak = terms.max(axis=1)
        total = peak + np.log(np.exp(terms - peak[:, None]).sum(axis=1))
        result[:, column] = np.logaddexp(0.0, total) / (order - 1.0)
    return result * (1.0 + ROUNDING) + 1e-15


def epsilon_from(orders: Array, rdp: Array, delta: float) -> tuple[float, float]:
    """(ε, best order) at δ by the conversion of Canonne, Kamath, Steinke 2020 (Proposition 12).

    ε = RDP_α + ln((α-1)/α) - (ln δ + ln α)/(α-1), at least 0, least over the orders. `rdp` is the
    total of all steps at each order.
    """
    orders = np.asarray(orders, dtype=float)
    values = rdp + np.log1p(-1.0 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1.0)
    best = int(np.nanargmin(values))
    return max(0.0, float(values[best])), float(orders[best])


def least_epsilon(
    whole: Callable[[Array], Array],
    between: Callable[[Array], Array],
    delta: float,
    *,
    steps: int = 1,
) -> float:
    """The least ε over orders: whole ones first, then about the best; every order is a bound.

    `whole` and `between` give the total RDP at whole orders of at least 2, and at any above 1. The
    number of distinct `steps` limits the largest order tried.
    """
    epsilons: dict[float, float] = {}

    def ask(function: Callable[[Array], Array], orders: Array) -> None:
        rdp = function(orders)
        for order, value in zip(orders.tolist(), rdp.tolist(), strict=True):
            epsilons[float(order)] = epsilon_from(np.array([order]), np.array([value]), delta)[0]

    ask(whole, WHOLE_ORDERS)
    while (best := min(epsilons, key=epsilons.__getitem__)) == max(epsilons) and epsilons[
        best
    ] > 0.0:
        if best >= LARGEST_ORDER or best * 3.0 * steps > MAX_TERMS:
            break
        ask(whole, np.array([round(best * 1.5), round(best * 2.0)]))
    if epsilons[best] == 0.0:
        return 0.0
    if best > 2.0:
        for _ in range(20):
            below, above = _neighbours(epsilons, best)
            middle = {round(0.5 * (below + best)), round(0.5 * (best + above))} - set(epsilons)
            if not middle or (above - below) < 0.02 * best:
                break
            ask(whole, np.array(sorted(middle)))
            best = min(epsilons, key=epsilons.__getitem__)
    else:
        ask(between, 1.0 + np.array([1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 0.6]))
        best = min(epsilons, key=epsilons.__getitem__)
    if best > LARGEST_BETWEEN:
        return epsilons[best]
    for _ in range(3):
        # Past its minimum ε(α) may rise exponentially, which no parabola fits: bisect as well.
        below, above = _neighbours(epsilons, best)
        orders = {_parabola(epsilons, best), _halfway(below, best), _halfway(best, above)}
        orders = {order for order in orders - set(epsilons) if MIN_ORDER < order <= above}
        ask(between, np.array(sorted(orders)))
        best = min(epsilons, key=epsilons.__getitem__)
    return epsilons[best]


def _halfway(low: float, high: float) -> float:
    return 1.0 + math.sqrt(max(low - 1.0, 0.1 * (high - 1.0)) * (high - 1.0))


def _neighbours(epsilons: dict[float, float], best: float) -> tuple[float, float]:
    below = max((order for order in epsilons if order < best), default=1.0)
    return below, min((order for order in epsilons if order > best), default=best)


def _parabola(epsilons: dict[float, float], best: float) -> float:
    """The minimum of the parabola in ln(α-1) through the best order and its neighbours."""
    below, above = _neighbours(epsilons, best)
    if below == 1.0 or above == best:
        return best if above == best else max(MIN_ORDER, 1.0 + 0.3 * (best - 1.0))
    x = np.log(np.array([below, best, above]) - 1.0)
    y = np.array([epsilons[below], epsilons[best], epsilons[above]])
    left, right = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
    bend = (right - left) / (x[2] - x[0])
    if not (math.isfinite(bend) and bend > 0.0):
        return best
    point = 0.5 * (x[0] + x[1] - left / bend)
    # Well inside the bracket, so that each try narrows it.
    point = min(max(point, 0.9 * x[0] + 0.1 * x[1]), 0.1 * x[1] + 0.9 * x[2])
    return float(1.0 + math.exp(point))


def _log_binomial(order: int, k: NDArray[np.integer]) -> Array:
    return np.asarray(
        special.gammaln(order + 1.0) - special.gammaln(k + 1.0) - special.gammaln(order - k + 1.0)
    )


def _covers(step: Step, adjacency: Adjacency) -> bool:
    if step.mechanism != "gaussian":
        return False
    if step.sampling == "poisson":
        return adjacency is not Adjacency.REPLACE_ONE
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    return step.sampling == "none" or adjacency is not Adjacency.ADD_REMOVE


def curve(parts: Sequence[Step], orders: Array, adjacency: Adjacency, *, whole: bool) -> Array:
    """The total RDP of covered steps at each order, rounded up; by a sum if all are `whole`."""
    groups: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for step in parts:
        groups.setdefault((step.sampling, step.rate), []).append((step.multiplier, step.count))
    result = np.zeros(len(orders))
    for (sampling, rate), group in groups.items():
        noise, counts = np.array([*zip(*group, strict=True)], float)
        if sampling == "fixed":
            bound = fixed_size if whole else fixed_between
            result += counts @ bound(noise / 2.0, rate, orders)
        elif sampling == "poisson":
            exact = poisson_whole if whole else poisson_between
            result += counts @ exact(noise, rate, orders)
        else:
            result += counts @ gaussian(noise / change(adjacency), orders)
    return result


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return least_epsilon(
        lambda orders: curve(parts, orders, adjacency, whole=True),
        lambda orders: curve(parts, orders, adjacency, whole=False),
        delta,
        steps=len(parts),
    )


ACCOUNTANT = Accountant(
    "rdp",
    "Rényi",
    _covers,
    _epsilon,
    "Mironov et al. 2019; Wang et al. 2019; Canonne et al. 2020",
)
