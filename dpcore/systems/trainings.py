"""Trainings of networks that stand for systems of the literature: what Train opens with."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.deep.recipe import Recipe


@dataclass(frozen=True)
class Example:
    """A training to start from.

    Parameters
    ----------
    dataset, features : str
        Built in, so that it can be run without the network.
    records : int
        n of that set's training records, to account for.
    recipe : Recipe
        Its σ stands for any: Train solves for it.
    """

    dataset: str
    features: str
    records: int
    recipe: Recipe


def _digits(recipe: Recipe, features: str = "raw") -> Example:
    return Example("digits", features, 1_437, recipe)


_SGD = Recipe(widths=(64,), epochs=30)

TRAININGS = {
    "dp-sgd": _digits(_SGD),
    "decaying": _digits(Recipe(widths=(64,), epochs=30, decay=0.95)),
    "scaled": _digits(Recipe(widths=(64,), epochs=30, noise="scaled")),
    "published-004": _digits(Recipe(widths=(64,), epochs=30, noise="published-004")),
    "scattering": _digits(Recipe(network="linear", epochs=30), "scattering"),
    "network-000": Example("heart", "raw", 237, Recipe(epochs=50, batch=64, learning_rate=0.2)),
}
"""By key."""
