"""A released model: weights, and the description of the columns that they belong to; no record.

It is kept as JSON (`Model.to_json`) or ONNX (`dpcore.release.onnx_graph`), never as a pickle.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets.own import described
from dpcore.datasets.prepare import Preparation
from dpcore.datasets.schema import Entry
from dpcore.errors import InvalidInput, number, one_of, reject
from dpcore.release import grid
from dpcore.release.canonical import canonical, digest
from dpcore.release.grid import Array
from dpcore.release.slopes import LOSSES

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "dpcore model 1"
FEATURES = ("plain", "additive")
LARGEST_WEIGHT = 1e100
"""No training comes near it, and no score of such weights overflows."""


def preparation_for(features: str) -> Preparation:
    """How a released model's records become rows: by public values, with an intercept."""
    chosen = one_of("features", features, FEATURES)
    return replace(Preparation(intercept=True), features=chosen)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Model:
    """A linear model of two classes.

    Parameters
    ----------
    columns : str
        Description of the table, as `dpcore.datasets.own.described` takes it.
    features : str
        plain or additive.
    loss : str
        logistic, whose score is the log odds, or huber.
    weights : tuple of float
        One a feature, the intercept last.

    Raises
    ------
    InvalidInput
        If a field is wrong, or they do not belong together.
    """

    columns: str
    features: str
    loss: str
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        one_of("loss", self.loss, LOSSES)
        count = dimension(self.entry, self.features)
        if len(self.weights) != count:
            raise reject("number of weights", len(self.weights), str(count))
        for weight in self.weights:
            if isinstance(weight, bool) or not isinstance(weight, int | float):
                raise reject("weight", weight, "a number")
            number("weight", weight, at_least=-LARGEST_WEIGHT, at_most=LARGEST_WEIGHT)
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))

    @cached_property
    def entry(self) -> Entry:
        """The described columns and outcome."""
        return entry_of(self.columns)

    @cached_property
    def preparation(self) -> Preparation:
        """How a record becomes a row."""
        return preparation_for(self.features)

    def scores(self, frame: pd.DataFrame) -> Array:
        """wᵀx of each record, shape (n,): for the logistic loss the log odds.

        Parameters
        ----------
        frame : DataFrame
            As of a `Table`.
        """
        rows = grid.rows(self.entry, frame, self.preparation)
        return grid.products(rows, np.array(self.weights))

    def to_json(self) -> str:
        """The model as the text of a file."""
        return json.dumps(self._document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Model:
        """A model from the text of its file.

        Raises
        ------
        InvalidInput
            If it is none.
        """
        try:
            plain = json.loads(text, object_pairs_hook=_each_once)
        except (ValueError, RecursionError):
            raise reject("model", text, "a model as JSON, each field once") from None
        if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
            raise InvalidInput(f"The model is of another format, but it must be {FORMAT!r}.")
        names = ("columns", "features", "loss", "weights")
        if set(plain) != set(names) or not isinstance(plain["weights"], list):
            raise InvalidInput(f"The model must have exactly the fields {', '.join(names)}.")
        for name in names[:3]:
            if not isinstance(plain[name], str):
                raise reject(name, plain[name], "a text")
        return cls(**{**plain, "weights": tuple(plain["weights"])})

    def to_onnx(self) -> bytes:
        """The model as an ONNX file that takes columns as they are (`onnx_graph.graph`)."""
        from dpcore.release.onnx_graph import graph

        return graph(self.entry, self.features, self.loss, self.weights)

    @property
    def hash(self) -> str:
        """SHA-256 of its canonical JSON."""
        return digest(canonical(self._document))

    @property
    def _document(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self), "weights": list(self.weights)}


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; of a field that stands twice, programs read either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def entry_of(columns: str) -> Entry:
    """The entry of a described table with an outcome of two.

    Raises
    ------
    InvalidInput
        If the description is wrong, or predicts something else.
    """
    entry = described(columns)
    if entry.predicts != "class":
        name = entry.label.name
        kind = "a number" if entry.predicts == "number" else f"one of {entry.classes} values"
        raise InvalidInput(
            f"The outcome {name} is {kind}, but a released model predicts one of two so far, as in "
            f"“predict {name}: one of no, yes”."
        )
    return entry


def untrained(columns: str, features: str, loss: str) -> Model:
    """A model of zeros: what cannot be written of it is found before anything is paid."""
    return Model(columns, features, loss, (0.0,) * dimension(entry_of(columns), features))


def dimension(entry: Entry, features: str) -> int:
    """d: every feature, and the intercept; from the description alone."""
    return len(grid.rows(entry, blank_frame(entry), preparation_for(features)))


def blank_frame(entry: Entry) -> pd.DataFrame:
    """One record of unknown values."""
    import pandas as pd

    return pd.DataFrame(
        {
            column.name: pd.Categorical([None], categories=list(column.levels))
            if column.kind == "category"
            else [0.0]
            for column in entry.columns
        }
    )
