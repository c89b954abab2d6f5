"""What each value has to do with a prediction: to the right is what raises it."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from dpcore.datasets.own.description import described
from dpcore.figures.prediction import OutcomeWording, parts

ENTRY = described("age: 20 to 80 years\nvisits: 0 to 6\npredict ill: one of no, yes")
ROWS = pd.DataFrame(
    {
        "column": ["age", "visits"],
        "unit": ["years", ""],
        "value": ["70", "1"],
        "reference": ["50", "3"],
        "outcome": 0.75,
        "at_reference": [0.5, 0.97],
        "least": [0.3, 0.7],
        "most": [0.8, 0.99],
    }
).assign(part=lambda rows: rows["outcome"] - rows["at_reference"])


def bar_names(rows: pd.DataFrame) -> list[str]:
    figure = parts(rows, ENTRY.columns, OutcomeWording(True, ENTRY.label), dark=False).figure
    return [re.sub("<[^>]+>", " ", name) for name in figure.layout.yaxis.ticktext]


def test_every_bar_says_what_it_compares_the_value_with() -> None:
    assert bar_names(ROWS) == [
        "age: 70 years  against 50 ",
        "visits: 1  against 3 ",
    ]
    same = ROWS.assign(value=ROWS["reference"])
    assert bar_names(same)[0] == "age: 50 years  the reference "
    hostile = ROWS.assign(reference="<b>x")
    assert (
        "&lt;b"
        in parts(
            hostile, ENTRY.columns, OutcomeWording(True, ENTRY.label), dark=False
        ).figure.layout.yaxis.ticktext[0]
    )


@pytest.mark.parametrize("dark", [False, True])
def test_a_value_that_raises_the_risk_points_to_the_right(dark: bool) -> None:
    drawn = parts(ROWS, ENTRY.columns, OutcomeWording(True, ENTRY.label), dark=dark)
    line, bars = drawn.figure.data
    moved = dict(zip(drawn.figure.layout.yaxis.ticktext, bars.x, strict=True))
    assert {name.partition("<br>")[0]: size for name, size in moved.items()} == pytest.approx(
        {"age: 70 years": 25.0, "visits: 1": -22.0}
    )
    assert bars.base is None
    # What other values of the column could do, from where its reference would have it.
    assert list(line.x)[:2] == pytest.approx([-20.0, 30.0])
    assert drawn.figure.layout.xaxis.title.text.startswith("← lowers")
    assert "At its public reference, 50 years, the risk would be 50 of 100, not 75" in drawn.alt
