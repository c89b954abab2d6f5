"""Curves without noise are Kaplan and Meier's; one record moves one cell; intervals hold."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.duration.survfunc import SurvfuncRight

from dpcore.datasets import Table, load
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.whole_gaussian import UNITS
from dpcore.summaries.counts import exact, in_records, noisy, seeded
from dpcore.summaries.estimates import ALIVE, without_noise
from dpcore.summaries.follow_up import follow_up_of
from dpcore.summaries.mechanism import SummaryMechanism, mechanism_for
from dpcore.summaries.survival import LESS, MEDIAN, RESTRICTED_MEAN, numbers

BUDGET = PrivacyBudget(1.0, 1e-6)
COHORT = load("cohort", records=800)
MEASURED = follow_up_of(COHORT.entry, by="sex", records=800)
MECHANISM = mechanism_for(BUDGET, MEASURED, "zero-out")


def told(table, measured, mechanism=None, seed=0):
    """Every number of the curves by statistic, level and group; without noise if none is named."""
    sums, still = exact(table, measured), without_noise(MECHANISM)
    if mechanism is None:
        found = numbers(
            in_records(sums.vector, measured), replace(still, measured=measured), table.records
        )
    else:
        found = numbers(noisy(sums, mechanism, seeded(seed)), mechanism, table.records)
    return {(one.statistic, one.level, one.group): one for one in found}


def followed(times, deaths, *, sex=None, label=None):
    """The cohort's table with these times, and all else of its first records."""
    table = COHORT.rows(np.arange(len(times)))
    frame = table.frame.assign(sex=table.frame["sex"] if sex is None else sex)
    follow_up = pd.DataFrame({"followed": times, "died": np.asarray(deaths, dtype=float)})
    label = table.label if label is None else np.asarray(label, dtype=np.int8)
    return replace(table, frame=frame, follow_up=follow_up, label=label)


@pytest.mark.parametrize("group", ["all", "female", "male"])
def test_without_noise_a_curve_is_that_of_kaplan_and_meier_on_the_grid(group):
    sexes = COHORT.frame["sex"].to_numpy()
    chosen = np.ones(800, dtype=bool) if group == "all" else sexes == group
    times, died = (COHORT.follow_up[name].to_numpy()[chosen] for name in ("followed", "died"))
    ends = np.linspace(0.0, 60.0, 13)
    place = np.searchsorted(ends, times)
    left = (died == 0) & (times < 60)
    # Who leaves counts half at each end of the interval.
    at = np.concatenate([ends[place], ends[place[left] - 1]])
    weights = np.concatenate([np.where(left, 0.5, 1.0), np.full(left.sum(), 0.5)])
    status = np.concatenate([died, np.zeros(left.sum())])
    curve = SurvfuncRight(np.maximum(at, 1e-9), status, freq_weights=weights)
    right = dict(zip(curve.surv_times, curve.surv_prob, strict=True))
    found = told(COHORT, MEASURED)
    heights = [1.0]
    for end in ends[1:]:
        assert found[ALIVE, f"at {end:g}", group].value == pytest.approx(right[end], abs=1e-6)
        heights.append(right[end])
    mean = found[RESTRICTED_MEAN, "within 60", group]
    assert mean.value == pytest.approx(np.trapezoid(heights, ends), abs=1e-4)
    half = np.interp(-0.5, -np.array(heights), ends) if heights[-1] < 0.5 else 60.0
    assert found[MEDIAN, "within 60", group].value == pytest.approx(half, abs=1e-3)


def test_two_groups_differ_by_what_their_curves_do():
    found = told(COHORT, MEASURED)
    for name, level in ((ALIVE, "at 60"), (RESTRICTED_MEAN, "within 60")):
        female, male = (found[name, level, group].value for group in ("female", "male"))
        apart = found[name, f"{level}{LESS}female", "male"]
        assert apart.value == pytest.approx(male - female)
        assert apart.low < apart.noise_low < apart.value < apart.noise_high < apart.high


def test_without_anybody_leaving_it_is_the_share_that_is_left():
    times = np.array([1.0, 7.0, 12.0, 22.0, 60.0, 60.0, 60.0, 60.0])
    found = told(followed(times, times < 60), follow_up_of(COHORT.entry, records=8))
    assert [found[ALIVE, f"at {end}", "all"].value for end in (5, 10, 15, 25, 60)] == pytest.approx(
        [0.875, 0.75, 0.625, 0.5, 0.5], abs=1e-6
    )


@pytest.mark.parametrize(
    ("time", "died", "cell"),
    [
        *((0.0, 1, "event by 5"), (5.0, 1, "event by 5"), (5.1, 0, "left by 10")),
        *((60.0, 1, "event by 60"), (60.0, 0, "there at 60"), (61.0, 1, "there at 60")),
        *((59.0, 0, "left by 60"), (np.nan, 1, None), (5.0, np.nan, None)),
    ],
)
def test_a_record_is_in_one_cell_or_in_none(time, died, cell):
    measured = follow_up_of(COHORT.entry, records=1)
    sums = exact(followed([time], [died]), measured)
    (column,) = measured.columns
    counts = dict(zip(column.levels, sums.vector / UNITS, strict=True))
    assert {name for name, count in counts.items() if count} == ({cell} - {None})


