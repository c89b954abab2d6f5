"""Risk curves in pictures and sentences, from a table with known numbers."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from dpcore.datasets.schema import Column, Entry, Label
from dpcore.questions.risk_curves.figure import column_curve
from tests.figures.conftest import series

AGE = Column("age", "number", "", "years", 20, 100, bounds_reason="here")
GAIN = Column("gain", "number", "", "€", 0, 999, bounds_reason="here", transform="log1p")


def entry_of(column):
    label = Label("ill", "ill", "well")
    texts = dict.fromkeys(("key", "title", "source", "licence", "citation", "task"), "x")
    return Entry(**texts, records_are="people", records=9, traps=(), label=label, columns=(column,))


def made(column, log_odds, *, epsilon=math.nan, width=0.0):
    count = len(log_odds)
    numbers = np.linspace(*column.bounds, count) if column.kind == "number" else np.arange(count)
    middle = count // 2 if column.kind == "number" else 0
    noise = np.where(np.arange(count) == middle, 0.0, width)
    return pd.DataFrame(
        series(epsilon)
        | {
            "column": column.name,
            "at": numbers,
            "level": column.levels or "",
            "is_reference": np.arange(count) == middle,
            "log_odds": log_odds,
            "log_odds_low": np.subtract(log_odds, noise),
            "log_odds_high": np.add(log_odds, noise),
            "mean_or_mode": 1.0,
            "risk": expit(log_odds),
            "risk_low": expit(np.subtract(log_odds, noise)),
            "risk_high": expit(np.add(log_odds, noise)),
        }
    )


def test_a_number_is_a_line_with_its_band_and_the_sentence_says_how_sure():
    model = made(AGE, [-1.0, 0.0, math.log(3.0)], epsilon=1.0, width=math.log(2.0))
    drawn = column_curve(model, made(AGE, [-2.0, 0.0, 2.0]), entry_of(AGE))
    band, without, private = drawn.figure.data
    assert list(private.x) == list(without.x) == [20.0, 60.0, 100.0]
    assert list(band.x) == [20.0, 60.0, 100.0, 100.0, 60.0, 20.0]
    assert (band.y[2], band.y[1]) == (pytest.approx(math.log(6.0)), 0.0)
    for part in ("at 100 years are 3 times those at 60", "between 1.5 and 6 times", "7.4 times"):
        assert part in drawn.sentence
    assert "δ = 10⁻⁵ · zero-out · analytic Gaussian" in private.hovertext[2]
    assert drawn.sentence in drawn.alt


@pytest.mark.parametrize(
    ("value", "width", "told"),
    [
        (0.5, 0.5, "Some single runs put them higher and others lower."),
        (0.5, 0.4, "In 19 of 20 runs they are higher."),
        (-0.5, 0.4, "In 19 of 20 runs they are lower."),
        (0.0, 0.4, "Some single runs put them higher and others lower."),
    ],
)
def test_runs_that_do_not_agree_are_told_so(value, width, told):
    model = made(AGE, [-value, 0.0, value * 1.01], epsilon=0.1, width=width)
    sentence = column_curve(model, made(AGE, [0.0, 0.0, 0.0]), entry_of(AGE)).sentence
    assert told in sentence
    few = column_curve(model.assign(runs=3), made(AGE, [0.0] * 3), entry_of(AGE)).sentence
    assert ("In all runs they are" in few) == ("19 of 20" in sentence)


@pytest.mark.parametrize("measure", ["risk", "risk_at_average"])
def test_a_risk_is_told_with_all_that_is_held_and_at_what(measure):
    sex = Column("sex", "category", "", levels=("female", "male"))
    entry = replace(entry_of(AGE), columns=(AGE, sex))
    model = made(AGE, [-1.0, 0.0, math.log(3.0)], epsilon=1.0, width=math.log(2.0))
    others = pd.concat([model, made(sex, [0.0, 0.7], epsilon=1.0)])
    # Of one measure only, so that no other is drawn.
    moved = {f"risk{end}": f"{measure}{end}" for end in ("", "_low", "_high")}
    tables = [one.rename(columns=moved) for one in (model, made(AGE, [-2.0, 0.0, 2.0]))]
    drawn = column_curve(*tables, entry, measure=measure, others=others)
    assert list(drawn.figure.data[2].y) == pytest.approx([expit(-1.0), 0.5, 0.75])
    is_public = measure == "risk"
    held = "its public reference" if is_public else "the records’ average (not private)"
    for part in ("75.0 % at age 100", "50.0 % at 60", held, "60.0 % and 85.7 %", "88.1 %"):
        assert part in drawn.sentence
    assert f"sex {'female' if is_public else 'male'}. " in drawn.detail
    assert ("not private" in drawn.detail) != is_public


def test_a_long_tail_has_an_axis_after_its_transform():
    model = made(GAIN, [0.0, 1.0, 2.0], epsilon=1.0)
    axis = column_curve(model, made(GAIN, [0.0, 1.0, 2.0]), entry_of(GAIN)).figure.layout.xaxis
    assert list(axis.ticktext) == ["0", "1", "10", "100", "999"]
    assert list(axis.tickvals) == pytest.approx(np.log1p([0.0, 1.0, 10.0, 100.0, 999.0]))
