"""What each value has to do with a prediction: to the right is what raises it."""

import re

import pandas as pd
import pytest

from dpcore.datasets.own.description import described
from dpcore.figures.prediction import MANY, OutcomeWording, curve, parts

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


def drawn_of(rows, wording=RISK, *, dark=False):
    return parts(rows, ENTRY.columns, wording, dark=dark)


def bar_names(rows):
    ticks = drawn_of(rows).figure.layout.yaxis.ticktext
    return [re.sub("<[^>]+>", " ", name) for name in ticks]


def test_every_bar_says_what_it_compares_the_value_with():
    assert bar_names(ROWS) == ["age: 70 years  against 50 ", "visits: 1  against 3 "]
    same = ROWS.assign(value=ROWS["reference"])
    assert bar_names(same)[0] == "age: 50 years  the reference "
    hostile = drawn_of(ROWS.assign(reference="<b>x"))
    assert "&lt;b" in hostile.figure.layout.yaxis.ticktext[0]


@pytest.mark.parametrize("dark", [False, True])
def test_a_value_that_raises_the_risk_points_to_the_right(dark):
    drawn = drawn_of(ROWS, dark=dark)
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


def test_outcomes_that_read_alike_are_no_change():
    """Of nearly all people, 999.63 and 999.85 of 1,000 are both more than 999."""
    wording = OutcomeWording(True, ENTRY.label, among=MANY)
    near = ROWS[:1].assign(outcome=0.99963, at_reference=0.99985, least=0.9996, most=0.9999)

    def told(part):
        return drawn_of(near.assign(part=part), wording).sentence

    assert told(-0.002).endswith("would hardly change from more than 999 of 1,000.")
    assert told(0.0).endswith("No other value of one column would change the risk by much.")
    still = near.assign(outcome=-1.5, at_reference=-1.5001, part=0.001)
    told_of_score = drawn_of(still, OutcomeWording(False, ENTRY.label)).sentence
    assert told_of_score.endswith("the score would hardly change from −1.5.")
    rows = pd.DataFrame({"at": [20.0, 80.0], "outcome": [0.9996, 0.9999], "here": [True, False]})
    assert curve(rows, ENTRY.columns[0], wording, dark=False).sentence == (
        "All else as typed, age hardly changes the risk: it is more than 999 of 1,000 at every "
        "value."
    )
    moved = curve(rows.assign(outcome=[0.2, 0.9]), ENTRY.columns[0], wording, dark=False)
    assert moved.sentence.endswith("; this person’s 20 years: 200 of 1,000.")
