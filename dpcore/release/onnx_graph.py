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
    """The nodes and constants of a graph in the making.

    Parameters
    ----------
    taken : iterable of str
        Names of the columns, which nothing else may have.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(taken)

    def free(self, name: str) -> str:
        """The name, or a longer one where it is a column's."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def constant(self, values: Any) -> str:
        """The name of a new constant."""
        from onnx import numpy_helper

        name, array = self.free(f"c{len(self.constants)}"), np.asarray(values)
        # Texts are told from numbers by their being objects.
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
    """The file of a model.

    Parameters
    ----------
    entry : Entry
    features, loss : str
    score : callable
        (graph, row, output) -> the score of a row in it.
    risks : tuple, optional
        The curve that corrects risks, as of a `Model`.
    """
    from onnx import TensorProto, checker, helper

    made, inputs, parts = Graph(column.name for column in entry.columns), [], []
    for column in entry.columns:
        kind = TensorProto.DOUBLE if column.kind == "number" else TensorProto.STRING
        inputs.append(helper.make_tensor_value_info(column.name, kind, [None, 1]))
        part = _number if column.kind == "number" else _answer
        parts.append(part(made, column, features))
    # The intercept: one for each record, from the shape of any part.
    rows = made.add("Shape", parts[0], end=1)
    shape = made.add("Concat", rows, made.constant(np.array([1])), axis=0)
    parts.append(made.add("Expand", made.constant(np.ones((1, 1))), shape))
    row = made.add("Concat", *parts, axis=1)
    squares = made.add("ReduceSum", made.add("Mul", row, row), made.constant(np.array([1])))
    row = made.add("Div", row, made.add("Sqrt", squares))
    name = made.free("score")
    found = score(made, row, "" if risks else name)
    outputs = [_corrected(made, found, *risks, name) if risks else found]
    if loss == "logistic":
        outputs.append(made.add("Sigmoid", outputs[0], output=made.free("risk")))
    built = helper.make_model(
        helper.make_graph(
            made.nodes,
            "released model",
            inputs,
            [
                helper.make_tensor_value_info(name, TensorProto.DOUBLE, [None, 1])
                for name in outputs
            ],
            made.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="dpcore",
    )
    checker.check_model(built, full_check=True)
    return bytes(built.SerializeToString(deterministic=True))


def _corrected(
    made: Graph, score: str, at: tuple[float, ...], values: tuple[float, ...], output: str
) -> str:
    """As `dpcore.release.risk_counts.log_odds`: the parts of each straight piece, added up."""
    lower, upper = np.array(at[:-1]), np.array(at[1:])
    slopes = np.diff(values) / (upper - lower)
    within = made.add("Max", score, made.constant(lower[np.newaxis]))
    within = made.add("Min", within, made.constant(upper[np.newaxis]))
    parts = made.add("Sub", within, made.constant(lower[np.newaxis]))
    risen = made.add("MatMul", parts, made.constant(slopes[:, np.newaxis]))
    return made.add("Add", risen, made.constant(np.array([[values[0]]])), output=output)


def _number(made: Graph, column: Column, features: str) -> str:
    """As `dpcore.datasets.encoding.scaled`: clipped, in [0, 1], unknown in the middle."""
    lower, upper = column.bounds
    low, one, two = (made.constant(np.array([[value]])) for value in (lower, 1.0, 2.0))
    width, half = made.constant(np.array([[upper - lower]])), made.constant(np.array([[0.5]]))
    zero = made.constant(np.array([[0.0]]))
    unknown = made.add("IsNaN", column.name)
    share = made.add("Div", made.add("Sub", column.name, low), width)
    share = made.add("Min", made.add("Max", share, zero), one)
    share = made.add("Where", unknown, half, share)
    line = made.add("Sub", made.add("Mul", share, two), one)
    steps = STEPS.get(features)
    if steps is None:
        return line
    height = made.constant(np.array([[steps.weight * steps.count**-0.5]]))
    above = made.add("GreaterOrEqual", share, made.constant(steps.cuts[np.newaxis]))
    stairs = made.add("Where", above, height, made.add("Neg", height))
    return made.add("Concat", line, stairs, axis=1)


def _answer(made: Graph, column: Column, features: str) -> str:
    """One feature a level; of an answer of yes or no, one of yes."""
    levels = list(column.levels) if column.kind == "category" else [column.codes[1]]
    same = made.add("Equal", column.name, made.constant(np.array([levels])))
    found = made.add("Cast", same, to=11)
    if not column.missing_mark:
        return found
    one, axis = made.constant(np.array([[1.0]])), made.constant(np.array([1]))
    unknown = made.add("Sub", one, made.add("ReduceSum", found, axis))
    return made.add("Concat", found, unknown, axis=1)
