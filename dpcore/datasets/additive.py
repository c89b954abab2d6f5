"""Additive models: each number beside a sum of steps, so that a linear model draws a curve in it.

A number is cut at K public values t₁ < … < t_K, evenly spaced over its public interval after its
public transform. It stays a feature itself, and brings K further ones, ±s/√K: + where it is at
least tⱼ. A linear model of them is a straight line and K steps in each number, and its score is the
sum of these curves.

Beside the line, and with less weight than it (s below 1), steps cost little where noise is large,
and gain nearly as much where it is small. Steps and not one indicator for each bin: neighbouring
bins then share their strength.

A step counts as s² of a feature where a rule asks for the number of features d (`counted`): for λ,
and for the length of DP-GD's path, which d shortens. Counted in full they made DP-GD stop too early
on Bank, at a cost of .003 of accuracy at ε = 0.03.

The features depend on one record and on public values alone, and the row that they stand in is then
brought to norm 1: a record still moves one row and nothing else, as every sensitivity here assumes.

Source: thermometer codes are Smith's (1999); line, weights and K are our own, fixed on Bank, Cardio
and the synthetic cohort (``docs/decisions/0139``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STEPS = 12
"""K of every number. Twice as many gain up to .002 on all of Cardio, and lose as much on Bank at
ε of 0.1 and less."""
WEIGHT = 0.5
"""s. With 0.8 Cardio and the cohort gain up to .015 more at small ε, and Bank loses up to .005."""


def cuts() -> FloatArray:
    """t₁ … t_K as shares of the public interval, shape (K,), strictly between 0 and 1."""
    return np.arange(1, STEPS + 1) / (STEPS + 1)


def sums_of_steps(shares: FloatArray) -> FloatArray:
    """The steps of a number, shape (n, K); every row has norm s.

    Parameters
    ----------
    shares : (n,) array
        The number as a share of its public interval, in [0, 1].
    """
    height = WEIGHT * STEPS**-0.5
    return np.asarray(np.where(shares[:, np.newaxis] >= cuts(), height, -height))


def counted(dimension: int, numbers: int) -> int:
    """Features as rules count them: s² for each step, 1 for each other one.

    Parameters
    ----------
    dimension : int
        Number of features, steps included.
    numbers : int
        Number of columns that bring steps.
    """
    return dimension - numbers * round(STEPS * (1.0 - WEIGHT**2))
