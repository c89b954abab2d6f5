"""A figure together with its sentence and its alternative text."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go


@dataclass(frozen=True)
class Drawn:
    """A figure, what to see in it, and its text for those who do not see it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Ready to show; ranges and height are fixed.
    sentence : str
        One plain sentence computed from the same table, to stand under the figure.
    alt : str
        Alternative text: what is drawn and its extreme values.
    detail : str
        More to see in it, for those who ask.
    """

    figure: go.Figure
    sentence: str
    alt: str
    detail: str = ""
