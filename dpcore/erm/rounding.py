"""The addition of rounding to the sensitivity of a computed sum, for every method here.

A released sum is Σᵢ vᵢ of m rows with ‖vᵢ‖₂ ≤ C, computed in double precision. Whatever the order
of the additions, on one processor or many and with or without fused products, each coordinate is
off by at most γ_k Σᵢ |vᵢⱼ|, where k counts the roundings on the longest path of one term into the
sum and γ_k = ku/(1 - ku), u = 2⁻⁵³ (Higham 2002, section 4.2 and Lemma 3.1). In norm that is at
most γ_k Σᵢ ‖vᵢ‖ ≤ γ_k m C. Both neighbours' sums have this error, so they differ by at most

    Δ + 2 γ_k m C,

where Δ is the distance of the exact sums. k = m holds for any order, however a library sums; it
costs 3e-7 C at m = 36,000 and 2e-4 C at m = 1,000,000. In single precision, where u = 2⁻²⁴, the
bound exceeds C from m = 2,900 on and is useless.

The vᵢ themselves need no bound on their error: the computed slope of a record is a function of the
record and of released weights, and at most 1 in size. So margins may be in single precision, the
sums may not. Where no noise is added on the way (`descent`), errors of slopes count.

This is about the sum alone. Its low bits after noise was added in floating point (Mironov 2012) are
not covered.
"""

from __future__ import annotations

from dpcore.errors import InvalidInput
from dpcore.words import plain

UNIT = 2.0**-53
OTHERS = 32
"""Roundings besides the additions: products, a division by n, a term of the regulariser."""

NORM_ROUNDING = 1e-12
"""Largest excess of a row's norm over 1; the row is shortened by more (`shortened`)."""


def gamma(roundings: float) -> float:
    """γ_k = ku/(1 - ku), rounded up; refused for so many roundings that no digit stays exact."""
    error = roundings * UNIT
    if not error <= 0.01:
        raise InvalidInput(
            f"{plain(roundings)} additions were to be made one after the other, but double "
            f"precision holds at most {plain(0.01 / UNIT, 1)}."
        )
    return error / (1.0 - error) * (1.0 + 4.0 * UNIT)


def of_sum(rows: int, additions: int) -> float:
    """2γmC for C = 1: the addition of rounding to the distance of two neighbours' sums of m rows.

    `additions` are those on the longest path of one row into the release: m for one sum in any
    order, and one more for each step where a running sum goes on.
    """
    return 2.0 * gamma(additions + OTHERS) * rows * (1.0 + 4.0 * UNIT)


def shortened(dimension: int) -> float:
    """Factor that makes all rows accepted by `Problem.check_data` at most 1 long.

    The check's own norm is off by d/2 + 2 roundings, and the product by two more.
    """
    return 1.0 - (NORM_ROUNDING + (dimension + 16) * UNIT) * (1.0 + 1e-9)


def of_descent(dimension: int, curvature: float, longest: float, rate: float, lam: float) -> float:
    """Rounding error of one step w - η(g + λw), over η: an error of the mean gradient.

    `longest` bounds ‖w‖ along the way, and `rate` is the least η on it.

    Notes
    -----
    A margin xᵀw - y is off by γ_{d+2}(‖w‖ + 1) and a slope by κ times that and by a few units of
    its own; the sum of the slopes' errors, at most that large in the mean, comes on top of
    `of_sum`. The step adds one rounding each of λw, of the gradient, of its product with η, and of
    the difference, which has the size of w.
    """
    slope = curvature * gamma(dimension + OTHERS) * (longest + 1.0) + OTHERS * UNIT
    update = 4.0 * UNIT * (2.0 + lam * longest) + 2.0 * UNIT * longest / rate
    return (slope + update) * (1.0 + 1e-9)
