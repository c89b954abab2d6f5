"""Noise on exact sums: the only step of a twin that draws noise on records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.release.descent import Draw
from dpcore.release.grid import Array
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.twin.cells import Whole
from dpcore.release.twin.mechanism import Counting


def noisy_counts(
    counts: Sequence[Whole], mechanism: Counting, draw: Draw = rounded_gaussians
) -> list[Array]:
    """Tables with noise, in records; another `draw` is for made-up records only."""
    if len(counts) != mechanism.tables:
        raise ValueError("the mechanism is of another number of tables")
    return [
        _noisy(exact.ravel(), mechanism.units, mechanism, draw).reshape(exact.shape)
        for exact in counts
    ]


def noisy_products(products: Whole, mechanism: Counting, draw: Draw = rounded_gaussians) -> Array:
    """Sums of products with noise, in records; for the arguments see `noisy_counts`."""
    if not mechanism.weight or len(products) != mechanism.tables * (mechanism.tables - 1) // 2:
        raise ValueError("the mechanism is of no pairs, or of others")
    return _noisy(products, mechanism.weight, mechanism, draw)


def _noisy(exact: Whole, units: int, mechanism: Counting, draw: Draw) -> Array:
    noise = draw(mechanism.sigma, len(exact))
    # Python's whole numbers have no end, so no draw overflows.
    return np.array(
        [(units * value + more) / units for value, more in zip(exact.tolist(), noise, strict=True)]
    )
