"""How a score follows from a row and the weights: a linear model, or a small network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dpcore.release.grid import Array
from dpcore.release.linear import Linear
from dpcore.release.network import Network

if TYPE_CHECKING:
    from dpcore.release.onnx_graph import Graph


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
