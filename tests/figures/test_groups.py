"""Groups and the gap between them in pictures and sentences, from a table with known numbers."""

import math

import pandas as pd
import pytest

from dpcore.evaluation.clinic.group_task import EVERYBODY, GAP
from dpcore.evaluation.clinic.groups import MEASURES
from dpcore.figures.groups import DETAIL, GAP_DETAIL, WORDS, gap, gaps, hurt, of_groups
from tests.figures.conftest import series, short

WOMEN, MEN, FEW = "sex = female", "sex = male", "sex unknown"


def made(values, epsilon=math.nan, measure="missed_per_1000", small=(FEW,)):
    rows = pd.DataFrame({"group": list(values), "value": list(values.values())})
    width = 0.0 if math.isnan(epsilon) else 10.0 if measure.endswith("1000") else 0.01
    return rows.assign(
        **series(epsilon, measure=measure, people=1_200),
        too_small=[group in small for group in values],
        value_low=rows["value"] - width,
        value_high=rows["value"] + width,
    )


def values(women, men, few, everybody):
    return {WOMEN: women, MEN: men, FEW: few, EVERYBODY: everybody, GAP: abs(women - men)}


WITHOUT = made(values(100.0, 90.0, 10.0, 95.0))


@pytest.mark.parametrize(
    ("private", "parts"),
    [
        (
            values(141.0, 92.0, 500.0, 107.0),
            ("most for sex = female: 41 more of 1,000, 141 ", "131 and 151", ": 12 more of 1,000"),
        ),
        (
            values(70.0, 93.0, 0.0, 85.0),
            ("most for sex = male: 3 more of 1,000, 93 ", "83 and 103", ": 10 fewer of 1,000"),
        ),
        (values(100.4, 60.0, 900.0, 95.0), ("for no group that is", "everybody: no change")),
    ],
)
def test_the_group_that_privacy_hurts_most_is_told(private, parts):
    told = hurt(made(private, 1.0), WITHOUT, "missed_per_1000")
    assert all(part in told for part in ("missed cases", *parts, "Too small to say", FEW)), told
    assert short(told)


def test_where_the_reference_finds_hardly_any_case_nothing_is_compared():
    found = values(0.02, 0.0, 0.9, 0.012)
    without = pd.concat([WITHOUT, made(found, measure="true_positive_rate")])
    private = made(values(100.0, 90.0, 10.0, 95.0), 1.0)
    told = hurt(private, without, "missed_per_1000")
    assert "says nothing of missed cases: without privacy 1.2 % of cases are found" in told
    assert told.endswith("Too small to say: sex unknown.")
    assert short(told)
    shares = made(found, 1.0, "true_positive_rate")
    assert hurt(shares, without, "true_positive_rate") == told
    # Where it finds some in one group, or alarms are counted, there is something to compare.
    some = pd.concat([WITHOUT, made(found | {MEN: 0.3}, measure="true_positive_rate")])
    assert "for no group that is large enough" in hurt(private, some, "missed_per_1000")
    alarms = without.replace({"measure": {"missed_per_1000": "false_per_1000"}})
    assert "raises false alarms" in hurt(
        made(values(101.0, 90.0, 10.0, 95.0), 1.0, "false_per_1000"), alarms, "false_per_1000"
    )


def test_groups_that_are_too_small_are_never_the_worst():
    private = values(101.0, 140.0, 500.0, 110.0)

    def told(*small):
        return hurt(made(private, 1.0, small=small), WITHOUT, "missed_per_1000")

    assert told().startswith("Privacy raises missed cases most for sex unknown: 490 more of 1,000")
    one = told(MEN, FEW)
    for part in (
        "Only sex = female",
        ": 1 more of 1,000",
        ": 15 more of 1,000",
        f"{MEN} and {FEW}",
    ):
        assert part in one
    assert told(WOMEN, MEN, FEW) == "Every group is too small to say anything of it."
    assert short(one)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_its_direction_and_unit(measure):
    scale = 1.0 if WORDS[measure].kind == "1000" else 1e-3
    without = made({k: scale * v for k, v in values(500, 500, 1, 500).items()}, measure=measure)
    private = {k: scale * v for k, v in values(540, 470, 1, 505).items()}
    model = made(private, 1.0, measure)
    told = hurt(model, without, measure)
    more, less = {
        "1000": ("40 more of 1,000", "30 fewer of 1,000"),
        "share": ("4 points more", "3 points less"),
        "area": ("0.04 more", "0.03 less"),
    }[WORDS[measure].kind]
    worse = f"{WOMEN}: {more}" if WORDS[measure].harm >= 0 else f"{MEN}: {less}"
    assert f"{WORDS[measure].noun} most for {worse}, " in told
    assert short(told)
    drawn = of_groups(model, without, measure)
    assert drawn.sentence == f"At ε = 1, {told[0].lower()}{told[1:]}"
    assert short(gap(model, without, measure, 1.0).sentence)


