"""What each value has to do with a prediction: to the right is what raises it."""

import re

import pandas as pd
import pytest

from dpcore.datasets.own.description import described
from dpcore.questions.prediction.figure import MANY, OutcomeWording, curve, parts

ENTRY = described("age: 20 to 80 years\nvisits: 0 to 6\npredict ill: one of no, yes")
RISK = OutcomeWording(True, ENTRY.label)
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


def drawn_of(rows, wording=RISK):
    return parts(rows, ENTRY.columns, wording, dark=False)


def test_every_bar_says_what_it_compares_the_value_with():
    ticks = drawn_of(ROWS).figure.layout.yaxis.ticktext
    names = [re.sub("<[^>]+>", " ", name) for name in ticks]
    assert names == ["age: 70 years  against 50 ", "visits: 1  against 3 "]
    hostile = drawn_of(ROWS.assign(reference="<b>x"))
    assert "&lt;b" in hostile.figure.layout.yaxis.ticktext[0]


def test_a_value_that_raises_the_risk_points_to_the_right():
    drawn = drawn_of(ROWS)
    line, bars = drawn.figure.data
    moved = dict(zip(drawn.figure.layout.yaxis.ticktext, bars.x, strict=True))
    assert {name.partition("<br>")[0]: size for name, size in moved.items()} == pytest.approx(
        {"age: 70 years": 25.0, "visits: 1": -22.0}
    )
    # What other values of the column could do, from where its reference would have it.
    assert list(line.x)[:2] == pytest.approx([-20.0, 30.0])
    assert "the risk would be 50 of 100, not 75" in drawn.alt


def test_outcomes_that_read_alike_are_no_change():
    """Of nearly all people, 999.63 and 999.85 of 1,000 are both more than 999."""
    wording = OutcomeWording(True, ENTRY.label, among=MANY)
    near = ROWS[:1].assign(outcome=0.99963, at_reference=0.99985, least=0.9996, most=0.9999)
    told = drawn_of(near.assign(part=-0.002), wording).sentence
    assert told.endswith("would hardly change from more than 999 of 1 000.")
    rows = pd.DataFrame({"at": [20.0, 80.0], "outcome": [0.9996, 0.9999], "here": [True, False]})
    alike = curve(rows, ENTRY.columns[0], wording, dark=False).sentence
    assert "hardly changes the risk: it is more than 999 of 1 000" in alike
    moved = curve(rows.assign(outcome=[0.2, 0.9]), ENTRY.columns[0], wording, dark=False)
    assert moved.sentence.endswith("20 years: 200 of 1 000.")
