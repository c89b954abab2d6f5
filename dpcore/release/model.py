"""A released model: weights, and the description of the columns that they belong to; no record.

It is stored as JSON (`ReleasedModel.to_json`) or ONNX (`dpcore.release.scorer`), never as a
pickle.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets.own.description import described
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.schema import Entry
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.release import grid
from dpcore.release.documents import canonical, digest
from dpcore.release.grid import Array
from dpcore.release.risk_counts import Points, log_odds
from dpcore.release.scorer import LOSSES, MAX_HIDDEN, Scorer, scorer
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "dpcore model 1"
FEATURES = ("plain", "additive")
POINTS, MAX_POINTS = ("scores", "log_odds"), 100
"""The curve's two lists in the file, and how long they may be."""
_FIELDS = ("columns", "features", "loss", "weights")
MAX_BYTES = 200_000
"""Of a model's file: the longest description, and weights for all of its columns."""
LARGEST_WEIGHT = 1e100
"""No training comes near it, and no score of such weights overflows."""


def preparation_for(features: str) -> Preparation:
    """How a released model's records become rows: by public values, with an intercept."""
    chosen = one_of("features", features, FEATURES)
    return replace(Preparation(intercept=True), features=chosen)  # type: ignore[arg-type]


@dataclass(frozen=True)
class ReleasedModel:
    """A linear model of two classes, or a small network."""

    columns: str  # the description of the table
    features: str  # plain or additive
    loss: str  # logistic, whose score is the log odds, or huber
    weights: tuple[float, ...]  # one a feature, the intercept last; of a network as in `Network`
    risks: Points | None = None  # the curve that corrects risks (`dpcore.release.risk_counts`)
    hidden: int = 0  # units of a network's hidden layer; 0 is a linear model

    def __post_init__(self) -> None:
        one_of("loss", self.loss, LOSSES)
        hidden = whole("hidden", self.hidden, at_least=0, at_most=MAX_HIDDEN)
        object.__setattr__(self, "hidden", hidden)
        count = self.scorer.parameters
        if len(self.weights) != count:
            raise reject("number of weights", len(self.weights), str(count))
        for weight in self.weights:
            if isinstance(weight, bool) or not isinstance(weight, int | float):
                raise reject("weight", weight, "a number")
            number("weight", weight, at_least=-LARGEST_WEIGHT, at_most=LARGEST_WEIGHT)
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))
        if self.risks is not None:
            object.__setattr__(self, "risks", _points(self.risks, self.loss))

    @cached_property
    def entry(self) -> Entry:
        """The described columns and outcome."""
        return entry_of(self.columns)

    @cached_property
    def preparation(self) -> Preparation:
        """How a record becomes a row."""
        return preparation_for(self.features)

    @cached_property
    def scorer(self) -> Scorer:
        """How a row becomes a score."""
        return scorer(self.loss, dimension(self.entry, self.features), self.hidden)

    def scores(self, frame: pd.DataFrame) -> Array:
        """The score of each record, shape (n,); the (corrected) log odds by the logistic loss."""
        rows = grid.rows(self.entry, frame, self.preparation)
        scores = self.scorer.scores(rows, np.array(self.weights))
        return scores if self.risks is None else log_odds(scores, self.risks)

    def to_json(self) -> str:
        """The model as the text of a file."""
        return json.dumps(self._document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> ReleasedModel:
        """A model from the text of its file."""
        try:
            plain = json.loads(text, object_pairs_hook=_each_once)
        except (ValueError, RecursionError):
            raise reject("model", text, "a model as JSON, each field once") from None
        if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
            raise InvalidInput(f"The model is of another format, but it must be {FORMAT!r}.")
        points = plain.pop("risks", None)
        if {*plain, "hidden"} != {*_FIELDS, "hidden"} or not isinstance(plain["weights"], list):
            raise InvalidInput(
                f"The model must have exactly the fields {', '.join(_FIELDS)}, and hidden where it "
                "is a network."
            )
        for name in _FIELDS[:3]:
            if not isinstance(plain[name], str):
                raise reject(name, plain[name], "a text")
        if points is not None:
            if not isinstance(points, dict) or set(points) != set(POINTS):
                raise reject("risks", points, f"an object of {' and '.join(POINTS)}")
            points = (points[POINTS[0]], points[POINTS[1]])
        return cls(**{**plain, "weights": tuple(plain["weights"])}, risks=points)

    def to_onnx(self) -> bytes:
        """The model as an ONNX file that takes columns as they are (`onnx_graph.graph`)."""
        from dpcore.release.scorer import graph

        score = partial(self.scorer.score_node, np.array(self.weights))
        return graph(self.entry, self.features, self.loss, score, self.risks)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of its canonical JSON."""
        return digest(canonical(self._document))

    @property
    def _document(self) -> dict[str, Any]:
        document = {"format": FORMAT, **asdict(self), "weights": list(self.weights)}
        del document["risks"], document["hidden"]
        if self.hidden:
            document["hidden"] = self.hidden
        if self.risks is not None:
            document["risks"] = dict(zip(POINTS, map(list, self.risks), strict=True))
        return document


def read_model(data: bytes) -> ReleasedModel:
    """A model from the bytes of a file, from anyone."""
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"The model's file has {spaced(len(data))} bytes, but it must have at most "
            f"{spaced(MAX_BYTES)}."
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The model's file is no text, but it must be JSON in UTF-8.") from None
    return ReleasedModel.from_json(text)


def _points(given: Any, loss: str) -> Points:
    """A curve of risks from anyone: scores that rise, log odds that do not fall."""
    if loss != "logistic":
        raise reject("loss", loss, "logistic, where risks are corrected")
    scores, log_odds = given
    for name, values in zip(POINTS, given, strict=True):
        if not isinstance(values, list | tuple) or not 2 <= len(values) <= MAX_POINTS:
            raise reject(name, values, f"a list of 2 to {MAX_POINTS} numbers")
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise reject(name, value, "a number")
            number(name, value, at_least=-LARGEST_WEIGHT, at_most=LARGEST_WEIGHT)
    if len(scores) != len(log_odds):
        raise reject("number of log odds", len(log_odds), f"that of the scores, {len(scores)}")
    if any(after <= before for before, after in pairwise(scores)):
        raise InvalidInput("The scores of the curve of risks must rise, but do not.")
    if any(after < before for before, after in pairwise(log_odds)):
        raise InvalidInput("The log odds of the curve of risks fall, but must not.")
    return tuple(map(float, scores)), tuple(map(float, log_odds))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; refuses repeated ones, of which programs read either."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError
    return fields


def entry_of(columns: str) -> Entry:
    """The entry of a described table with an outcome of two."""
    entry = described(columns)
    if entry.predicts != "class":
        name = entry.label.name
        kind = "a number" if entry.predicts == "number" else f"one of {entry.classes} values"
        raise InvalidInput(
            f"The outcome {name} is {kind}, but a released model predicts one of two so far, as in "
            f"“predict {name}: one of no, yes”."
        )
    return entry


def dimension(entry: Entry, features: str) -> int:
    """d: every feature, and the intercept; from the description alone."""
    return len(grid.rows(entry, blank_frame(entry), preparation_for(features)))


def blank_frame(entry: Entry) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            column.name: pd.Categorical([None], categories=list(column.levels))
            if column.kind == "category"
            else [0.0]
            for column in entry.columns
        }
    )
