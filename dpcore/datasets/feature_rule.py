"""Straight lines or curves: a fixed rule in public values, and in no record.

It takes straight lines, curves of a few light steps, or fine curves (`dpcore.datasets.additive`):

1. Straight lines at every ε where there are fewer than `MIN_RECORDS` records to learn from for
   each column of numbers.
2. Otherwise by r = n μ/√d, with d features, coarse steps included, and μ the Gaussian-DP parameter
   of (ε, δ) for vectors that one record changes by 1. It is about the length of a mean gradient of
   full length, in units of the length of its noise. From `CURVES` on there are curves, and from
   `FINE_CURVES` on fine ones.
3. A map that gives the records more than `MAX_VALUES` values in all is left out, and the next
   coarser one taken.

n counts every record to learn from, blank ones too, and the columns are the schema's. A study at
many ε has up to three preparations (`dpcore.evaluation.feature_maps`).

Source: our own, fixed on Bank, Cardio and the synthetic cohort
(``docs/decisions/features-by-rule.md``).
"""

from __future__ import annotations

import math
from typing import Literal

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
