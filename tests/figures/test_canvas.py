"""A figure carries its own look, and says of its data what a browser needs to draw it once."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.io
import pytest

from dpcore.figures.canvas import add_scatter, axis, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import edge, ground

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"


def drawn(values, *, epsilon=1.0):
    figure = canvas(300, False, xaxis=axis("ε", range=[0.0, epsilon]))
    add_scatter(
        figure,
        x=values,
        y=values.to_numpy(),
        marker={"size": np.array([3, 4])},
        error_x={"array": np.array([0.5, 1.5]), "type": "data"},
        customdata=values.to_frame().to_numpy(),
        text=pd.Series(["a", "b"]),
    )
    return Drawn(figure, "", "")


@pytest.mark.parametrize("dark", [False, True])
def test_the_ground_is_the_page_s_and_no_template_stands_behind_it(dark):
    theme = tomllib.loads(CONFIG.read_text("utf-8"))["theme"]["dark" if dark else "light"]
    figure = canvas(300, dark, xaxis=axis("ε", automargin=False))
    assert theme["backgroundColor"] == ground(dark)
    assert theme["borderColor"] == edge(dark)
    layout = json.loads(figure.to_json())["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == ground(dark)
    assert "template" not in layout
    # What a figure says of an axis comes before what all figures have.
    assert layout["xaxis"]["title"]["text"] == "ε"
    assert layout["xaxis"]["automargin"] is False
    assert layout["yaxis"]["automargin"] is True


def test_no_array_is_packed():
    (trace,) = json.loads(drawn(pd.Series([1.5, 2.5])).figure.to_json())["data"]
    assert trace["x"] == trace["y"] == [1.5, 2.5]
    assert trace["customdata"] == [[1.5], [2.5]]
    assert trace["marker"]["size"] == [3, 4]
    assert trace["error_x"]["array"] == [0.5, 1.5]
    assert trace["text"] == ["a", "b"]


def test_what_a_page_shows_is_written_once_and_is_the_figure():
    shown = drawn(pd.Series([1.5, 2.5]))
    assert shown.written.to_dict() is shown.written.to_dict()
    assert shown.written.to_dict() == shown.figure.to_dict()
    assert plotly.io.to_json(shown.written) == shown.figure.to_json()


def test_data_have_the_same_name_as_long_as_they_are_the_same():
    first = drawn(pd.Series([1.5, 2.5])).figure.layout.datarevision
    assert drawn(pd.Series([1.5, 2.5]), epsilon=2.0).figure.layout.datarevision == first
    assert drawn(pd.Series([1.5, 2.6])).figure.layout.datarevision != first