@pytest.mark.parametrize("by", ["", "sex"])
@pytest.mark.parametrize("rows", [1, 3])
def test_no_pair_of_neighbours_is_further_apart_and_one_is_as_far(by, rows):
    measured = follow_up_of(COHORT.entry, by=by, records=100)
    every = itertools.product(
        (0.0, 20.0, 60.0, 70.0, np.nan), (0, 1, np.nan), ("female", "male"), (-1, 0, 1)
    )
    vectors = np.array(
        [
            exact(
                followed(
                    [time] * rows,
                    [died] * rows,
                    sex=pd.Categorical([sex] * rows, categories=["female", "male"]),
                    label=[label] * rows,
                ),
                measured,
            ).vector
            / UNITS
            for time, died, sex, label in every
        ]
    )
    assert (vectors**2).sum(axis=1).max() == rows**2
    apart = ((vectors[:, None] - vectors[None]) ** 2).sum(axis=2).max()
    assert apart == 2 * rows**2
    for adjacency, squared in ((Adjacency.ZERO_OUT, 1), (Adjacency.REPLACE_ONE, 2)):
        mechanism = mechanism_for(BUDGET, measured, adjacency, rows)
        assert mechanism.squared_sensitivity == squared * (rows * UNITS) ** 2


@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (2.0 / 3.0, False)])
def test_every_cell_has_its_noise(share, is_right):
    sums = exact(COHORT, MEASURED)
    drawn = SummaryMechanism(MEASURED, Adjacency.ZERO_OUT, int(share * MECHANISM.sigma))
    noise = np.concatenate(
        [noisy(sums, drawn, seeded(seed)).vector - sums.vector / UNITS for seed in range(40)]
    ) / MECHANISM.scale_of(1)
    # 2,000 numbers: a variance off by 5 standard errors of it.
    assert bool(abs(noise.var() - 1.0) < 5.0 * (2.0 / noise.size) ** 0.5) is is_right


@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (2.0 / 3.0, False)])
def test_intervals_of_noise_alone_hold_the_tables_own_value(share, is_right):
    own = told(COHORT, MEASURED)
    less = SummaryMechanism(MEASURED, Adjacency.ZERO_OUT, int(share * MECHANISM.sigma))
    held = []
    for seed in range(80):
        released = noisy(exact(COHORT, MEASURED), MECHANISM, seeded(seed))
        for one in numbers(released, less, 800):
            if one.statistic == RESTRICTED_MEAN or one.level in ("at 5", "at 30", "at 60"):
                value = own[one.statistic, one.level, one.group].value
                held.append(one.noise_low <= value <= one.noise_high)
    assert bool(0.92 <= np.mean(held) <= 0.98) is is_right


HOSTILE = {
    "one record": lambda: followed([3.0], [1]),
    "nobody male": lambda: COHORT.rows(np.flatnonzero(COHORT.frame["sex"] == "female")),
    "all blank": lambda: replace(COHORT, label=np.zeros(800, dtype=np.int8)),
    "no times": lambda: followed(np.full(50, np.nan), np.ones(50)),
    "all at once": lambda: followed(np.full(50, 30.0), np.ones(50)),
    "nobody dies": lambda: followed(np.full(50, 60.0), np.zeros(50)),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("epsilon", [0.01, 20.0])
def test_tables_of_nearly_nothing_have_curves_within_bounds(name, epsilon):
    table = HOSTILE[name]()
    mechanism = mechanism_for(PrivacyBudget(epsilon, 1e-6), MEASURED, "zero-out")
    for found in (told(table, MEASURED), told(table, MEASURED, mechanism)):
        for one in found.values():
            assert one.low <= one.high
            assert one.noise_low <= one.noise_high
            assert abs(one.value) <= one.width
        for group in ("all", "female", "male"):
            heights = [found[ALIVE, f"at {end}", group].value for end in range(5, 65, 5)]
            assert [1.0, *heights] == sorted([1.0, *heights], reverse=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"time": "sex"}, "time is sex, but it must be a column of numbers from 0 on"),
        ({"time": "weight"}, "weight"),
        ({"event": "age"}, "event is age, but it must be a column of words"),
        ({"event": "stage"}, "which of its 3 values is the event, such as stage=III"),
        ({"event": "stage=IV"}, "IV"),
        ({"by": "died"}, "another column than the event's"),
        ({"by": "age"}, "by is age"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given, said):
    stage = Column("stage", "category", "stage", levels=("I", "II", "III"))
    entry = replace(COHORT.entry, columns=(*COHORT.entry.columns, stage))
    with pytest.raises(InvalidInput, match=said):
        follow_up_of(entry, **given)


def test_a_table_without_a_follow_up_takes_columns_of_its_own():
    entry = load("breast_cancer").entry
    with pytest.raises(InvalidInput, match="has no follow-up"):
        follow_up_of(entry)
    own = replace(COHORT.entry, follow_up=None)
    table = Table(own, COHORT.frame, COHORT.label)
    measured = follow_up_of(own, "bmi", "admitted", records=100)
    (column,) = measured.columns
    assert (column.event, column.happened, column.end) == ("admitted", "yes", 55.0)
    (counts,) = exact(table, measured).columns[column.name].levels / UNITS
    assert counts[:12].sum() == (COHORT.label > 0).sum()
    assert counts.sum() == 800
