<<<<<<<< HEAD:tests/questions/plan/test_figure.py
"""The curve around a setting passes through the answer."""
========
"""Curves stop where the run could have, and pass through the answer; progress and cancel."""
>>>>>>>> f095b2f8 (Keep curves, entries, paper 003 and standings in one file each):tests/accounting/test_curves.py

from __future__ import annotations

import math
from dataclasses import replace

import pytest

<<<<<<<< HEAD:tests/questions/plan/test_figure.py
from dpcore.accounting.planner import solve, spent
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.questions.plan.figure import drawn_over, setting, setting_curve
========
from dpcore.accounting.answers import ladder
from dpcore.accounting.budget import split
from dpcore.accounting.epsilon_curve import (
    checkpoints,
    drawn_over,
    epsilon_curve,
    ladder_curve,
    setting_curve,
)
from dpcore.accounting.planner import solve, spent
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.errors import Cancelled
from dpcore.figures.plan.setting import setting
from dpcore.guarantee import Adjacency, PrivacyBudget

DECAYING = TrainingPlan(sigma=2.0, records=5_000, batch=50, steps=60, delta=1e-5, decay=0.99)
RUNS = {
    "decay every step": DECAYING,
    "constant": replace(DECAYING, decay=1.0, steps=5_000),
    "a level cut short": replace(DECAYING, decay=0.8, decay_every=25),
    "replace-one": replace(DECAYING, adjacency=Adjacency.REPLACE_ONE),
    "batches of fixed size": replace(
        DECAYING, sampling="fixed", adjacency=Adjacency.REPLACE_ONE, steps=400
    ),
    "no sampling": replace(DECAYING, sigma=60.0, sampling="none"),
}


def test_checkpoints_end_with_the_run():
    assert checkpoints(3, 24) == (1, 2, 3)
    marks = checkpoints(1000, 24)
    assert (len(marks), marks[-1]) == (24, 1000)


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("name", RUNS)
def test_a_checkpoint_is_what_the_run_would_have_spent_if_stopped_there(name):
    run = RUNS[name]
    table = epsilon_curve(run, ["pld", "rdp"], points=7)
    assert tuple(table["steps"]) == 2 * checkpoints(run.steps, 7)
    for line in table.itertuples():
        alone = spent(replace(run, steps=line.steps), line.curve)
        if line.curve == "rdp" and name == "replace-one":
            assert alone.epsilon is None
            assert math.isnan(line.epsilon)
            assert line.status == "conditions not met"
            continue
        assert line.epsilon == pytest.approx(alone.epsilon, rel=2e-4, abs=1e-9)
        assert (line.adjacency, line.accountant) == (str(alone.adjacency), alone.by)
        assert (line.status, line.delta) == ("proved", run.delta)


def test_paper_003_says_nothing_without_sampling():
    assert epsilon_curve(RUNS["no sampling"], ["printed"]).empty
    assert set(epsilon_curve(DECAYING, ["printed"], points=2)["status"]) == {"claim"}


@pytest.mark.parametrize("after", [1, 3])
def test_an_exception_in_the_callback_ends_the_work(after):
    calls: list[float] = []

    def stop(share, text):
        calls.append(share)
        if len(calls) == after:
            raise Cancelled

    with pytest.raises(Cancelled):
        epsilon_curve(DECAYING, ["pld"], progress=stop)
    assert len(calls) == after

>>>>>>>> f095b2f8 (Keep curves, entries, paper 003 and standings in one file each):tests/accounting/test_curves.py

START = TrainingPlan(2.0, records=10_000, batch=256, steps=400, delta=1e-5)


@pytest.mark.parametrize(
    ("unknown", "grows"), [("epochs", True), ("batch", True), ("sigma", False)]
)
def test_the_answer_is_the_last_setting_within_the_budget(unknown, grows):
    plan = solve(unknown, START, 3.0, "pld")
    table = setting_curve(plan)
    assert table["value"].is_monotonic_increasing
    epsilons = list(table["epsilon"])
    assert epsilons == sorted(epsilons, reverse=not grows)
    (at,) = table.loc[table["value"] == plan.value, "epsilon"]
    assert at == pytest.approx(plan.guarantee.epsilon)
    within = table["epsilon"] <= 3.0
    edge = table.loc[within, "value"].max() if grows else table.loc[within, "value"].min()
    assert edge == plan.value
    drawn = setting(table, unknown, float(plan.value or 0.0), 3.0)
    (diamond,) = (trace for trace in drawn.figure.data if trace.mode == "markers")
    assert (diamond.x[0], diamond.y[0]) == (plan.value, at)
    assert "within the budget of 3" in drawn.sentence


def test_every_other_point_is_what_the_accountant_certifies():
    plan = solve("epochs", START, 3.0, "pld")
    table = setting_curve(plan)
    first = table.iloc[1]
    steps = round(first["value"]) * steps_per_epoch(10_000, 256)
    alone = TrainingPlan(2.0, 10_000, 256, steps=steps, delta=1e-5)
    assert first["epsilon"] == pytest.approx(spent(alone, "pld").epsilon, rel=1e-3)


def test_the_curve_of_a_run_goes_over_its_steps_and_no_further_where_its_noise_decays():
    for run, most in ((START, 800), (replace(START, decay=0.99, decay_every=40), 400)):
        plan = solve("epsilon", run, 3.0, "pld")
        assert drawn_over(plan) == ("steps", 400.0)
        table = setting_curve(plan)
        assert table["value"].max() == most
        (at,) = table.loc[table["value"] == 400, "epsilon"]
        assert at == pytest.approx(plan.value)
