"""A public centre for the scattering features of written digits.

Half of the squared length of MNIST's scattering features is what all its images share. A centre
that is taken away from every record leaves a linear model the same choices and a shorter gradient,
so that clipping cuts off less of what tells digits apart. The records' own mean would cost
privacy; this one is of other people's digits, those that come with scikit-learn, and costs none.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from dpcore.datasets import images
from dpcore.deep import scattering

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE, DRAWN = 28, 20
"""MNIST's images, and the box in their middle that its digits fill, as its authors describe it."""


@functools.cache
def centre() -> NDArray[np.float32]:
    """Mean features of scikit-learn's 1,797 digits, drawn as large as MNIST's: (3,969,)."""
    found = images.load("digits")
    small = torch.from_numpy(np.concatenate([found.train_inputs, found.test_inputs]))
    drawn = functional.interpolate(small, (DRAWN, DRAWN), mode="bicubic").clamp(0.0, 1.0)
    framed = functional.pad(drawn, ((SIDE - DRAWN) // 2,) * 4).numpy()
    mean: NDArray[np.float32] = (
        scattering.features(framed).mean(0, dtype=np.float64).astype(np.float32)
    )
    return mean


def centred(features: NDArray[np.float32]) -> NDArray[Any]:
    """Scattering features of 28 × 28 grey images less the `centre`: (records, 3,969)."""
    return features - centre()
