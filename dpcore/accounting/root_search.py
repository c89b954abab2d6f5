"""Roots of an ε that is monotone and slow to compute, taken from the side within the target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

RELATIVE_ERROR = 1e-4
"""Tolerance for σ, δ or C: the answer is at most this far from the exact one, on the safe side."""

FIRST_STRIDE = math.log(4.0)


@dataclass(frozen=True)
class Search:
    """The range of a search, and its method.

    `stride` is the first step from the start, in logarithms; each next stride is the last one times
    `widening`.
    """

    safe: float
    other: float
    widening: float
    stride: float = FIRST_STRIDE
    tolerance: float = RELATIVE_ERROR


def near(
    rough: Callable[[float, str], float], target: float, start: float, search: Search, renyi: bool
) -> tuple[float, Search]:
    """A start from which a search by PLD ends after two tries, one on either side of the answer."""
    if renyi:
        start = boundary(lambda value: rough(value, "rdp"), target, start, search) or start
        search = replace(search, stride=0.05, widening=2.0)
    fine = replace(search, tolerance=0.1 * RELATIVE_ERROR)
    near = boundary(lambda value: rough(value, "pld"), target, start, fine)
    if near is None:
        return start, search
    safer = math.copysign(0.45 * RELATIVE_ERROR, math.log(search.safe / search.other))
    return near * math.exp(safer), replace(search, stride=0.9 * RELATIVE_ERROR, widening=2.0)


def boundary(
    epsilon: Callable[[float], float], target: float, start: float, search: Search
) -> float | None:
    """The value nearest to `other` with ε ≤ target, to `tolerance`; from the safe side.

    The bracket grows from `start` in strides, so that extreme values, slow to account for, are
    tried only when the answer lies there. It closes by the secant on ln ε against the logarithm of
    the value, bisecting where that is slow; the safe end has always been checked itself.
    """
    up = math.copysign(search.stride, math.log(search.safe / search.other))
    log_safe, log_other = math.log(search.safe), math.log(search.other)

    def gap(log_value: float) -> float:
        return _gap(epsilon(math.exp(log_value)), target)

    def clipped(log_value: float) -> float:
        return min(max(log_value, min(log_safe, log_other)), max(log_safe, log_other))

    good = bad = clipped(math.log(start))
    good_gap = bad_gap = gap(good)
    if good_gap <= 0.0:
        while bad_gap <= 0.0:
            good, good_gap, bad = bad, bad_gap, clipped(bad - up)
            up *= search.widening
            if good == bad:
                return math.exp(good)
            bad_gap = gap(bad)
    else:
        while good_gap > 0.0:
            bad, bad_gap, good = good, good_gap, clipped(good + up)
            up *= search.widening
            if good == bad:
                return None
            good_gap = gap(good)
    halve = False
    while abs(good - bad) > search.tolerance:
        share = 0.5 if halve else good_gap / (good_gap - bad_gap)
        # A little beyond the secant's root on the safe side, so that the safe end moves too.
        point = good + (bad - good) * min(max(share, 0.02), 0.98)
        point += math.copysign(0.3 * search.tolerance, good - bad)
        width = abs(good - bad)
        point_gap = gap(point)
        if point_gap <= 0.0:
            good, good_gap = point, point_gap
        else:
            bad, bad_gap = point, point_gap
        halve = abs(good - bad) > 0.5 * width
    return math.exp(good)


def turning_point(
    holds: Callable[[float], bool], low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """The last value where `holds` is true and the first where not, by geometric bisection.

    It is true at `low` and false at `high`, both above 0, and changes once between them.
    """
    for _ in range(200):
        middle = math.sqrt(low * high)
        if not low < middle < high or high <= low * (1.0 + tolerance):
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def most(epsilon: Callable[[float], float], target: float, start: int, top: int) -> float | None:
    """The largest whole number up to `top` with ε ≤ target; the search begins at `start`."""
    low, low_gap, high, high_gap = 0, -1.0, min(start, top), 0.0
    high_gap = _gap(epsilon(high), target)
    while high_gap <= 0.0:
        low, low_gap = high, high_gap
        if low == top:
            return float(top)
        high = min(2 * high, top)
        high_gap = _gap(epsilon(high), target)
    halve = low == 0
    while high - low > 1:
        share = 0.5 if halve else low_gap / (low_gap - high_gap)
        # Secant step; bisection where that is slow.
        middle = low + round((high - low) * min(max(share, 0.02), 0.98))
        middle = min(max(middle, low + 1), high - 1)
        width, middle_gap = high - low, _gap(epsilon(middle), target)
        if middle_gap <= 0.0:
            low, low_gap = middle, middle_gap
        else:
            high, high_gap = middle, middle_gap
        halve = low == 0 or high - low > width // 2
    return float(low) if low else None


def _gap(epsilon: float, target: float) -> float:
    """ln(ε/target), kept finite, and above 0 however little ε exceeds the target."""
    if 0.0 < epsilon < math.inf:
        return max(math.log(epsilon / target), 1e-300 if epsilon > target else -math.inf)
    return -50.0 if epsilon == 0.0 else 50.0
