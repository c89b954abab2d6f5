"""Risk curves in pictures and sentences, from a table with known numbers."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from dpcore.datasets.schema import Column, Entry, Label
from dpcore.figures.column_curves import column_curve
from tests.figures.conftest import series, short

AGE = Column("age", "number", "", "years", 20, 100, bounds_reason="here")
GAIN = Column("gain", "number", "", "€", 0, 999, bounds_reason="here", transform="log1p")
HOSTILE = "<a href='x'>$y$ %{x}</a> " * 9


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


@pytest.mark.parametrize("dark", [False, True])
def test_a_number_is_a_line_with_its_band_and_the_sentence_says_how_sure(dark):
    model = made(AGE, [-1.0, 0.0, math.log(3.0)], epsilon=1.0, width=math.log(2.0))
    drawn = column_curve(model, made(AGE, [-2.0, 0.0, 2.0]), entry_of(AGE), dark=dark)
    band, without, private = drawn.figure.data
    assert [without.name, private.name] == ["without privacy: linear model", "OPERA, ε = 1"]
    assert list(private.x) == list(without.x) == [20.0, 60.0, 100.0]
    assert list(band.x) == [20.0, 60.0, 100.0, 100.0, 60.0, 20.0]
    assert (band.y[2], band.y[1]) == (pytest.approx(math.log(6.0)), 0.0)
    assert drawn.figure.layout.xaxis.title.text == "age (years)"
    assert drawn.sentence == (
        "By OPERA’s part for age at ε = 1, the odds at 100 years are 3 times those at 60 years. "
        "9 of 10 runs lie between 1.5 and 6 times. In 19 of 20 runs they are higher. "
        "Without privacy they are 7.4 times."
    )
    assert "9 of 10 runs: 0.41 to 1.79" in private.hovertext[2]
    assert "δ = 1e-5 · zero-out · analytic Gaussian" in private.hovertext[2]
    assert drawn.sentence in drawn.alt
    assert "axis count as its ends. 0 is age at 60 years. " in drawn.detail
    assert short(f"{drawn.alt} {drawn.detail}")


@pytest.mark.parametrize(
    ("value", "width", "told"),
    [
        (0.5, 0.6, "Some single runs put them higher and others lower."),
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
    assert short(sentence)
    few = column_curve(model.assign(runs=3), made(AGE, [0.0] * 3), entry_of(AGE)).sentence
    assert "All 3 runs lie between " in few
    assert ("In all runs they are" in few) == ("19 of 20" in sentence)


@pytest.mark.parametrize("measure", ["risk", "risk_at_average"])
def test_a_risk_is_told_with_all_that_is_held_and_at_what(measure):
    sex = Column("sex", "category", "", levels=("female", "male"))
    entry = replace(entry_of(AGE), columns=(AGE, sex))
    model = made(AGE, [-1.0, 0.0, math.log(3.0)], epsilon=1.0, width=math.log(2.0))
    others = pd.concat([model, made(sex, [0.0, 0.7], epsilon=1.0)])
    without = made(AGE, [-2.0, 0.0, 2.0])
    # Of one measure only, so that no other is drawn.
    moved = {f"risk{end}": f"{measure}{end}" for end in ("", "_low", "_high")}
    tables = [one.rename(columns=moved) for one in (model, without)]
    drawn = column_curve(*tables, entry, measure=measure, others=others)
    assert list(drawn.figure.data[2].y) == pytest.approx([expit(-1.0), 0.5, 0.75])
    assert drawn.figure.layout.yaxis.title.text == "risk"
    is_public = measure == "risk"
    held = "its public reference" if is_public else "the records’ average (not private)"
    assert drawn.sentence == (
        "At ε = 1 OPERA tells a risk of 75.0 % at age 100 years, and 50.0 % at 60 years. All else "
        f"is at {held}. 9 of 10 runs lie between 60.0 % and 85.7 %. Without privacy it is 88.1 %."
    )
    assert f"These are: sex {'female' if is_public else 'male'}. " in drawn.detail
    assert ("not private" in drawn.detail) != is_public
    assert not drawn.figure.layout.shapes  # a risk of 0 is no line to compare with
    assert short(f"{drawn.alt} {drawn.detail}".replace("; ", ". "))


def test_levels_stand_below_each_other():
    sex = Column("sex", "category", "", levels=("female", "male"))
    model, without = made(sex, [0.0, 0.7], epsilon=1.0, width=0.1), made(sex, [0.0, 0.5])
    drawn = column_curve(model, without, entry_of(sex))
    reference, private = drawn.figure.data
    assert list(drawn.figure.layout.yaxis.ticktext) == ["female", "male"]
    assert (list(private.x), list(private.y)) == ([0.0, 0.7], [0, 1])
    assert list(reference.x) == [0.0, 0.5]
    assert list(private.error_x.array) == pytest.approx([0.0, 0.1])
    started = "By OPERA’s part for sex at ε = 1, the odds at male are 2 times those at female. "
    assert drawn.sentence.startswith(started)


def test_a_long_tail_has_an_axis_after_its_transform():
    model = made(GAIN, [0.0, 1.0, 2.0], epsilon=1.0)
    axis = column_curve(model, made(GAIN, [0.0, 1.0, 2.0]), entry_of(GAIN)).figure.layout.xaxis
    assert list(axis.ticktext) == ["0", "1", "10", "100", "999"]
    assert list(axis.tickvals) == pytest.approx(np.log1p([0.0, 1.0, 10.0, 100.0, 999.0]))


def test_hostile_names_are_shown_literally_and_cut():
    levels = (HOSTILE + "1", HOSTILE + "2")
    for column in (
        Column(HOSTILE, "category", "", levels=levels),
        Column(HOSTILE, "number", "", HOSTILE, 20, 100, bounds_reason="here"),
    ):
        values = [0.0, 0.7][: len(column.levels) or 2]
        drawn = column_curve(
            made(column, values, epsilon=1.0), made(column, values), entry_of(column)
        )
        axes = drawn.figure.layout.xaxis, drawn.figure.layout.yaxis
        for text in (axes[0].title.text, axes[1].title.text, *(axes[1].ticktext or ())):
            assert not set("<>${") & set(text)
            assert len(text) < 300
        for trace in drawn.figure.data:
            for text in trace.hovertext or ():
                assert "<a" not in text
                assert "%{x}" not in text
        assert len(drawn.sentence) < 400
