"""Products with rows that hold steps of numbers: one entry a number in place of all its steps.

The steps of one number (`dpcore.datasets.additive`) are h in every row up to a place, and -h from
there on. So a row holds h or -h times one of K fixed rows of signs: instead of K entries one is
enough, with its place. So A = Z M, where Z has one entry for each number's steps and M is made of
signs. AW = Z (MW) and AᵀS = Mᵀ (ZᵀS), and both products with M are running sums, which take no time
beside those with Z. Steps are found in the rows themselves; all else is multiplied as it is.

The sums are those of A: every record's entry stands in every coordinate once, as large as before,
and K roundings more lie on its way (`dpcore.erm.rounding`). A margin remains a function of its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.floating]

MIN_STEPS, MANY_STEPS = 8, 20
"""Fewer are multiplied as they are, with one vector or with many: so long an entry takes, in
columns."""
MIN_RECORDS = 256
BLOCK = 1024
"""Records that are looked through at once."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows A (n, d) as the product of Z, by columns, and M, by sums over steps."""

    # (n, o), maybe sparse: the columns of Z that are columns of A, all that are no steps
    others: Any
    # (numbers, n): the entry of each number with steps, a row's h or -h
    sizes: Array
    # (numbers, n): the column of Z where it stands, counted from `others` on
    steps: NDArray[np.intp]
    # (d,): columns of A in the order of Z's: `others`, then number by number the steps
    places: NDArray[np.intp]
    # columns of Z of successive numbers with as many steps each, and K
    groups: tuple[tuple[slice, int], ...]

    @classmethod
    def of(cls, rows: Array, features: Array, fewest: int = MIN_STEPS) -> Cells:
        """The factors of rows (n, d), which are the features, each row times a factor of its own.

        Without steps, with fewer than `fewest` in a number, or of few records Z is A.
        """
        runs = _runs(features) if len(rows) >= MIN_RECORDS else []
        runs = [run for run in runs if run.stop - run.start >= fewest]
        every = np.arange(rows.shape[1])
        if not runs:
            nothing = np.empty((0, len(rows)))
            return cls(rows, nothing, nothing.astype(np.intp), every, ())
        stepped = np.concatenate([every[run] for run in runs])
        others = np.delete(every, stepped)
        groups: list[tuple[slice, int]] = []
        steps, begin = [], len(others)
        for run in runs:
            columns = features[:, run]
            # The last step that has the sign of the first.
            alike = np.count_nonzero(columns == columns[:, :1], axis=1)
            steps.append(begin - len(others) + alike - 1)
            count = columns.shape[1]
            is_longer = bool(groups) and groups[-1][1] == count
            start = groups.pop()[0].start if is_longer else begin
            begin += count
            groups.append((slice(start, begin), count))
        sizes = rows[:, [run.start for run in runs]].T
        return cls(
            np.ascontiguousarray(rows[:, others]),
            np.ascontiguousarray(sizes),
            np.stack(steps),
            np.concatenate([others, stepped]),
            tuple(groups),
        )

    def astype(self, dtype: type[np.floating]) -> Cells:
        """The same factors in another precision, contiguous."""
        others = np.ascontiguousarray(self.others, dtype=dtype)
        return replace(self, others=others, sizes=self.sizes.astype(dtype))

    def __getitem__(self, part: slice) -> Cells:
        """The factors of successive rows."""
        sizes = np.ascontiguousarray(self.sizes[:, part])
        steps = np.ascontiguousarray(self.steps[:, part])
        return replace(self, others=self.others[part], sizes=sizes, steps=steps)

    @cached_property
    def entries(self) -> csr_array:
        """The columns of Z from `others` on, as a sparse array."""
        from scipy.sparse import csr_array

        numbers, records = self.sizes.shape
        starts = np.arange(0, numbers * records + 1, numbers, dtype=np.int32)
        columns = self.steps.T.ravel().astype(np.int32)
        shape = records, len(self.places) - self.others.shape[1]
        return csr_array((self.sizes.T.ravel(), columns, starts), shape=shape)

    def turned(self, weights: Array) -> Array:
        """MW for W of shape (d,) or (d, k)."""
        if not self.groups:
            return weights
        result = weights[self.places]
        for columns, count in self.groups:
            of_numbers = result[columns].reshape(-1, count, *weights.shape[1:])
            until = np.cumsum(of_numbers, axis=1)
            np.subtract(2.0 * until, until[:, -1:], out=of_numbers)
        return result

    def times(self, turned: Array) -> Array:
        """AW = ZV from V = `turned` W."""
        first = self.others.shape[1]
        result = np.asarray(self.others @ turned[:first])
        if not self.groups:
            return result
        if turned.ndim == 1:
            result += (self.sizes * turned[first:].take(self.steps)).sum(axis=0)
        else:
            result += self.entries @ turned[first:]
        return result

    def sums(self, slopes: Array) -> Array:
        """ZᵀS for S of shape (n,) or (n, k)."""
        others = np.asarray(self.others.T @ slopes)
        if not self.groups:
            return others
        if slopes.ndim == 1:
            steps = len(self.places) - len(others)
            every = (self.sizes * slopes).ravel()
            rest = np.bincount(self.steps.ravel(), weights=every, minlength=steps)
        else:
            rest = self.entries.T @ slopes
        return np.concatenate([others, rest])

    def turned_back(self, sums: Array) -> Array:
        """AᵀS = MᵀU from U = `sums` S."""
        if not self.groups:
            return sums
        turned, result = sums.copy(), np.empty_like(sums)
        for columns, count in self.groups:
            of_numbers = sums[columns].reshape(-1, count, *sums.shape[1:])
            after = np.cumsum(of_numbers[:, ::-1], axis=1)[:, ::-1]
            after[:, 1:] -= np.cumsum(of_numbers[:, :-1], axis=1)
            turned[columns] = after.reshape(-1, *sums.shape[1:])
        result[self.places] = turned
        return result

    def distances(self, left: NDArray[np.intp], right: NDArray[np.intp]) -> Array:
        """‖aᵢ - aⱼ‖ for each pair of rows i and j; 0 for equal rows."""
        gaps = self.others[left] - self.others[right]
        squares = np.einsum("ij,ij->i", gaps, gaps)
        counts = [count for part, count in self.groups for _ in range(part.start, part.stop, count)]
        steps = self.steps.astype(self.sizes.dtype)
        for count, size, step in zip(counts, self.sizes, steps, strict=True):
            here, there = size.take(left), size.take(right)
            # So many of the K signs are not the same.
            unlike = np.abs(step.take(left) - step.take(right))
            unlike *= here
            unlike *= 4.0 * there
            here -= there
            here *= here
            squares += count * here + unlike
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _runs(features: Array) -> list[slice]:
    """Columns that follow one another and, in every row, are of one size and never rise again."""
    runs = [slice(0, features.shape[1])]
    for start in range(0, len(features), BLOCK):
        rows = features[start : start + BLOCK]
        runs = [one for run in runs for one in _alike(rows[:, run], run.start)]
    return runs


def _alike(rows: Array, begin: int) -> Iterator[slice]:
    """The runs within some columns of some rows, of which the first is column `begin`."""
    sizes = np.abs(rows)
    pairs = (sizes[:, :-1] == sizes[:, 1:]) & (rows[:, :-1] >= rows[:, 1:])
    joined = np.concatenate([[False], pairs.all(axis=0), [False]])
    for start, last in np.flatnonzero(np.diff(joined)).reshape(-1, 2):
        if last + 1 - start >= MIN_STEPS:
            yield slice(begin + start, begin + last + 1)
