"""Feature maps of numbers, by public values alone: steps, waves, and the rule that chooses.

**Steps** make additive models. A number is cut at K public values t₁ < … < t_K, evenly spaced over
its public interval after its public transform, and becomes K features ±s/√K: + where it is at least
tⱼ. A linear model of them draws a curve of K steps in each number, and its score is their sum.

Beside the number itself, and with less weight than it (s below 1), steps cost little where noise is
large; more of them, in full and alone, gain more where it is small. Steps and not one indicator for
each bin: neighbouring bins then share their strength. A step counts as s² of a feature where a rule
asks for the number of features d: for λ, and for the length of DP-GD's path, which d shortens.
Counted in full the coarse steps made DP-GD stop too early on Bank, at a cost of .003 of accuracy at
ε = 0.03. The row that they stand in is then brought to norm 1: a record still moves one row and
nothing else, as every sensitivity here assumes. Thermometer codes are Smith's (1999); line, weights
and K are our own, fixed on Bank, Cardio and the cohort (``docs/decisions/features-by-rule.md``).

**Waves** are random Fourier features (Rahimi and Recht 2007, section 3, by pairs and not random
phases, which would allow norms of √2). With frequencies ωⱼ ~ N(0, I/h²), j = 1 … D/2, a row x
becomes √(2/D) (cos ωⱼᵀx, sin ωⱼᵀx)ⱼ. Each pair's squares sum to 2/D, so every row has norm exactly
1, and the product of two rows is, on average over the frequencies, the Gaussian kernel
exp(-‖x - x′‖²/(2h²)). The map is the same for all data sets of d columns.

**The rule** (ours, fixed on the same sets) takes straight lines, curves of a few light steps, or
fine curves:

1. Straight lines at every ε where there are fewer than `MIN_RECORDS` records to learn from for
   each column of numbers.
2. Otherwise by r = n μ/√d, with d features, coarse steps included, and μ the Gaussian-DP parameter
   of (ε, δ) for vectors that one record changes by 1. It is about the length of a mean gradient of
   full length, in units of the length of its noise. From `CURVES` on there are curves, and from
   `FINE_CURVES` on fine ones.
3. A map that gives the records more than `MAX_VALUES` values in all is left out, and the next
   coarser one taken.

n counts every record to learn from, blank ones too, and the columns are the schema's. A study at
many ε has up to three preparations (`dpcore.evaluation.splits`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

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


STREAM = 0x466F7572696572  # any number; keeps the frequencies apart from splits and noise


def frequencies(columns: int, features: int, bandwidth: float) -> FloatArray:
    """ω as columns, shape (d, D/2): drawn from d alone, the same on every machine."""
    drawn = np.random.default_rng([columns, STREAM]).standard_normal((features // 2, columns))
    return np.asarray(drawn.T / bandwidth)


def random_fourier(rows: FloatArray, features: int, bandwidth: float) -> FloatArray:
    """The features of each row, shape (n, D), at bandwidth h in the rows' units."""
    angles = rows @ frequencies(rows.shape[1], features, bandwidth)
    half = features // 2
    result = np.empty((len(rows), features))
    np.cos(angles, out=result[:, :half])
    np.sin(angles, out=result[:, half:])
    result *= (1.0 / half) ** 0.5
    result[~rows.any(axis=1)] = 0.0
    return result


def fourier_names(features: int) -> list[str]:
    """What the features are called: all cosines, then all sines."""
    half = features // 2
    return [f"{wave} {j}" for wave in ("cosine", "sine") for j in range(1, half + 1)]


MIN_RECORDS = 20
"""Records for each column of numbers. Bank, Cardio and the cohort gain from 16 on, the fewest that
were tried; breast cancer, with 15, was known to lose with steps alone."""
CURVES = 8.0
"""Below it Bank and the cohort lose a little with curves, and Cardio gains."""
FINE_CURVES = 200.0
"""From there on fine steps are better on Bank and Cardio, and level on the cohort."""

MAX_VALUES = 12_000_000
"""Records to learn from times features: 96 MB. It bounds time and memory, not error: it leaves fine
curves out from 70,000 patients of the cohort on, and all curves from 127,000 on."""

MAPS: tuple[Literal["plain", "additive", "fine"], ...] = ("plain", "additive", "fine")


def enough_records(records: int, numbers: int) -> bool:
    """Whether there are curves at any ε."""
    return records >= MIN_RECORDS * max(numbers, 1)


def affordable(records: int, features: int) -> bool:
    """Whether so many records may have so many features each."""
    return records * features <= MAX_VALUES


def by_noise(records: int, dimension: int, mu: float) -> str:
    """The feature map for n records of d features, coarse steps included, trained at this μ."""
    ratio = records * mu / math.sqrt(dimension)
    return MAPS[sum(bool(ratio >= edge) for edge in (CURVES, FINE_CURVES))]