@pytest.mark.parametrize("dark", [False, True])
def test_each_group_is_drawn_with_its_size_and_small_ones_faint(dark):
    private = made(values(141.0, 92.0, 500.0, 107.0), 1.0)
    drawn = of_groups(private, WITHOUT, "missed_per_1000", dark=dark)
    reference, large, small = drawn.figure.data
    names = [trace.name for trace in drawn.figure.data]
    assert names == ["without privacy: linear model", "OPERA, ε = 1", "too small to say"]
    assert list(reference.x) == [100.0, 90.0, 10.0, 95.0]
    assert (list(large.x), list(large.y)) == ([141.0, 92.0, 107.0], [0, 1, 3])
    assert (list(small.x), list(small.y)) == ([500.0], [2])
    assert "rgba" in small.marker.color
    assert "rgba" not in large.marker.color
    assert list(large.error_x.array) == list(large.error_x.arrayminus) == [10.0] * 3
    assert list(drawn.figure.layout.yaxis.ticktext) == [
        "sex = female<br>1,200",
        "sex = male<br>1,200",
        "sex unknown<br>1,200, too small",
        "everybody<br>1,200",
    ]
    assert drawn.sentence in drawn.alt
    assert "9 of 10 runs: 131 to 151" in large.hovertext[0]
    assert "δ = 1e-5 · zero-out · analytic Gaussian" in large.hovertext[0]
    assert short(f"{drawn.alt} {DETAIL} {GAP_DETAIL}")


def test_hostile_names_are_shown_literally_and_cut():
    name = "<a href='x'>$y$ %{x}</a> " * 9
    values = {f"c = {name}": 1.0, MEN: 2.0, EVERYBODY: 1.5, GAP: 1.0}
    drawn = of_groups(made(values, 1.0), made(values), "missed_per_1000")
    (first, *_) = drawn.figure.layout.yaxis.ticktext
    assert not set("<>${") & set(first.removesuffix("<br>1,200"))
    assert len(first) < 150
    for text in (drawn.figure.data[0].hovertext[0], drawn.figure.data[1].hovertext[0]):
        assert "<a" not in text
        assert "%{x}" not in text


def test_the_gap_is_drawn_against_epsilon_and_told():
    line = pd.concat([made(values(300.0, 90.0, 1.0, 95.0), 0.1), made(values(141, 92, 1, 9), 1.0)])
    drawn = gap(line, WITHOUT, "missed_per_1000", 1.0)
    for part in ("At ε = 1 ", "missed cases", "49 of 1,000 with OPERA", "female (141)", "(92)"):
        assert part in drawn.sentence
    assert "runs lie between 39 and 59. Without privacy it is 10. Too small" in drawn.sentence
    curve = next(trace for trace in drawn.figure.data if trace.name == "OPERA")
    assert (list(curve.x), list(curve.y)) == ([0.1, 1.0], [210.0, 49.0])
    none = line.assign(value=math.nan, value_low=math.nan, value_high=math.nan)
    alone = WITHOUT.assign(value=math.nan)
    told = gap(none, alone, "missed_per_1000", 1.0)
    assert told.sentence == "Fewer than two groups are large enough to compare."
    assert not told.figure.data


@pytest.mark.parametrize(
    ("measure", "unit", "told"),
    [
        ("missed_per_1000", 1.0, "14 of 1,000"),
        ("true_positive_rate", 1e-3, "1.4 %"),
        ("auc", 1e-3, "0.014"),
    ],
)
def test_the_gap_is_between_the_values_as_they_are_shown(measure, unit, told):
    # 97.6 and 84.4 lie 13.2 apart, and 98 and 84 stand in the picture.
    rates = {group: unit * value for group, value in values(97.6, 84.4, 1.0, 9.0).items()}
    model, without = made(rates, 1.0, measure), made(rates, measure=measure)
    drawn = gap(model, without, measure, 1.0)
    assert f" between groups is {told} with OPERA." in drawn.sentence
    without_privacy = f"Without privacy it is {told.removesuffix(' of 1,000')}."
    assert drawn.sentence.endswith(f"{without_privacy} Too small to say: sex unknown.")
    noiseless = model.assign(value_low=model["value"], value_high=model["value"])
    row = gaps(noiseless, measure).iloc[0]
    assert row["value_low"] < row["value"] == row["value_high"]


def test_a_band_that_goes_below_zero_is_drawn_and_told_whole():
    model = made(values(95.0, 92.0, 1.0, 94.0), 1.0)
    drawn = gap(model, WITHOUT, "missed_per_1000", 1.0)
    assert "9 of 10 runs lie between −7 and 13." in drawn.sentence
    assert drawn.figure.layout.yaxis.range[0] < -7.0
