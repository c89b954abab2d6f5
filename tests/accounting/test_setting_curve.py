"""The curve around a setting that was found: it passes through the answer, and crosses there."""

import pytest

from dpcore.accounting.budget import split
from dpcore.accounting.planner import solve, spent
from dpcore.accounting.setting_curve import release_curve, setting_curve
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.figures.plan.setting import setting
from dpcore.guarantee import Adjacency, PrivacyBudget

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


def test_the_noise_of_releases_scales_with_the_change_by_one_person():
    limit = PrivacyBudget(3.0, 1e-5)
    one, ten = (
        release_curve(split(limit, 52, "pld", change), limit, Adjacency.ZERO_OUT, change)
        for change in (1.0, 10.0)
    )
    assert list(ten["value"]) == pytest.approx([10.0 * value for value in one["value"]])
    assert list(ten["epsilon"]) == pytest.approx(list(one["epsilon"]))
    result = split(limit, 52, "pld", 1.0)
    (at,) = one.loc[one["value"] == result.portions[0].sigma, "epsilon"]
    assert at == result.certified_epsilon <= 3.0
    assert (one.loc[one["value"] < result.portions[0].sigma, "epsilon"] > 3.0).all()
