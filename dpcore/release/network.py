"""A small network: one hidden layer, and a parallel linear part.

The score of a row x of d features is

    f(x) = wᵀx + Σⱼ vⱼ a(uⱼᵀx),   a(z) = z/√(1 + z²),

with h units in the hidden layer and d + h + hd weights, in the order w, v, u₁, …, u_h. The last
feature is the intercept, of each unit, too. As a is odd, so is f: a row times its label y = ±1
gives y f(x), and the gradient of the loss needs the label nowhere else. A blank row, all 0, has
none.

The gradient of a row is as long as √(|x|² (1 + Σ vⱼ² a'ⱼ²) + Σ aⱼ²) times the slope of the loss,
which has no bound, so it is clipped: divided by its length where that is more than 1. All of it is
made of additions, products, quotients, square roots and comparisons, unit by unit and feature by
feature, as `dpcore.release.grid` asks for.

Training begins at w = 0, all v alike, and u drawn from a fixed public seed: units that begin alike
would stay alike but for the noise.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.erm.methods.dpgd import DEFAULT_MOST_STEPS
from dpcore.release.grid import Array, products
from dpcore.release.slopes import in_range, slope_of

if TYPE_CHECKING:
    from dpcore.release.onnx_graph import Graph

SEED = 1
"""Seed of the hidden units' first weights, by Python's `random.Random(SEED).random()`, whose
numbers are the same in every version."""
SPREAD, FIRST = 1.0, 0.5
"""Standard deviation of the first u, and the first v."""
HIDDEN, MAX_HIDDEN = 8, 64
"""Hidden units by rule, and at most. Widths of 2 to 8 hardly differ on the cohort; interactions
want more."""


@dataclass(frozen=True)
class Network:
    """A `Scorer` of d features with h hidden units, at least 1."""

    loss: str
    features: int
    hidden: int

    @property
    def parameters(self) -> int:
        return self.features + self.hidden * (1 + self.features)

    @property
    def words(self) -> str:
        return f"network of one hidden layer ({self.hidden} units) beside a linear part,"

    def pace(self, steps: int, rate: float, longest: float) -> tuple[int, float]:
        """Take twice the steps, half as long, at most 1/(β (1 + h v²)) with the first v."""
        curved = 1.0 + self.hidden * FIRST * FIRST
        return min(2 * steps, DEFAULT_MOST_STEPS), min(rate / 2.0, longest / curved)

    def start(self) -> Array:
        """Begin with w = 0, v all alike, u even over ±√3 times its standard deviation; public."""
        draw = random.Random(SEED)
        most = math.sqrt(3.0) * SPREAD
        units = [most * (2.0 * draw.random() - 1.0) for _ in range(self.hidden * self.features)]
        return np.array([0.0] * self.features + [FIRST] * self.hidden + units)

    def steepest(self) -> Array:
        """Weights where the attack's records have full slopes and clipped gradients."""
        direct, outer, units = np.zeros(self.features), np.ones(self.hidden), self._units()
        direct[1], units[:, 0] = -1e6, 1.0
        return np.concatenate([direct, outer, units.ravel()])

    def _units(self) -> Array:
        return np.zeros((self.hidden, self.features))

    def _parts(self, weights: Array) -> tuple[Array, Array, Array]:
        """w, v and u, one row a unit."""
        direct, outer, units = np.split(weights, [self.features, self.features + self.hidden])
        return direct, outer, units.reshape(self.hidden, self.features)

    def scores(self, rows: Array, weights: Array) -> Array:
        direct, outer, units = self._parts(weights)
        result = products(rows, direct)
        for out, unit in zip(outer, units, strict=True):
            activations, _ = _activate(products(rows, unit))
            result += out * activations
        return result

    def reach(self, weights: Array) -> Array:
        """A vector of length |w| + Σ |vⱼ|, as |a| < 1."""
        direct, outer, _ = self._parts(weights)
        most = float(np.linalg.norm(direct) + np.abs(outer).sum())
        return np.full(self.features, most / math.sqrt(self.features))

    def gradients(self, signed: Array, weights: Array) -> Array:
        """Each row's gradient, clipped to length 1; shape (d + h + hd, m)."""
        d, h = self.features, self.hidden
        direct, outer, units = self._parts(weights)
        gradients = np.empty((self.parameters, signed.shape[1]))
        activations, inner = gradients[d : d + h], np.empty((h, signed.shape[1]))
        margins, along, square = products(signed, direct), np.zeros(signed.shape[1]), 0.0
        for unit in range(h):
            activations[unit], slopes = _activate(products(signed, units[unit]))
            inner[unit] = outer[unit] * slopes
            margins += outer[unit] * activations[unit]
            along += inner[unit] * inner[unit]
            square = square + activations[unit] * activations[unit]
        slopes = in_range(slope_of(self.loss), margins)
        lengths = np.zeros(signed.shape[1])
        for column in signed:
            lengths += column * column
        lengths = np.sqrt(lengths * (1.0 + along) + square)
        slopes /= np.maximum(-slopes * lengths, 1.0)
        activations *= slopes
        inner *= slopes
        np.multiply(signed, slopes, out=gradients[:d])
        for unit in range(h):
            begin = d + h + unit * d
            np.multiply(signed, inner[unit], out=gradients[begin : begin + d])
        return gradients

    def facts(self) -> dict[str, Any]:
        return {"hidden": self.hidden, "seed": SEED, "spread": SPREAD, "first": FIRST}

    def score_node(self, weights: Array, graph: Graph, row: str, output: str) -> str:
        direct, outer, units = self._parts(weights)
        line = graph.add("MatMul", row, graph.constant(direct[:, np.newaxis]))
        sums = graph.add("MatMul", row, graph.constant(units.T))
        one = graph.constant(np.array([[1.0]]))
        root = graph.add("Sqrt", graph.add("Add", graph.add("Mul", sums, sums), one))
        activations = graph.add("Div", sums, root)
        curved = graph.add("MatMul", activations, graph.constant(outer[:, np.newaxis]))
        return graph.add("Add", line, curved, output=output)


def _activate(sums: Array) -> tuple[Array, Array]:
    """a(z) = z/√(1 + z²), and its slope (1 + z²)^(-3/2)."""
    root = 1.0 / np.sqrt(1.0 + sums * sums)
    return sums * root, root * root * root
