"""A public change of coordinates for the scattering features of written digits.

Half of the squared length of MNIST's scattering features is what all its images share, and most of
the rest is how one and the same digit varies. Clipping shortens a record by all of it alike. So the
features lose a centre and are pressed together most where one digit's images differ most: a linear
model has about the same choices, with more of each clipped gradient telling digits apart.

The records' own mean and spread would cost privacy. These are of other people's digits, those that
come with scikit-learn, and cost none.
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
"""MNIST's images, and the box in their middle that its digits fill, as its authors describe it."""

KEPT = 512
"""Directions in which one digit's images differ most; the others are left out."""

LEAST = 1.0
"""A direction of variance v within digits is divided by √(v + least): 0 would whiten all of them.
Chosen on held-out training records of MNIST (docs/accuracy.md)."""

AT_A_TIME = 4_096


def whitened(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scattering features of 28 × 28 grey images in the public coordinates.

    Parameters
    ----------
    features : array (n, 3,969)
        From `dpcore.deep.scattering.features`.

    Returns
    -------
    array (n, 512)
        A row depends on its own image and on scikit-learn's digits, on nothing else.
    """
    centre, directions = _fitted()
    found = np.empty((len(features), KEPT), np.float32)
    for start in range(0, len(features), AT_A_TIME):
        part = slice(start, start + AT_A_TIME)
        found[part] = (features[part] - centre) @ directions
    return found


@functools.cache
def _fitted() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Centre (3,969,) and scaled directions (3,969, 512) of scikit-learn's 1,797 digits."""
    found = images.load("digits")
    small = torch.from_numpy(np.concatenate([found.train_inputs, found.test_inputs]))
    digits = np.concatenate([found.train_targets, found.test_targets])
    drawn = functional.interpolate(small, (DRAWN, DRAWN), mode="bicubic").clamp(0.0, 1.0)
    framed = functional.pad(drawn, ((SIDE - DRAWN) // 2,) * 4).numpy()
    features = scattering.features(framed).astype(np.float64)
    within = features.copy()
    for digit in range(10):
        within[digits == digit] -= features[digits == digit].mean(0)
    # The Gram matrix has the covariance's spectrum and is less than half its size.
    count = len(within)
    variance, weights = np.linalg.eigh(within @ within.T / count)
    variance, weights = variance[: -KEPT - 1 : -1], weights[:, : -KEPT - 1 : -1]
    directions = within.T @ weights / np.sqrt(count * variance)
    scaled = directions / np.sqrt(variance + LEAST)
    return features.mean(0).astype(np.float32), scaled.astype(np.float32)
