"""Sums of steps: public places, rows of norm 1, one record one row, and a rule in public values."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.additive import STEPS
from dpcore.datasets.feature_rule import (
    CURVES,
    FINE_CURVES,
    MAPS,
    MIN_RECORDS,
    by_noise,
    enough_records,
)
from dpcore.datasets.own.rows import read_own
from dpcore.erm.problem import default_lam
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, problem_for

ADDITIVE = Preparation(features="additive")
BY_RULE = Preparation(features="rule")


@pytest.mark.parametrize("steps", STEPS.values())
def test_every_value_has_one_norm_and_is_told_apart_at_the_cuts_alone(steps):
    shares = np.linspace(0.0, 1.0, 1_001)
    made = steps.of(shares)
    assert made.shape == (1_001, steps.count)
    assert np.linalg.norm(made, axis=1) == pytest.approx(steps.weight)
    bins = (shares[:, np.newaxis] >= steps.cuts).sum(axis=1)
    assert set(bins) == set(range(steps.count + 1))
    for here in range(steps.count + 1):
        assert len(np.unique(made[bins == here], axis=0)) == 1
    assert len(np.unique(made, axis=0)) == steps.count + 1


@pytest.mark.parametrize(("features", "counted"), [("additive", 4), ("fine", 24)])
def test_a_step_counts_as_the_square_of_its_weight_of_a_feature(features, counted):
    table = load("cohort")
    lines, curves = prepare(table), prepare(table, replace(ADDITIVE, features=features))
    numbers = sum(column.kind == "number" for column in table.entry.used)
    others = lines.dimension - numbers
    steps = STEPS[features]
    assert curves.dimension == others + (steps.count + steps.keeps_number) * numbers
    assert curves.counted == others + counted * numbers
    assert np.linalg.norm(curves.x_train, axis=1).max() <= 1.0
    assert lines.counted == lines.dimension
    here, there = (
        problem_for(Study("cohort", preparation=split.preparation), split)
        for split in (lines, curves)
    )
    assert there.lam == default_lam(curves.records, curves.counted) > here.lam


def test_few_records_for_each_column_of_numbers_are_straight_lines():
    for numbers in (0, 1, 5, 30):
        taken = [enough_records(records, numbers) for records in range(1, 1_000)]
        edge = MIN_RECORDS * max(numbers, 1) - 1
        assert taken == [False] * edge + [True] * (999 - edge)
    few, many = prepare(load("breast_cancer"), BY_RULE), prepare(load("cohort"), BY_RULE)
    assert (few.preparation.features, dict(few.maps)) == ("plain", {})
    assert tuple(many.maps) == MAPS
    for features, split in many.maps.items():
        assert split.preparation.features == features
    assert all(any("By rule" in note for note in split.notes) for split in (few, many))


def test_the_map_has_two_edges_and_never_falls_back_as_noise_shrinks():
    # n μ/√d with n = 100 and d = 4 is 50 μ.
    taken = [by_noise(100, 4, ratio / 50.0) for ratio in np.linspace(0.0, 300.0, 3_001)]
    first, second = taken.index("additive") / 10.0, taken.index("fine") / 10.0
    assert (first, second) == pytest.approx((CURVES, FINE_CURVES), abs=0.11)
    assert sorted(taken, key=MAPS.index) == taken
    ranks = [MAPS.index(by_noise(n, 90, 0.2)) for n in range(10, 20_000, 10)]
    assert ranks == sorted(ranks)
    assert set(ranks) == {0, 1, 2}


def test_records_with_gaps_have_no_say_in_the_number_of_records():
    described = "a: 0 to 1; unknown: blank\npredict y: one of no, yes"
    table, gappy = (read_own(described, _rows(gaps), "t.csv") for gaps in (0, 20))
    drop = replace(BY_RULE, missing="drop")
    assert prepare(gappy, drop).records < MIN_RECORDS <= prepare(table, drop).records
    assert tuple(prepare(gappy, drop).maps) == tuple(prepare(table, drop).maps) == MAPS


def _rows(gaps):
    lines = [
        f"{'' if place < gaps else place / 30},{'yes' if place % 2 else 'no'}"
        for place in range(30)
    ]
    return "\n".join(["a,y", *lines]).encode()


def test_there_are_no_steps_at_the_data_s_own_range():
    with pytest.raises(InvalidInput, match=r"^scaling is 'data', but it must be public"):
        Preparation(features="additive", scaling="data")
    made = prepare(load("cohort"), replace(BY_RULE, scaling="data"))
    assert (made.preparation.features, dict(made.maps)) == ("plain", {})


def test_a_map_of_too_many_values_is_left_out_by_public_numbers(monkeypatch):
    table = load("cohort", records=400)
    fits = table.records * prepare(table, BY_RULE).maps["fine"].dimension
    for most, maps in ((fits, MAPS), (fits - 1, MAPS[:2])):
        monkeypatch.setattr("dpcore.datasets.feature_rule.MAX_VALUES", most)
        assert tuple(prepare(table, BY_RULE).maps) == maps
