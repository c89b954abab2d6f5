"""How a score follows from a row and the weights: a linear model, or a small network.

Slopes of the losses are made of operations that IEEE 754 rounds in one way (`dpcore.release.grid`).
Any function from margins to [-1, 0] is as private as any other: these need be accurate, for the
model to be the one that was asked for, but nothing is proved from that.

A released model is an ONNX graph of its own, with the preparation of its columns. It has one input
a column, of shape (records, 1): numbers as doubles (NaN where unknown), categories and answers of
yes or no as the texts that the description lists (any other one is unknown). One output, ``score``,
in double precision, and for the logistic loss ``risk``, its probability; where a column has that
name, the output's gets an underscore after it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dpcore.datasets.features import STEPS
from dpcore.erm.methods.dpgd import DEFAULT_MOST_STEPS
from dpcore.erm.problem import Problem
from dpcore.errors import one_of
from dpcore.release.grid import Array, products

if TYPE_CHECKING:
    from dpcore.datasets.schema import Column, Entry


OPSET, IR_VERSION = 19, 9


class Graph:
    """The nodes and constants of a graph in the making."""

    def __init__(self, reserved_names: Iterable[str]) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._used_names = set(reserved_names)

    def free(self, name: str) -> str:
        """The name, or a longer one where it is a column's."""
        while name in self._used_names:
            name += "_"
        self._used_names.add(name)
        return name

    def constant(self, values: Any) -> str:
        """The name of a new constant."""
        from onnx import numpy_helper

        name, array = self.free(f"c{len(self.constants)}"), np.asarray(values)
        # ONNX recognises texts by their type, which is object.
        array = array.astype(object) if array.dtype.kind == "U" else array
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, operation: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """The name of a new node's output."""
        from onnx import helper

        name = output or self.free(f"v{len(self.nodes)}")
        self.nodes.append(helper.make_node(operation, inputs, [name], **attributes))
        return name


def graph(
    entry: Entry,
    features: str,
    loss: str,
    score: Callable[[Graph, str, str], str],
    risks: tuple[tuple[float, ...], tuple[float, ...]] | None = None,
) -> bytes:
    """Write the file of a model, whose `score` adds the score of a row to the graph."""
    from onnx import TensorProto, checker, helper

    graph, inputs, parts = Graph(column.name for column in entry.columns), [], []
    for column in entry.columns:
        kind = TensorProto.DOUBLE if column.kind == "number" else TensorProto.STRING
        inputs.append(helper.make_tensor_value_info(column.name, kind, [None, 1]))
        part = _number if column.kind == "number" else _answer
        parts.append(part(graph, column, features))
    # The intercept: one for each record, from the shape of any part.
    rows = graph.add("Shape", parts[0], end=1)
    shape = graph.add("Concat", rows, graph.constant(np.array([1])), axis=0)
    parts.append(graph.add("Expand", graph.constant(np.ones((1, 1))), shape))
    row = graph.add("Concat", *parts, axis=1)
    squares = graph.add("ReduceSum", graph.add("Mul", row, row), graph.constant(np.array([1])))
    row = graph.add("Div", row, graph.add("Sqrt", squares))
    name = graph.free("score")
    score_output = score(graph, row, "" if risks else name)
    outputs = [_corrected(graph, score_output, *risks, name) if risks else score_output]
    if loss == "logistic":
        outputs.append(graph.add("Sigmoid", outputs[0], output=graph.free("risk")))
    built = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "released model",
            inputs,
            [
                helper.make_tensor_value_info(name, TensorProto.DOUBLE, [None, 1])
                for name in outputs
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="dpcore",
    )
    checker.check_model(built, full_check=True)
    return bytes(built.SerializeToString(deterministic=True))


def _corrected(
    graph: Graph, score: str, at: tuple[float, ...], values: tuple[float, ...], output: str
) -> str:
    """Correct as `dpcore.release.risk_counts.log_odds`: the parts of each piece, added up."""
    lower, upper = np.array(at[:-1]), np.array(at[1:])
    slopes = np.diff(values) / (upper - lower)
    within = graph.add("Max", score, graph.constant(lower[np.newaxis]))
    within = graph.add("Min", within, graph.constant(upper[np.newaxis]))
    parts = graph.add("Sub", within, graph.constant(lower[np.newaxis]))
    risen = graph.add("MatMul", parts, graph.constant(slopes[:, np.newaxis]))
    return graph.add("Add", risen, graph.constant(np.array([[values[0]]])), output=output)


def _number(graph: Graph, column: Column, features: str) -> str:
    """Scale as `dpcore.datasets.encoding.scaled`: clipped, in [0, 1], unknown in the middle."""
    lower, upper = column.bounds
    low, one, two = (graph.constant(np.array([[value]])) for value in (lower, 1.0, 2.0))
    width, half = graph.constant(np.array([[upper - lower]])), graph.constant(np.array([[0.5]]))
    zero = graph.constant(np.array([[0.0]]))
    unknown = graph.add("IsNaN", column.name)
    share = graph.add("Div", graph.add("Sub", column.name, low), width)
    share = graph.add("Min", graph.add("Max", share, zero), one)
    share = graph.add("Where", unknown, half, share)
    line = graph.add("Sub", graph.add("Mul", share, two), one)
    steps = STEPS.get(features)
    if steps is None:
        return line
    height = graph.constant(np.array([[steps.weight * steps.count**-0.5]]))
    above = graph.add("GreaterOrEqual", share, graph.constant(steps.cuts[np.newaxis]))
    stairs = graph.add("Where", above, height, graph.add("Neg", height))
    return graph.add("Concat", line, stairs, axis=1)


