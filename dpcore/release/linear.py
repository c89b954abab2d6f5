"""A linear model: the score of a row is wᵀx."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.release.grid import Array, products
from dpcore.release.slopes import Slope, in_range, slope_of

if TYPE_CHECKING:
    from dpcore.release.onnx_graph import Graph


@dataclass(frozen=True)
class Linear:
    """A `Scorer` with one weight a feature."""

    loss: str
    features: int

    @property
    def hidden(self) -> int:
        return 0

    @property
    def parameters(self) -> int:
        return self.features

    @property
    def words(self) -> str:
        return "linear model"

    def pace(self, steps: int, rate: float, longest: float) -> tuple[int, float]:
        return steps, rate

    def start(self) -> Array:
        return np.zeros(self.features)

    def steepest(self) -> Array:
        """Weights at which a record whose second feature is not tiny has the full slope."""
        weights: Array = np.zeros(self.features)
        weights[1] = -1e6
        return weights

    def scores(self, rows: Array, weights: Array) -> Array:
        return products(rows, weights)

    def reach(self, weights: Array) -> Array:
        """The weights themselves, as no row is longer than 1."""
        return weights

    def gradients(self, signed: Array, weights: Array) -> Array:
        """Each row's gradient, shape (d, m), no longer than the row."""
        return gradients(signed, weights, slope_of(self.loss))

    def facts(self) -> dict[str, Any]:
        return {}

    def score_node(self, weights: Array, graph: Graph, row: str, output: str) -> str:
        return graph.add("MatMul", row, graph.constant(weights[:, np.newaxis]), output=output)


def gradients(signed: Array, weights: Array, slope: Slope) -> Array:
    return signed * in_range(slope, products(signed, weights))
