"""Sums of steps: public places, rows of norm 1, one record one row, and a rule in public values."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.additive import STEPS
from dpcore.datasets.encoding import cut_values, scaled
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
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Status
from dpcore.methods import register

ADDITIVE = Preparation(features="additive")
BY_RULE = Preparation(features="rule")
FEW = STEPS["additive"]


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


def test_a_number_stands_beside_a_few_steps_as_it_stands_alone():
    table = load("cohort")
    lines, curves = prepare(table), prepare(table, ADDITIVE)
    places = [curves.feature_names.index(name) for name in lines.feature_names]
    kept = curves.x_train[:, places]
    # Only the length of the row has changed.
    ratio = np.linalg.norm(kept, axis=1, keepdims=True) / np.linalg.norm(lines.x_train, axis=1)[0]
    assert kept == pytest.approx(lines.x_train * ratio, abs=1e-9)


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


@pytest.mark.parametrize("dataset", ["cohort", "breast_cancer", "diabetes"])
def test_cuts_stand_at_public_values_in_the_column_s_unit(dataset):
    table = load(dataset)
    made, preparation = prepare(table, ADDITIVE), Preparation(interval="unit")
    place = 0
    for column in table.entry.used:
        if column.kind != "number":
            continue
        values = cut_values(column, ADDITIVE, FEW)
        low, high = column.bounds
        assert low < values[0]
        assert np.all(np.diff(values) > 0)
        assert values[-1] < high
        # A value on either side of a cut falls on either side of its step.
        for sign in (-1, 1):
            near = values + sign * 1e-6 * (high - low)
            shares, outside = scaled(column, near, preparation)
            assert outside == 0
            steps = FEW.of(shares)
            assert np.array_equal(np.sign(np.diag(steps)), np.full(FEW.count, sign))
        place = made.feature_names.index(f"{column.name} ≥ {values[0]:.4g}")
        assert made.feature_names[place - 1] == column.name
        assert made.feature_names[place + FEW.count - 1] == f"{column.name} ≥ {values[-1]:.4g}"


@pytest.mark.parametrize("dataset", ["cohort", "diabetes"])
def test_one_record_is_one_row_and_the_schema_alone_decides_the_columns(dataset):
    table = load(dataset)
    here = prepare(table, ADDITIVE)
    frame = table.frame.copy()
    moved = next(column for column in table.entry.used if column.kind == "number")
    # The most extreme neighbour: far outside the public bounds.
    frame.loc[5, moved.name] = 1e9
    there = prepare(replace(table, frame=frame, published=False), ADDITIVE)
    assert here.feature_names == there.feature_names
    changed = [
        np.flatnonzero(np.any(a != b, axis=1)).size
        for a, b in ((here.x_train, there.x_train), (here.x_test, there.x_test))
    ]
    assert sum(changed) <= 1
    assert np.linalg.norm(there.x_train, axis=1).max() <= 1.0


@pytest.mark.parametrize("features", STEPS)
def test_steps_at_the_data_s_own_range_are_refused(features):
    with pytest.raises(InvalidInput, match=r"^scaling is 'data', but it must be public"):
        Preparation(features=features, scaling="data")


def test_by_rule_there_are_no_steps_at_the_data_s_own_range():
    made = prepare(load("cohort"), replace(BY_RULE, scaling="data"))
    assert (made.preparation.features, dict(made.maps)) == ("plain", {})


def test_a_map_of_too_many_values_is_left_out_by_public_numbers(monkeypatch):
    table = load("cohort", records=400)
    whole = prepare(table, BY_RULE)
    for kept in (1, 2):
        fits = table.records * list(whole.maps.values())[kept].dimension
        monkeypatch.setattr("dpcore.datasets.feature_rule.MAX_VALUES", fits - 1)
        made = prepare(table, BY_RULE)
        assert tuple(made.maps) == (MAPS[:kept] if kept > 1 else ())
        study = Study("cohort", records=400, epsilons=(0.1, 60.0), delta=1e-5)
        maps = [rows[0].preparation.features for _, rows in by_map(study, made)]
        assert maps == ["plain", "additive"][:kept]
    monkeypatch.setattr("dpcore.datasets.feature_rule.MAX_VALUES", fits)
    assert tuple(prepare(table, BY_RULE).maps) == MAPS


def test_every_proof_holds_with_it_as_without():
    every = tuple(key for key, method in register().items() if not method.refusal("logistic"))
    standings = []
    for preparation in (ADDITIVE, Preparation()):
        study = Study("cohort", methods=every, epsilons=(1.0,), preparation=preparation)
        problem = problem_for(study, prepare(load("cohort"), preparation))
        made = calibrations_for(study, problem, 1e-5)
        standings.append({key: group[0].status for key, group in made.items()})
    assert standings[0] == standings[1]
    assert list(standings[0].values()).count(Status.PROVED) >= 8
