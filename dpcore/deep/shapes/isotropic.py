"""The same noise on every coordinate."""

from __future__ import annotations

from dpcore.deep.recipe import Recipe
from dpcore.deep.shapes.shape import Given, NoiseShape


def _isotropic(recipe: Recipe, given: Given) -> NoiseShape:
    return NoiseShape()


SHAPES = {"isotropic": _isotropic}
