"""Sums of steps: public places, rows of norm 1, one record one row, curves for a small norm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.additive import STEPS, cuts, sums_of_steps
from dpcore.datasets.prepare import cut_values, scaled
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Status
from dpcore.methods import register

ADDITIVE = Preparation(features="additive")


def test_every_value_has_norm_one_and_is_told_apart_at_the_cuts_alone() -> None:
    shares = np.linspace(0.0, 1.0, 1_001)
    made = sums_of_steps(shares)
    assert made.shape == (1_001, STEPS)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1.0)
    bins = (shares[:, np.newaxis] >= cuts()).sum(axis=1)
    assert set(bins) == set(range(STEPS + 1))
    for here in range(STEPS + 1):
        assert len(np.unique(made[bins == here], axis=0)) == 1
    assert len(np.unique(made, axis=0)) == STEPS + 1


def test_a_straight_line_takes_no_more_weight_than_with_the_number_itself() -> None:
    shares = np.linspace(0.0, 1.0, 100_001)
    weights = np.full(STEPS, 0.5 * STEPS**-0.5)  # norm a/2 for a rise of a = 1
    line = sums_of_steps(shares) @ weights
    assert line[-1] - line[0] == pytest.approx(1.0)
    assert np.abs(line - (shares - 0.5)).max() <= 1.0 / STEPS
    # With indicators of as many bins the norm would be larger than half the rise.
    bins = np.linspace(-0.5, 0.5, STEPS)
    assert np.linalg.norm(bins) > 1.9 * np.linalg.norm(weights)


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


def test_steps_at_the_data_s_own_range_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^scaling is 'data', but it must be public"):
        Preparation(features="additive", scaling="data")


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
