"""Groups and the gap between them in pictures and sentences, from a table with known numbers."""

import math

import pandas as pd
import pytest

from dpcore.evaluation.clinic.groups import MEASURES
from dpcore.questions.groups.figure import WORDS, gap, gaps, hurt, of_groups
from dpcore.questions.groups.question import EVERYBODY, GAP
from tests.figures.conftest import series

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
        (values(141.0, 92.0, 500.0, 107.0), ("female: 41 more of 1 000", "12 more of 1 000")),
        (values(70.0, 93.0, 0.0, 85.0), ("male: 3 more of 1 000", "10 fewer of 1 000")),
        (values(100.4, 60.0, 900.0, 95.0), ("for no group that is", "everybody: no change")),
    ],
)
def test_the_group_that_privacy_hurts_most_is_told(private, parts):
    told = hurt(made(private, 1.0), WITHOUT, "missed_per_1000")
    assert all(part in told for part in (*parts, "Too small to say", FEW)), told


def test_where_the_reference_finds_hardly_any_case_nothing_is_compared():
    found = values(0.02, 0.0, 0.9, 0.012)
    without = pd.concat([WITHOUT, made(found, measure="true_positive_rate")])
    private = made(values(100.0, 90.0, 10.0, 95.0), 1.0)
    told = hurt(private, without, "missed_per_1000")
    assert "says nothing of missed cases: without privacy 1.2 % of cases are found" in told
    shares = made(found, 1.0, "true_positive_rate")
    assert hurt(shares, without, "true_positive_rate") == told
    # Where it finds some in one group there is something to compare.
    some = pd.concat([WITHOUT, made(found | {MEN: 0.3}, measure="true_positive_rate")])
    assert "for no group that is large enough" in hurt(private, some, "missed_per_1000")


def test_groups_that_are_too_small_are_never_the_worst():
    private = values(101.0, 140.0, 500.0, 110.0)

    def told(*small):
        return hurt(made(private, 1.0, small=small), WITHOUT, "missed_per_1000")

    assert told().startswith("Privacy raises missed cases most for sex unknown: 490 more of 1 000")
    assert "Only sex = female" in told(MEN, FEW)
    assert told(WOMEN, MEN, FEW) == "Every group is too small to say anything of it."


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_its_direction_and_unit(measure):
    scale = 1.0 if WORDS[measure].kind == "1000" else 1e-3
    without = made({k: scale * v for k, v in values(500, 500, 1, 500).items()}, measure=measure)
    private = {k: scale * v for k, v in values(540, 470, 1, 505).items()}
    told = hurt(made(private, 1.0, measure), without, measure)
    more, less = {
        "1000": ("40 more of 1 000", "30 fewer of 1 000"),
        "share": ("4 points more", "3 points less"),
        "area": ("0.04 more", "0.03 less"),
    }[WORDS[measure].kind]
    worse = f"{WOMEN}: {more}" if WORDS[measure].harm >= 0 else f"{MEN}: {less}"
    assert f"{WORDS[measure].noun} most for {worse}, " in told


def test_each_group_is_drawn_with_its_size_and_small_ones_faint():
    drawn = of_groups(made(values(141.0, 92.0, 500.0, 107.0), 1.0), WITHOUT, "missed_per_1000")
    reference, large, small = drawn.figure.data
    assert list(reference.x) == [100.0, 90.0, 10.0, 95.0]
    assert (list(large.x), list(large.y)) == ([141.0, 92.0, 107.0], [0, 1, 3])
    assert (list(small.x), list(small.y)) == ([500.0], [2])
    assert "rgba" in small.marker.color
    assert list(large.error_x.array) == list(large.error_x.arrayminus) == [10.0] * 3
    assert drawn.figure.layout.yaxis.ticktext[2] == "sex unknown<br>1 200, too small"
    assert drawn.sentence in drawn.alt
    assert "δ = 10⁻⁵ · zero-out · analytic Gaussian" in large.hovertext[0]


def test_the_gap_is_drawn_against_epsilon_and_told():
    line = pd.concat([made(values(300.0, 90.0, 1.0, 95.0), 0.1), made(values(141, 92, 1, 9), 1.0)])
    drawn = gap(line, WITHOUT, "missed_per_1000", 1.0)
    for part in ("49 of 1 000 with OPERA", "between 39 and 59", "Without privacy it is 10."):
        assert part in drawn.sentence
    curve = next(trace for trace in drawn.figure.data if trace.name == "OPERA")
    assert (list(curve.x), list(curve.y)) == ([0.1, 1.0], [210.0, 49.0])
    # A band that goes below zero is drawn and told whole.
    near = gap(made(values(95.0, 92.0, 1.0, 94.0), 1.0), WITHOUT, "missed_per_1000", 1.0)
    assert "9 of 10 runs lie between −7 and 13." in near.sentence
    assert near.figure.layout.yaxis.range[0] < -7.0
    none = line.assign(value=math.nan, value_low=math.nan, value_high=math.nan)
    told = gap(none, WITHOUT.assign(value=math.nan), "missed_per_1000", 1.0)
    assert told.sentence == "Fewer than two groups are large enough to compare."
    assert not told.figure.data


@pytest.mark.parametrize(
    ("measure", "unit", "told"),
    [
        ("missed_per_1000", 1.0, "14 of 1 000"),
        ("true_positive_rate", 1e-3, "1.4 %"),
        ("auc", 1e-3, "0.014"),
    ],
)
def test_the_gap_is_between_the_values_as_they_are_shown(measure, unit, told):
    # 97.6 and 84.4 lie 13.2 apart, and 98 and 84 stand in the picture.
    rates = {group: unit * value for group, value in values(97.6, 84.4, 1.0, 9.0).items()}
    model = made(rates, 1.0, measure)
    drawn = gap(model, made(rates, measure=measure), measure, 1.0)
    assert f" between groups is {told} with OPERA." in drawn.sentence
    noiseless = model.assign(value_low=model["value"], value_high=model["value"])
    row = gaps(noiseless, measure).iloc[0]
    assert row["value_low"] < row["value"] == row["value_high"]
