"""Slopes of the losses, made of operations that IEEE 754 rounds in one way (`dpcore.release.grid`).

Any function from margins to [-1, 0] is as private as any other: these need be accurate, for the
model to be the one that was asked for, but nothing is proved from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcore.erm.problem import Problem
from dpcore.errors import one_of
from dpcore.release.grid import Array

Slope = Callable[[Array], Array]

LOSSES = ("logistic", "huber")
HUBER_WIDTH = Problem.huber_width
"""As the step length of a `Plan` assumes."""
_TERMS = 14
_FARTHEST = 40.0


def slope_of(loss: str) -> Slope:
    """The slope of a loss by its name."""
    return _logistic if one_of("loss", loss, LOSSES) == "logistic" else _huber


def in_range(slope: Slope, margins: Array) -> Array:
    """A loss's slopes at margins (0 for one that is not finite), or 0 where they leave [-1, 0]."""
    slopes = slope(np.where(np.isfinite(margins), margins, 0.0))
    return np.where((slopes >= -1.0) & (slopes <= 0.0), slopes, 0.0)


def _logistic(margins: Array) -> Array:
    """-1/(1 + e^m); relative error below 1e-13."""
    return np.asarray(-1.0 / (1.0 + _exponential(np.clip(margins, -_FARTHEST, _FARTHEST))))


def _huber(margins: Array) -> Array:
    """Slope of the hinge that is smoothed over 1 ± h."""
    return np.clip((margins - (1.0 + HUBER_WIDTH)) / (2.0 * HUBER_WIDTH), -1.0, 0.0)


def _exponential(values: Array) -> Array:
    """e^x by Taylor's series about the nearest multiple of ln 2."""
    doublings = np.rint(values * math.log2(math.e))
    rest = values - doublings * math.log(2.0)
    result = np.ones_like(rest)
    for term in range(_TERMS, 0, -1):
        result = 1.0 + result * rest / term
    return np.asarray(np.ldexp(result, doublings.astype(np.int32)))
