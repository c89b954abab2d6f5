"""The same noise on every coordinate."""

from __future__ import annotations

from dpcore.deep.recipe import Recipe
from dpcore.deep.shapes.shape import Given, Shape


def _isotropic(recipe: Recipe, given: Given) -> Shape:
    return Shape()


SHAPES = {"isotropic": _isotropic}
