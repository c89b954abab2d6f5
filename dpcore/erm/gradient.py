"""Mean gradients for many weight vectors at once: two matrix products a step.

Margins may be in single precision; the sum over records is in double, because its rounding adds to
its sensitivity (`dpcore.erm.rounding`). The products run on torch's device where there is one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.cells import MANY_STEPS, Cells
from dpcore.erm.forms import Forms
from dpcore.erm.problem import Problem

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
