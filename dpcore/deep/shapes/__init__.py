"""Shapes of the noise: the noise of each weight, and the clipping that matches it.

Each file here defines `SHAPES`: its name to the function that builds it.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from dpcore.deep.config import TrainingConfig
from dpcore.deep.shapes.shape import Build, NoiseShape, ShapeInputs


@cache
def register() -> dict[str, Build]:
    """Every shape by its name in a configuration."""
    builders: dict[str, Build] = {}
    for module in pkgutil.iter_modules(__path__):
        shapes = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SHAPES", {})
        builders.update(shapes)
    return builders


def build(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    """The shape that a configuration names, in its initial state."""
    return register()[config.noise](config, inputs)
