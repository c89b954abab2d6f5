"""A Rényi filter over a fixed grid of orders: the ε of a path of adaptively chosen entries.

Feldman and Zrnic 2021 (Theorem 3.1) fix one order α: where the RDP of each entry may depend on
all outputs before, E[e^{(α-1)(L - S)}] ≤ 1, with L the privacy loss of the path and S = S(α) the
sum of its entries' RDP. The order that is best differs from path to path, and one picked afterwards
is not covered. A mixture with weights fixed beforehand, Σ_α w_α = 1, is: with
G(L) = Σ_α w_α e^{(α-1)(L - S_α)}, E[G] ≤ 1 over all paths. If on every path

    1 - e^{ε-L} ≤ δ G(L)  for every L,

then E[(1 - e^{ε-L})₊] ≤ δ, which is (ε, δ)-privacy. The least such ε of a path is the largest value
of L + ln(1 - δ G(L)), a concave function whose derivative is 0 where δ Σ_α w_α α e^{(α-1)(L-S_α)}
= 1. With one order it is the conversion of Canonne, Kamath, Steinke 2020, as in `epsilon_from`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting import renyi
from dpcore.accounting.events import Step
from dpcore.accounting.renyi import curve
from dpcore.guarantee import Adjacency

Array = NDArray[np.float64]

LARGEST_BETWEEN = 16.0
"""Above it the orders are whole, where the RDP of sampled noise is a finite sum."""
SPREAD = 0.6
"""Width of the weights' peak, in ln(α-1), about the best order where the whole cap is spent."""
ROUNDS = 200


def _grid() -> Array:
    orders = 1.0 + np.geomspace(0.2, 4096.0, 40)
    return np.asarray(np.where(orders > LARGEST_BETWEEN, np.round(orders), orders))


ORDERS = _grid()
_IS_WHOLE = ORDERS > LARGEST_BETWEEN


@lru_cache(maxsize=64)
def weights(epsilon: float, delta: float) -> tuple[float, ...]:
    """The weights of the orders, from a public cap alone; above 0, with the sum 1.

    Any are sound. These have their peak where an account of Gaussian noise that spends the whole
    cap has its best order, α - 1 = √(ln(1/δ)/ρ) with √ρ = √(ln(1/δ) + ε) - √ln(1/δ), and fall off
    slowly on both sides.
    """
    log_term = math.log(1.0 / delta)
    root = epsilon / (math.sqrt(log_term + epsilon) + math.sqrt(log_term))
    distance = np.log((ORDERS - 1.0) * root / math.sqrt(log_term)) / SPREAD
    raw = 1.0 / (1.0 + distance**2)
    return tuple((raw / (raw.sum() * (1.0 + 1e-12))).tolist())


@lru_cache(maxsize=256)
def of_step(step: Step, adjacency: Adjacency) -> tuple[float, ...]:
    """RDP of a covered step, all its times together, at each of `ORDERS`; rounded up."""
    result = np.empty(len(ORDERS))
    for whole in (False, True):
        chosen = whole == _IS_WHOLE
        result[chosen] = curve([step], ORDERS[chosen], adjacency, whole=whole)
    return tuple((result * (1.0 + renyi.ROUNDING)).tolist())


@lru_cache(maxsize=256)
def of_pure(epsilon: float) -> tuple[float, ...]:
    """RDP of what is (ε, 0)-private, at each of `ORDERS`; rounded up."""
    return tuple(renyi.pure(epsilon, ORDERS).tolist())


def epsilon_of(total: tuple[float, ...], share: tuple[float, ...], delta: float) -> float:
    """The least ε of the module's condition, rounded up; ``inf`` where the search does not end.

    It is of the sums S_α and the weights w_α at each of `ORDERS`; the weights are the same on all
    paths.
    """
    spent, gap = np.array(total), ORDERS - 1.0
    each = np.log(np.array(share)) + math.log(delta)
    both = each + np.log(ORDERS)
    # The derivative's root lies below that of each order alone. From above, Newton's method on a
    # convex growing function comes down to it.
    loss = float((spent - both / gap).min())
    for _ in range(ROUNDS):
        terms = both + gap * (loss - spent)
        peak = terms.max()
        mass = np.exp(terms - peak)
        height = float(peak + math.log(mass.sum()))
        step = height * float(mass.sum() / (mass @ gap))
        loss -= step
        if abs(step) <= 1e-12 * max(1.0, abs(loss)):
            break
    else:
        return math.inf
    inner = float(np.exp(each + gap * (loss - spent)).sum())
    if not inner < 1.0:
        return math.inf
    # Flat at its largest value: an error of 1e-12 in the place is none here.
    epsilon = loss + math.log1p(-inner)
    return max(0.0, epsilon + 1e-9 * abs(epsilon) + 1e-12)
