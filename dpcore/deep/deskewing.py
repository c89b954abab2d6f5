"""Images set upright: each by itself, so that an image reveals nothing of another record.

A shear removes the slant of written digits (LeCun et al. 1998, section III.D).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRETCH, SHIFT = 3.0, -0.4
"""Grey values g in [0, 1] become 3 g - 0.4, about 0 for an image that is mostly empty. Fixed
numbers, chosen on held-out training records of MNIST (docs/accuracy.md)."""

MIN_HEIGHT = 1e-3
"""Floor of the variance over rows, in half sides squared, so that noise shears no flat image."""

AT_A_TIME = 2_048


def deskewed(images: NDArray[np.float32]) -> NDArray[np.float32]:
    """Images moved to their centre of mass, sheared until rows and columns are uncorrelated.

    Grey values go from 0, where there is nothing, to 1; the result from `SHIFT` for nothing to
    `STRETCH` + `SHIFT`.
    """
    result = np.empty(images.shape, np.float32)
    for start in range(0, len(images), AT_A_TIME):
        part = torch.as_tensor(images[start : start + AT_A_TIME], dtype=torch.float32)
        grid = functional.affine_grid(_shears(part), list(part.shape), align_corners=False)
        upright = functional.grid_sample(part, grid, align_corners=False)
        result[start : start + AT_A_TIME] = upright.mul_(STRETCH).add_(SHIFT).numpy()
    return result


def _shears(images: Tensor) -> Tensor:
    """Affine map from upright to original positions, (n, 2, 3), in half sides from the middle."""
    mass = images.sum(1)
    mass = mass / mass.sum((1, 2), keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    rows, columns = (_pixel_centres(size) for size in mass.shape[1:])
    down, right = mass.sum(2), mass.sum(1)
    row, column = down @ rows, right @ columns
    height = (down @ rows.square() - row.square()).clamp_min(MIN_HEIGHT)
    covariance = torch.einsum("nyx,y,x->n", mass, rows, columns) - row * column
    zero, one = torch.zeros_like(row), torch.ones_like(row)
    return torch.stack(
        [torch.stack([one, covariance / height, column], 1), torch.stack([zero, one, row], 1)], 1
    )


def _pixel_centres(size: int) -> Tensor:
    return (torch.arange(size) + 0.5) * (2.0 / size) - 1.0
