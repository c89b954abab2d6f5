"""A released model as an ONNX graph of its own, with the preparation of its columns.

One input a column, of shape (records, 1): numbers as doubles (NaN where unknown), categories and
answers of yes or no as the texts that the description lists (any other one is unknown). One output,
``score``, in double precision, and for the logistic loss ``risk``, its probability; where a column
has that name, the output's gets an underscore after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets.additive import STEPS

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
