"""Shapes of the noise: how much each weight gets, and how clipping goes along with it.

One shape is one file here that defines `SHAPES`: its name to the function that builds it. The
register finds the file. What each is worth is said by `dpcore.deep.guarantee`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from dpcore.deep.config import TrainingConfig
from dpcore.deep.shapes.shape import Build, Given, NoiseShape


@cache
def register() -> dict[str, Build]:
    """Every shape by its name in a configuration."""
    found: dict[str, Build] = {}
    for module in pkgutil.iter_modules(__path__):
        shapes = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SHAPES", {})
        found.update(shapes)
    return found


def build(config: TrainingConfig, given: Given) -> NoiseShape:
    """The shape that a configuration asks for, at its beginning."""
    return register()[config.noise](config, given)
