"""Which rows of a table count where one person may have several, and how much each counts.

The unit of privacy is the person: two tables are neighbours where all rows of one person are blank
in one of them (zero-out), or hold anything, in any number from one on (replace-one). The number of
persons is the same in both, and public. A table is bounded in two steps.

1. Each person keeps at most k rows, those of the smallest lots. Lots are independent numbers of one
distribution, one a row, so that which rows a person keeps depends on that person's lots alone. Take
neighbouring tables and give all rows of all other persons the same lots in both: that is how likely
it is in either, and the same rows of these are kept. So for each such choice the bounded tables are
neighbours, and a mechanism that is (ε, δ) for these is (ε, δ) for the tables, as the mean of both
sides over the lots.

2. Each of a person's m rows counts 1/m. Where a row adds at most C to a sum, in norm, a person adds

    ‖(1/m) Σ g_j‖ ≤ (1/m) Σ ‖g_j‖ ≤ C,

and exactly C where all m are one vector of norm C. So a sum over persons moves by at most C under
zero-out and 2 C under replace-one, whatever k is: the noise is that of one row a person. The
divisor of an average is the number of persons. How many rows anybody has is in none of it
(`dpcore.release.grid` computes it in whole numbers).

Rows at full weight would need k C, and 1/k of the noise for everybody's sake that the few with k
rows cause; a sum clipped to C has the same sensitivity, but is the gradient of no loss.

Training and test parts must be split by person: a model that saw one row of a person is not tested
by another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import reject
from dpcore.words import spaced

MAX_ROWS_A_PERSON = 10_000
Whole = NDArray[np.int64]
Lots = NDArray[np.uint64]


@dataclass(frozen=True)
class Persons:
    """The rows that count. Not private: everything here is read off the records."""

    index: Whole  # kept rows of the table, one person after the other
    first: Whole  # where each person's rows begin in `index`
    dropped: int  # number of rows that are not kept

    @property
    def count(self) -> int:
        return len(self.first)

    def blocks(self, rows: int) -> Iterator[tuple[slice, Whole]]:
        """Whole persons, about so many rows at a time: a slice of rows, where each begins in it."""
        begin, ends = 0, np.append(self.first, len(self.index))
        while begin < self.count:
            fitting = np.searchsorted(ends, ends[begin] + rows, side="right") - 1
            end = max(int(fitting), begin + 1)
            yield slice(ends[begin], ends[end]), self.first[begin:end] - ends[begin]
            begin = end


def lots_for_release(rows: int) -> Lots:
    """A lot for each row, from the operating system's entropy."""
    return np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)


def lots_for_exploration(rows: int, seed: int = 0) -> Lots:
    """A lot for each row, the same each time: a picture can be drawn again, nothing is proved."""
    return np.random.default_rng(seed).integers(0, 2**64, rows, dtype=np.uint64)


def bounded(person: Whole, most: int, lots: Lots) -> Persons:
    """At most k public rows of each person, those of the smallest lots; persons count from 0."""
    if not 1 <= most <= MAX_ROWS_A_PERSON:
        raise reject("rows a person", most, f"1 to {spaced(MAX_ROWS_A_PERSON)}")
    by_lot = np.lexsort((lots, person))
    row_counts = np.bincount(person)
    rank = np.arange(len(person)) - np.repeat(np.cumsum(row_counts) - row_counts, row_counts)
    retained = by_lot[rank < most]
    # Among one person's, the order of the table again.
    index = retained[np.lexsort((retained, person[retained]))]
    retained_counts = np.minimum(row_counts, most)
    return Persons(index, np.cumsum(retained_counts) - retained_counts, len(person) - len(index))
