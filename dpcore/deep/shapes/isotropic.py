"""The same noise on every coordinate."""

from __future__ import annotations

from dpcore.deep.config import TrainingConfig
from dpcore.deep.shapes.shape import Given, NoiseShape


def _isotropic(config: TrainingConfig, given: Given) -> NoiseShape:
    return NoiseShape()


SHAPES = {"isotropic": _isotropic}
