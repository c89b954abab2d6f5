"""The same noise on every coordinate."""

from __future__ import annotations

from dpcore.deep.config import TrainingConfig
from dpcore.deep.shapes.shape import NoiseShape, ShapeInputs


def _isotropic(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    return NoiseShape()


SHAPES = {"isotropic": _isotropic}
