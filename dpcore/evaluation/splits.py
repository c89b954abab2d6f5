"""The splits that models are judged on: one where it tests many records, else several.

Judged on a few records alone, a model is a matter of luck: of 303 patients a fifth are 61, and
one of them is 1.6 points. Over ten splits nearly every record is tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpcore.datasets import Preparation, Split, Table, load, prepare

ENOUGH = 500
"""Test records that all splits together should have."""
COUNTS = (1, 2, 5, 10)
"""Numbers of splits; usual numbers of runs are multiples of them."""

Splits = Split | Sequence[Split]
"""One split, or several that results are averaged over."""


def splits(table: Table, preparation: Preparation) -> tuple[Split, ...]:
    """The table split as often as its size asks for; the first is `prepare`'s own.

    Parameters
    ----------
    table : Table
    preparation : Preparation
        The further splits are drawn with the seeds that follow its own.
    """
    first = prepare(table, preparation)
    count = next((count for count in COUNTS if count * first.tested >= ENOUGH), COUNTS[-1])
    seeds = [(preparation.seed + place) % 2**63 for place in range(1, count)]
    return (first, *(prepare(table, replace(preparation, seed=seed)) for seed in seeds))


def splits_of(dataset: str, records: int | None, preparation: Preparation) -> tuple[Split, ...]:
    """The splits of a data set of the catalogue."""
    return splits(load(dataset, records=records), preparation)


def each(given: Splits) -> tuple[Split, ...]:
    """The splits, also of a single one."""
    return (given,) if isinstance(given, Split) else tuple(given)


def judged(given: Splits) -> int:
    """About how many different records the splits test."""
    every = each(given)
    first = every[0]
    return min(sum(split.tested for split in every), first.records + first.tested)
