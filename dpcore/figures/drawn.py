"""A figure together with its sentence and its alternative text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go


class Written(go.Figure):  # type: ignore[misc]  # Plotly has no types
    """A figure as it stands, whose dictionary is made once; Plotly copies it at each use."""

    def __init__(self, figure: go.Figure) -> None:
        super().__init__()
        self._written: dict[str, Any] = figure.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The dictionary, which is not to be changed."""
        return self._written


@dataclass(frozen=True)
class Drawn:
    """A figure, what to see in it, and its text for those who do not see it."""

    figure: go.Figure
    sentence: str  # plain, from the same table, to stand under the figure
    alt: str  # what is drawn and its extreme values
    detail: str = ""

    @cached_property
    def written(self) -> Written:
        """The figure for a page that shows it again and again."""
        return Written(self.figure)

    def __post_init__(self) -> None:
        """Name the data, and write them out.

        Streamlit hands each chart to the browser's Plotly twice. It is drawn once if the second
        time Plotly can tell that the data are those of before: by a name, and not from packed
        arrays.
        """
        copies = [trace.to_plotly_json() for trace in self.figure.data]
        for trace, copy in zip(self.figure.data, copies, strict=True):
            for name, values in _arrays(copy):
                trace[name] = None  # a list of the same values would be taken for no change
                trace[name] = values.tolist()
        data = json.dumps(copies, default=_written_out)
        self.figure.layout.datarevision = hashlib.blake2b(data.encode(), digest_size=8).hexdigest()


def _written_out(value: Any) -> Any:
    """What JSON has no word for."""
    return value.tolist() if isinstance(value, np.ndarray) else str(value)


def _arrays(part: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays in a trace, by their names in it."""
    for name, value in part.items():
        if isinstance(value, dict):
            yield from _arrays(value, f"{path}{name}.")
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biufO":
            yield f"{path}{name}", value
