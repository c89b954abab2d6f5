"""Mean gradients for many weight vectors at once: two matrix products a step.

Margins may be in single precision; the sum over records is in double, because its rounding adds to
its sensitivity (`dpcore.erm.rounding`). The products run on torch's device where there is one.

Products with rows that hold steps of numbers: one entry a number in place of all its steps.

The steps of one number (`dpcore.datasets.features`) are h in every row up to a place, and -h from
there on. So a row holds h or -h times one of K fixed rows of signs: instead of K entries one is
enough, with its place. So A = Z M, where Z has one entry for each number's steps and M is made of
signs. AW = Z (MW) and AᵀS = Mᵀ (ZᵀS), and both products with M are running sums, which take no time
beside those with Z. Steps are found in the rows themselves; all else is multiplied as it is.

The sums are those of A: every record's entry stands in every coordinate once, as large as before,
and K roundings more lie on its way (`dpcore.erm.rounding`). A margin remains a function of its row.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.losses import Forms
from dpcore.erm.problem import Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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


Array = NDArray[np.floating]
BatchGradient = Callable[[Array], Array]
"""W of shape (d, columns) -> mean gradient of the data-dependent part, same shape."""

BLOCK_ROWS = 1024
BLOCK_ENTRIES = 2**16  # of one vector's passes; several columns at once take fewer rows


def block_size(columns: int) -> int:
    """How many records, of so many columns, stay in cache between two passes."""
    return max(1, BLOCK_ENTRIES // max(1, columns))


def row_blocks(forms: Forms) -> list[Forms]:
    """Views of successive records, few enough to stay in cache between two passes."""
    return forms.blocks(block_size(forms.rows.shape[1]))


def accelerator() -> str | None:
    """The torch name of an accelerator, or None. torch is imported only where a driver exists."""
    if shutil.which("nvidia-smi") is None or find_spec("torch") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def batch_gradient(
    problem: Problem,
    features: Array,
    labels: Array,
    device: str | None = None,
    margins: type[np.floating] = np.float32,
    sums: type[np.floating] = np.float64,
) -> BatchGradient:
    """A function giving (1/n) Σᵢ ∇ℓᵢ for every column of W.

    `margins` and `sums` are the precisions of margins and slopes, and of the sum over records:
    double wherever it is released. `device` is torch's; ``None`` for NumPy on the CPU.
    """
    exact = problem.forms(features, labels)
    if device is not None:
        forms, rows = exact.contiguous(margins), exact.contiguous(sums).rows
        return _torch_gradient(problem, forms, rows, device)
    cells = Cells.of(exact.rows, features, MANY_STEPS)
    return _numpy_gradient(problem, exact, cells, margins, sums)


def _numpy_gradient(
    problem: Problem,
    exact: Forms,
    cells: Cells,
    margins: type[np.floating],
    sums: type[np.floating],
) -> BatchGradient:
    records, coarse, summed = len(exact), cells.astype(margins), cells.astype(sums)
    blocks = []
    for start in range(0, records, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        offsets = None if exact.offsets is None else exact.offsets[rows, None].astype(margins)
        blocks.append((coarse[rows], summed[rows], offsets))
    workers = min(os.cpu_count() or 1, len(blocks))
    shares = [blocks[worker::workers] for worker in range(workers)]
    slope = problem.function.slope

    def part(share: Sequence[tuple[Cells, Cells, Array | None]], weights: Array) -> Array:
        turned = cells.turned(weights.astype(margins, copy=False))
        total = np.zeros(weights.shape, dtype=sums)
        for block, summed, offsets in share:
            at = block.times(turned)
            if offsets is not None:
                at -= offsets
            total += summed.sums(slope(at).astype(sums, copy=False))
        return cells.turned_back(total)

    if workers == 1:
        return lambda weights: part(shares[0], weights) / sums(records)

    from threadpoolctl import ThreadpoolController

    pool = ThreadPoolExecutor(workers)
    controller = ThreadpoolController()

    def gradient(weights: Array) -> Array:
        # One BLAS thread per worker: otherwise the element-wise passes leave a core idle.
        with controller.limit(limits=1, user_api="blas"):
            parts = list(pool.map(lambda share: part(share, weights), shares))
        return np.asarray(sum(parts) / sums(records))

    return gradient


def _torch_gradient(problem: Problem, forms: Forms, summed: Array, device: str) -> BatchGradient:
    import torch

    rows, sums = (torch.from_numpy(array).to(device) for array in (forms.rows, summed))
    offsets = None if forms.offsets is None else torch.from_numpy(forms.offsets).to(device)[:, None]
    loss = problem.function

    def slope(margins: torch.Tensor) -> torch.Tensor:
        if loss.name == "logistic":
            return -torch.sigmoid(-margins).clamp_(0.0, 1.0)
        if loss.name == "squared":
            return margins.clamp_(-1.0, 1.0)
        width = problem.huber_width
        return ((margins - (1.0 + width)) / (2.0 * width)).clamp_(-1.0, 0.0)

    def gradient(weights: Array) -> Array:
        columns = torch.from_numpy(np.ascontiguousarray(weights, dtype=forms.rows.dtype)).to(device)
        values = rows @ columns
        slopes = slope(values if offsets is None else values - offsets)
        result = sums.T @ slopes.to(sums.dtype)
        return np.asarray((result / len(forms)).cpu().numpy())

    return gradient
