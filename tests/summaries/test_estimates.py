"""Numbers without noise are the table's own; intervals hold the population as often as said."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.summaries.counts import exact, in_records, measured_of, noisy, seeded
from dpcore.summaries.estimates import agreeing, estimates, ratio_interval
from dpcore.summaries.mechanism import SummaryMechanism, mechanism_for
from dpcore.summaries.request import SummaryRequest
from tests.summaries.made import NAMES, SHARES, STAGES, drawn


def told(table, *, mechanism=None, seed=0, by="admitted"):
    """Every number of a summary by column, statistic, level and group."""
    measured = measured_of(table.entry, NAMES, by)
    sums = exact(table, measured)
    if mechanism is None:
        mechanism = SummaryMechanism(measured, Adjacency.ZERO_OUT, 1)
        found = estimates(in_records(sums.vector, measured), mechanism, table.records)
    else:
        found = estimates(noisy(sums, mechanism, seeded(seed)), mechanism, table.records)
    return {(one.column, one.statistic, one.level, one.group): one for one in found}


@pytest.mark.parametrize(("group", "of"), [("all", (-1, 1)), ("yes", (1,)), ("no", (-1,))])
def test_without_noise_they_are_the_tables_own(group, of):
    table = drawn(4_000, 5)
    numbers, chosen = told(table), np.isin(table.label, of)
    for name in ("age", "bmi"):
        values = table.frame[name][chosen].dropna()
        column = table.entry.column(name)
        cell = (column.upper - column.lower) / 256
        assert numbers[name, "mean", "", group].value == pytest.approx(values.mean(), abs=1e-4)
        deviation = numbers[name, "standard deviation", "", group].value
        assert deviation == pytest.approx(values.std(ddof=0), abs=1e-3)
        for statistic, order in (("quartile 1", 0.25), ("median", 0.5), ("quartile 3", 0.75)):
            value = numbers[name, statistic, "", group].value
            assert value == pytest.approx(values.quantile(order), abs=cell)
    shares = table.frame["stage"][chosen].value_counts(normalize=True)
    for level in STAGES:
        assert numbers["stage", "share", level, group].value == pytest.approx(shares[level])


@pytest.mark.parametrize(
    ("statistics", "told"),
    [
        (("shares",), {"share"}),
        (("means",), {"share", "mean", "standard deviation"}),
        (("quartiles",), {"share", "quartile 1", "median", "quartile 3"}),
    ],
)
def test_what_is_asked_for_is_told_as_in_the_whole_table(statistics, told):
    table = drawn(2_000, 3)
    found, every = (
        {
            (one.column, one.statistic, one.level, one.group): one
            for one in estimates(
                in_records(exact(table, measured).vector, measured),
                SummaryMechanism(measured, Adjacency.ZERO_OUT, 1),
                table.records,
            )
        }
        for measured in (
            SummaryRequest("admitted", NAMES, given).measured(table.entry)
            for given in (statistics, ())
        )
    )
    assert {statistic for _, statistic, *_ in found} == told  # groups have shares
    for key, one in found.items():
        assert one.value == pytest.approx(every[key].value)
        if key[1] == "standard deviation":  # the fourth moment is bounded where it is not known
            assert one.high - one.low > every[key].high - every[key].low
        else:
            assert (one.low, one.high) == pytest.approx((every[key].low, every[key].high))


@pytest.mark.parametrize("seed", range(5))
def test_the_fourth_moment_is_within_its_bound(seed):
    values = np.random.default_rng(seed).beta(0.3, 0.3 + seed, 1_000) * 2 - 1
    mean, variance = values.mean(), values.var()
    assert ((values - mean) ** 4).mean() <= (1 + abs(mean)) ** 2 * variance


def test_what_belongs_together_agrees():
    table = drawn(300, 2)
    mechanism = mechanism_for(
        PrivacyBudget(0.2, 1e-6), measured_of(table.entry, NAMES, "admitted"), "zero-out"
    )
    for seed in range(20):
        numbers = told(table, mechanism=mechanism, seed=seed)
        for group in ("all", "yes", "no"):
            shares = [numbers["stage", "share", level, group].value for level in STAGES]
            assert sum(shares) == pytest.approx(1.0)
            assert min(shares) >= 0.0
            ordered = [
                numbers["age", name, "", group].value
                for name in ("quartile 1", "median", "quartile 3")
            ]
            assert ordered == sorted(ordered)
        assert all(one.low <= one.high for one in numbers.values())
        assert all(math.isfinite(one.value) for one in numbers.values())


def crossed(table, **asked):
    """What is told of a cross-table of stage and sex, and the query."""
    measured = SummaryRequest("admitted", cross=("stage:sex",), **asked).measured(table.entry)
    return measured, {
        (one.column, one.level, one.group): one
        for one in estimates(
            in_records(exact(table, measured).vector, measured),
            SummaryMechanism(measured, Adjacency.ZERO_OUT, 1),
            table.records,
        )
    }


def test_a_cross_table_without_noise_is_the_tables_own():
    table = drawn(2_000, 8)
    _, found = crossed(table)
    own = pd.crosstab(table.frame["stage"], table.frame["sex"], normalize="all")
    for stage in STAGES:
        for sex in ("female", "male"):
            share = found["stage × sex", f"{stage} × {sex}", "all"]
            assert share.value == pytest.approx(own.loc[stage, sex])
            assert share.low < share.value < share.high


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_a_cross_table_agrees_with_its_margins(epsilon):
    table = drawn(300, 2)
    measured, _ = crossed(table, only=("sex", "stage"))
    mechanism = mechanism_for(PrivacyBudget(epsilon, 1e-6), measured, "zero-out")
    for seed in range(5):
        sums = noisy(exact(table, measured), mechanism, seeded(seed))
        found = {
            (one.column, one.level, one.group): one.value
            for one in estimates(sums, mechanism, table.records)
        }
        for group in ("all", "yes", "no"):
            cells = {key[1]: each for key, each in found.items() if key[::2] == (CROSSED, group)}
            assert min(cells.values()) >= 0.0
            for name, levels in (("stage", STAGES), ("sex", ("female", "male"))):
                for level in levels:
                    parts = [each for pair, each in cells.items() if level in pair.split(" × ")]
                    assert sum(parts) == pytest.approx(found[name, level, group], abs=1e-9)


CROSSED = "stage × sex"


def test_cells_that_agree_are_the_nearest_that_do():
    random = np.random.default_rng(3)
    for _ in range(5):
        cells = random.dirichlet(np.full(12, 0.5)).reshape(3, 4)
        first, second = random.dirichlet(np.ones(3)), random.dirichlet(np.ones(4))
        found = agreeing(cells.ravel(), first, second)
        nearest = optimize.minimize(
            lambda each, cells=cells: ((each - cells.ravel()) ** 2).sum(),
            np.outer(first, second).ravel(),
            bounds=[(0.0, 1.0)] * 12,
            constraints={
                "type": "eq",
                "fun": lambda each, first=first, second=second: np.concatenate(
                    [
                        each.reshape(3, 4).sum(axis=1) - first,
                        each.reshape(3, 4).sum(axis=0) - second,
                    ]
                )[:-1],
            },
            options={"maxiter": 500, "ftol": 1e-12},
        )
        np.testing.assert_allclose(found, nearest.x, atol=1e-5)


def test_margins_of_nobody_leave_cells_of_nobody():
    found = agreeing(np.full(4, 0.25), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(found, [0.0, 1.0, 0.0, 0.0], atol=1e-9)


def test_a_cross_table_counts_those_of_whom_both_are_known():
    table = drawn(400, 4)
    columns = [
        replace(each, missing_marks=("",)) if each.name == "stage" else each
        for each in table.entry.columns
    ]
    frame = table.frame.assign(stage=table.frame["stage"].where(np.arange(400) % 3 > 0))
    with_gaps = replace(table, entry=replace(table.entry, columns=tuple(columns)), frame=frame)
    measured, found = crossed(with_gaps)
    assert exact(with_gaps, measured).columns[CROSSED].levels.sum() / 2**20 == 266
    cells = [one.value for key, one in found.items() if key[::2] == (CROSSED, "all")]
    assert sum(cells) == pytest.approx(1.0)


HOSTILE = {
    "one record": lambda table: table.rows(np.array([0])),
    "nobody admitted": lambda table: table.rows(np.flatnonzero(table.label < 0)),
    "all blank": lambda table: blanked(table),
    "constant": lambda table: constant(table),
}


def blanked(table):
    table.label[:] = 0
    return table


def constant(table):
    table.frame["age"], table.frame["bmi"] = 50.0, np.nan
    return table


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_tables_of_nearly_nothing_have_numbers_within_bounds(name, epsilon):
    table = HOSTILE[name](drawn(50, 1))
    measured = measured_of(table.entry, NAMES, "admitted")
    mechanism = mechanism_for(PrivacyBudget(epsilon, 1e-6), measured, "zero-out")
    for numbers in (told(table), told(table, mechanism=mechanism)):
        for one in numbers.values():
            assert one.low <= one.high
            assert 0.0 <= (one.high - one.low) <= one.width


@pytest.mark.parametrize(("count", "others", "sigma"), [(3.0, 40.0, 2.0), (-1.0, 30.0, 4.0)])
def test_a_small_share_is_inverted_by_its_own_law(count, others, sigma):
    low, high = ratio_interval(count, others, sigma, 3)
    random = np.random.default_rng(4)
    total = round(max(count + others, 1.0))
    for end, beyond in ((high, lambda seen: seen <= count), (low, lambda seen: seen >= count)):
        if end in (0.0, 1.0):
            continue
        drawn_counts = random.binomial(total, end, 200_000)
        noise = sigma * math.sqrt((1 - end) ** 2 + 3 * end**2)
        assert beyond(drawn_counts + random.normal(0, noise, 200_000)).mean() == pytest.approx(
            0.025, abs=0.003
        )


TRUTH = {
    **{("stage", "share", level): share for level, share in zip(STAGES, SHARES, strict=True)},
    ("sex", "share", "male"): 0.5,
    ("sex", "share", "female"): 0.5,
}


@pytest.mark.slow("draws a table and its noise hundreds of times")
@pytest.mark.parametrize(("share", "is_right"), [(1.0, True), (0.5, False)])
def test_intervals_hold_the_population_as_often_as_they_say(share, is_right):
    big = told(drawn(1_000_000, 9))
    population = {key: one.value for key, one in big.items()}
    for group in ("all", "yes", "no"):
        population |= {(*key, group): value for key, value in TRUTH.items()}
    held, alone = [], []
    for seed in range(300):
        table = drawn(3_000, 100 + seed)
        measured = measured_of(table.entry, NAMES, "admitted")
        stated = mechanism_for(PrivacyBudget(1.0, 1e-6), measured, "zero-out")
        own = told(table)
        found = told(table, mechanism=stated, seed=seed)
        if not is_right:  # intervals by half of the noise that was drawn
            less = SummaryMechanism(measured, Adjacency.ZERO_OUT, int(share * stated.sigma))
            released = noisy(exact(table, measured), stated, seeded(seed))
            found = {
                (one.column, one.statistic, one.level, one.group): one
                for one in estimates(released, less, table.records)
            }
        # A quartile's interval ends at edges of cells, and so holds it more often.
        exactly = {key: one for key, one in found.items() if key[1] in ("share", "mean")}
        held += [one.low <= population[key] <= one.high for key, one in exactly.items()]
        alone += [
            one.noise_low - 1e-9 <= own[key].value <= one.noise_high + 1e-9
            for key, one in exactly.items()
        ]
    for right in map(np.mean, (held, alone)):
        assert bool(0.94 <= right <= 0.965) is is_right