def _answer(graph: Graph, column: Column, features: str) -> str:
    """Make one feature a level, and of an answer of yes or no one of yes."""
    levels = list(column.levels) if column.kind == "category" else [column.codes[1]]
    same = graph.add("Equal", column.name, graph.constant(np.array([levels])))
    indicators = graph.add("Cast", same, to=11)
    if not column.missing_marks:
        return indicators
    one, axis = graph.constant(np.array([[1.0]])), graph.constant(np.array([1]))
    unknown = graph.add("Sub", one, graph.add("ReduceSum", indicators, axis))
    return graph.add("Concat", indicators, unknown, axis=1)


Slope = Callable[[Array], Array]

LOSSES = ("logistic", "huber")
HUBER_WIDTH = Problem.huber_width
"""As the step length of a `Plan` assumes."""
_TERMS = 14
_FARTHEST = 40.0
SEED = 1
"""Seed of the hidden units' first weights, by Python's `random.Random(SEED).random()`, whose
numbers are the same in every version."""
SPREAD, FIRST = 1.0, 0.5
"""Standard deviation of the first u, and the first v."""
HIDDEN, MAX_HIDDEN = 8, 64
"""Hidden units by rule, and at most. Widths of 2 to 8 hardly differ on the cohort; interactions
want more."""


def slope_of(loss: str) -> Slope:
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


class Scorer(Protocol):
    """A kind of model answers what a release asks of it. All of it is public."""

    @property
    def loss(self) -> str:
        """The loss whose slope the gradients have."""

    @property
    def features(self) -> int:
        """d, the length of a row."""

    @property
    def hidden(self) -> int:
        """The number of units in the hidden layer; 0 of a linear model."""

    @property
    def parameters(self) -> int:
        """The number of weights."""

    @property
    def words(self) -> str:
        """What the kind of model is called."""

    def pace(self, steps: int, rate: float, longest: float) -> tuple[int, float]:
        """T and the step length by rule.

        Parameters
        ----------
        steps, rate : int, float
            Those of a linear model.
        longest : float
            1/β, β being the loss's curvature in a linear model.
        """

    def start(self) -> Array:
        """The weights before the first step."""

    def steepest(self) -> Array:
        """Weights at which gradients of the records of an attack are as long as any."""

    def scores(self, rows: Array, weights: Array) -> Array:
        """The score of each row, by its own features alone; shape (m,).

        Parameters
        ----------
        rows : (d, m) array
            Of norm at most 1 each.
        weights : (parameters,) array
            Public, as what was released.
        """

    def reach(self, weights: Array) -> Array:
        """A vector of d numbers that is as long as any score may be, from the weights alone."""

    def gradients(self, signed: Array, weights: Array) -> Array:
        """The gradient of the loss of each row, by its own features alone; shape (parameters, m).

        It is made element by element, in one order, and has length at most 1 but for rounding.

        Parameters
        ----------
        signed : (d, m) array
            Rows times their label of ±1, or 0 of a blank one.
        weights : (parameters,) array
            Those of the step.
        """

    def facts(self) -> dict[str, Any]:
        """What a certificate says of it besides the loss."""

    def score_node(self, weights: Array, graph: Graph, row: str, output: str) -> str:
        """Add the score of a row to a graph of ONNX; its name.

        Parameters
        ----------
        weights : (parameters,) array
            Written into the graph as constants.
        graph : Graph
            The graph in the making.
        row : str
            Name of the rows, of shape (records, d).
        output : str
            The score's name; "" for a new one.
        """


def scorer(loss: str, features: int, hidden: int) -> Scorer:
    """Make a linear model where there is no hidden layer, else a network."""
    return Network(loss, features, hidden) if hidden else Linear(loss, features)


@dataclass(frozen=True)
class Linear:
    """A `Scorer` with one weight a feature: the score of a row is wᵀx."""

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
        return linear_gradients(signed, weights, slope_of(self.loss))

    def facts(self) -> dict[str, Any]:
        return {}

    def score_node(self, weights: Array, graph: Graph, row: str, output: str) -> str:
        return graph.add("MatMul", row, graph.constant(weights[:, np.newaxis]), output=output)


def linear_gradients(signed: Array, weights: Array, slope: Slope) -> Array:
    return signed * in_range(slope, products(signed, weights))


@dataclass(frozen=True)
class Network:
    """A `Scorer` of d features with h hidden units, at least 1, and a parallel linear part.

    The score of a row x of d features is

        f(x) = wᵀx + Σⱼ vⱼ a(uⱼᵀx),   a(z) = z/√(1 + z²),

    with h units in the hidden layer and d + h + hd weights, in the order w, v, u₁, …, u_h. The last
    feature is the intercept, of each unit, too. As a is odd, so is f: a row times its label y = ±1
    gives y f(x), and the gradient of the loss needs the label nowhere else. A blank row, all 0, has
    none.

    The gradient of a row is as long as √(|x|² (1 + Σ vⱼ² a'ⱼ²) + Σ aⱼ²) times the slope of the
    loss, which has no bound, so it is clipped: divided by its length where that is more than 1. All
    of it is made of additions, products, quotients, square roots and comparisons, unit by unit and
    feature by feature, as `dpcore.release.grid` asks for.

    Training begins at w = 0, all v alike, and u drawn from a fixed public seed: units that begin
    alike would stay alike but for the noise.
    """

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
