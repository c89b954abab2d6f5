"""Additive models: sums of steps in each number, so that a linear model draws a curve in it.

A number is cut at K public values t₁ < … < t_K, evenly spaced over its public interval after its
public transform, and becomes K features ±s/√K: + where it is at least tⱼ. A linear model of them
draws a curve of K steps in each number, and its score is the sum of these curves.

Beside the number itself, and with less weight than it (s below 1), steps cost little where noise is
large; more of them, in full and alone, gain more where it is small. Steps and not one indicator for
each bin: neighbouring bins then share their strength.

A step counts as s² of a feature where a rule asks for the number of features d: for λ, and for the
length of DP-GD's path, which d shortens. Counted in full the coarse steps made DP-GD stop too early
on Bank, at a cost of .003 of accuracy at ε = 0.03.

The features depend on one record and on public values alone, and the row that they stand in is then
brought to norm 1: a record still moves one row and nothing else, as every sensitivity here assumes.

Source: thermometer codes are Smith's (1999); line, weights and K are our own, fixed on Bank, Cardio
and the synthetic cohort (``docs/decisions/features-by-rule.md``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Steps:
    """Say how a number is cut into steps: how many, K, and how much each counts, s."""

    count: int  # K
    weight: float  # s, at most 1
    keeps_number: bool  # whether the number itself stays a feature

    @property
    def cuts(self) -> FloatArray:
        """t₁ … t_K as shares of the public interval, shape (K,), strictly between 0 and 1."""
        return np.arange(1, self.count + 1) / (self.count + 1)

    @property
    def uncounted(self) -> int:
        """Features of a number that rules leave out of d, as a step counts as s² of one."""
        return round(self.count * (1.0 - self.weight**2))

    def of(self, shares: FloatArray) -> FloatArray:
        """The steps (n, K) of shares in [0, 1] of the public interval; every row has norm s."""
        features = np.empty((len(shares), self.count))
        self.write(shares, features)
        return features

    def write(self, shares: FloatArray, out: FloatArray) -> None:
        height, steps = self.weight * self.count**-0.5, out[:, : self.count]
        # 2h - h and 0 - h are exact.
        np.multiply(shares[:, np.newaxis] >= self.cuts, 2.0 * height, out=steps)
        steps -= height


STEPS = {"additive": Steps(12, 0.5, keeps_number=True), "fine": Steps(24, 1.0, keeps_number=False)}
"""By feature map."""
