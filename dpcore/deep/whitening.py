"""A public change of coordinates for the scattering features of written digits.

A centre is subtracted, and directions are shrunk most where one digit's images vary most, so that
more of each clipped gradient distinguishes digits. Both are from other people's digits, those that
come with scikit-learn, and cost no privacy.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from dpcore.datasets import images
from dpcore.deep import scattering

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE, DRAWN = 28, 20
"""Side of MNIST's images, and of the central box that its digits fill, as its authors describe."""

DIRECTIONS = 512
"""Number of directions of largest variance within digits; the others are left out."""

MIN = 1.0
"""A direction of variance v within digits is divided by √(v + least): 0 would whiten all of them.
Chosen on held-out training records of MNIST (docs/accuracy.md)."""

AT_A_TIME = 4_096


def whitened(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scattering features (n, 3,969) of 28 × 28 grey images in 512 public coordinates."""
    centre, directions = _fitted()
    result = np.empty((len(features), DIRECTIONS), np.float32)
    for start in range(0, len(features), AT_A_TIME):
        part = slice(start, start + AT_A_TIME)
        result[part] = (features[part] - centre) @ directions
    return result


@functools.cache
def _fitted() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Centre (3,969,) and scaled directions (3,969, 512) of scikit-learn's 1,797 digits."""
    examples = images.load("digits")
    small = torch.from_numpy(np.concatenate([examples.train_inputs, examples.test_inputs]))
    digits = np.concatenate([examples.train_targets, examples.test_targets])
    resized = functional.interpolate(small, (DRAWN, DRAWN), mode="bicubic").clamp(0.0, 1.0)
    framed = functional.pad(resized, ((SIDE - DRAWN) // 2,) * 4).numpy()
    features = scattering.features(framed).astype(np.float64)
    within = features.copy()
    for digit in range(10):
        within[digits == digit] -= features[digits == digit].mean(0)
    # The Gram matrix has the covariance's spectrum and is less than half its size.
    count = len(within)
    variance, weights = np.linalg.eigh(within @ within.T / count)
    variance, weights = variance[: -DIRECTIONS - 1 : -1], weights[:, : -DIRECTIONS - 1 : -1]
    directions = within.T @ weights / np.sqrt(count * variance)
    scaled = directions / np.sqrt(variance + MIN)
    return features.mean(0).astype(np.float32), scaled.astype(np.float32)
