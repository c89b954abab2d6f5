"""The curve around a setting passes through the answer."""

from dataclasses import replace

import pytest

from dpcore.accounting.events import TrainingPlan, steps_per_epoch
from dpcore.accounting.planner import solve, spent
from dpcore.questions.plan.figure import drawn_over, setting, setting_curve

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
