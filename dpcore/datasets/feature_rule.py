"""Straight lines or curves: a fixed rule in the public numbers of records and of columns.

With `LEAST_RECORDS` records to learn from, or more, for each column of numbers a model draws a
curve in each (`dpcore.datasets.additive`), with fewer a straight line.

The rule goes by public values alone, so the features tell of no record: n counts every record to
learn from, with gaps or blank ones too, and the columns are the schema's. ε, δ and adjacency have
no say: with the straight line beside the steps, none of the sets that the rule was fixed on lost at
a small ε (``docs/decisions/0139``).
"""

from __future__ import annotations

from typing import Literal

LEAST_RECORDS = 20
"""Records for each column of numbers. Bank, Cardio and the cohort gain from 16 on, the fewest that
were tried; breast cancer, with 15, was known to lose with steps alone."""


def by_rule(records: int, numbers: int) -> Literal["plain", "additive"]:
    """The features that the rule takes.

    Parameters
    ----------
    records : int
        Number of records to learn from; public.
    numbers : int
        Number of columns that hold numbers, from the schema.
    """
    return "additive" if records >= LEAST_RECORDS * max(numbers, 1) else "plain"
