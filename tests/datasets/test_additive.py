"""Sums of steps: public places, rows of norm 1, one record one row, and a rule in public sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.additive import STEPS, WEIGHT, cuts, sums_of_steps
from dpcore.datasets.feature_rule import LEAST_RECORDS, by_rule
from dpcore.datasets.own import read_own
from dpcore.datasets.prepare import cut_values, scaled
from dpcore.erm.problem import default_lam
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Status
from dpcore.methods import register

ADDITIVE = Preparation(features="additive")
BY_RULE = Preparation(features="rule")


def test_every_value_has_one_norm_and_is_told_apart_at_the_cuts_alone() -> None:
    shares = np.linspace(0.0, 1.0, 1_001)
    made = sums_of_steps(shares)
    assert made.shape == (1_001, STEPS)
    assert np.linalg.norm(made, axis=1) == pytest.approx(WEIGHT)
    bins = (shares[:, np.newaxis] >= cuts()).sum(axis=1)
    assert set(bins) == set(range(STEPS + 1))
    for here in range(STEPS + 1):
        assert len(np.unique(made[bins == here], axis=0)) == 1
    assert len(np.unique(made, axis=0)) == STEPS + 1


def test_a_number_stands_beside_its_steps_as_it_stands_alone() -> None:
    table = load("cohort")
    lines, curves = prepare(table), prepare(table, ADDITIVE)
    places = [curves.feature_names.index(name) for name in lines.feature_names]
    assert len(places) == lines.dimension
    kept = curves.x_train[:, places]
    # Only the length of the row has changed.
    ratio = np.linalg.norm(kept, axis=1, keepdims=True) / np.linalg.norm(lines.x_train, axis=1)[0]
    assert kept == pytest.approx(lines.x_train * ratio, abs=1e-9)


def test_a_step_counts_as_the_square_of_its_weight_of_a_feature() -> None:
    table = load("cohort")
    lines, curves = prepare(table), prepare(table, ADDITIVE)
    numbers = sum(column.kind == "number" for column in table.entry.used)
    assert curves.dimension == lines.dimension + STEPS * numbers
    assert curves.counted == lines.dimension + round(STEPS * WEIGHT**2) * numbers
    assert lines.counted == lines.dimension
    here, there = (
        problem_for(Study("cohort", preparation=split.preparation), split)
        for split in (lines, curves)
    )
    assert there.lam == default_lam(curves.records, curves.counted) > here.lam


@pytest.mark.parametrize(
    ("dataset", "features"), [("cohort", "additive"), ("breast_cancer", "plain")]
)
def test_the_rule_goes_by_sizes_and_never_by_what_records_hold(dataset, features) -> None:
    table = load(dataset)
    here = prepare(table, BY_RULE)
    assert here.preparation.features == features
    assert here.x_train == pytest.approx(
        prepare(table, replace(ADDITIVE, features=features)).x_train, abs=0.0
    )
    assert any("by rule" in note for note in here.notes)
    # Other labels, other values, and half of the records blank.
    generator = np.random.default_rng(0)
    frame = table.frame.iloc[generator.permutation(table.records)].reset_index(drop=True)
    blank = generator.random(table.records) < 0.5
    label = np.where(blank, 0.0, -table.label).astype(table.label.dtype)
    there = prepare(replace(table, frame=frame, label=label, published=False), BY_RULE)
    assert there.preparation.features == features
    assert there.feature_names == here.feature_names


def test_the_rule_has_one_edge_in_records_for_each_column_of_numbers() -> None:
    for numbers in (0, 1, 5, 30):
        taken = [by_rule(records, numbers) for records in range(1, 1_000)]
        edge = LEAST_RECORDS * max(numbers, 1) - 1
        assert taken == ["plain"] * edge + ["additive"] * (999 - edge)


def test_records_with_gaps_have_no_say_in_the_rule() -> None:
    table = read_own("a: 0 to 1; unknown: blank\npredict y: one of no, yes", _rows(gaps=0), "t.csv")
    gappy = read_own("a: 0 to 1; unknown: blank\npredict y: one of no, yes", _rows(gaps=20), "t.csv")
    drop = replace(BY_RULE, missing="drop")
    assert prepare(gappy, drop).records < LEAST_RECORDS <= prepare(table, drop).records
    assert prepare(gappy, drop).preparation == prepare(table, drop).preparation


def _rows(gaps: int) -> bytes:
    lines = [
        f"{'' if place < gaps else place / 30},{'yes' if place % 2 else 'no'}"
        for place in range(30)
    ]
    return "\n".join(["a,y", *lines]).encode()


@pytest.mark.parametrize("dataset", ["cohort", "breast_cancer", "diabetes"])
def test_cuts_stand_at_public_values_in_the_column_s_unit(dataset) -> None:
    table = load(dataset)
    made, preparation = prepare(table, ADDITIVE), Preparation(interval="unit")
    place = 0
    for column in table.entry.used:
        if column.kind != "number":
            continue
        values = cut_values(column, ADDITIVE)
        low, high = column.bounds
        assert low < values[0]
        assert np.all(np.diff(values) > 0)
        assert values[-1] < high
        # A value on either side of a cut falls on either side of its step.
        for sign in (-1, 1):
            near = values + sign * 1e-6 * (high - low)
            shares, outside = scaled(column, near, preparation)
            assert outside == 0
            steps = sums_of_steps(shares)
            assert np.array_equal(np.sign(np.diag(steps)), np.full(STEPS, sign))
        place = made.feature_names.index(f"{column.name} ≥ {values[0]:.4g}")
        assert made.feature_names[place - 1] == column.name
        assert made.feature_names[place + STEPS - 1] == f"{column.name} ≥ {values[-1]:.4g}"


@pytest.mark.parametrize("dataset", ["cohort", "diabetes"])
def test_one_record_is_one_row_and_the_schema_alone_decides_the_columns(dataset) -> None:
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


@pytest.mark.parametrize("features", ["additive", "rule"])
def test_steps_at_the_data_s_own_range_are_refused(features) -> None:
    with pytest.raises(InvalidInput, match=r"^scaling is 'data', but it must be public"):
        Preparation(features=features, scaling="data")


def test_every_proof_holds_with_it_as_without() -> None:
    every = tuple(key for key, method in register().items() if not method.refusal("logistic"))
    standings = []
    for preparation in (ADDITIVE, Preparation()):
        study = Study("cohort", methods=every, epsilons=(1.0,), preparation=preparation)
        problem = problem_for(study, prepare(load("cohort"), preparation))
        made = calibrations_for(study, problem, 1e-5)
        standings.append({key: group[0].status for key, group in made.items()})
    assert standings[0] == standings[1]
    assert list(standings[0].values()).count(Status.PROVED) >= 8
