"""Solving backwards: round trips, the safe side, and answers that are said not to exist."""

from dataclasses import replace

import pytest

from dpcore.accounting import planner
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import RELATIVE_ERROR, fit, precision, solve, spent, to_set
from dpcore.errors import Cancelled, InvalidInput
from dpcore.guarantee import Adjacency, Guarantee

BASE = TrainingPlan(sigma=1.5, records=10_000, batch=100, steps=500, delta=1e-5)


@pytest.mark.parametrize("accountant", ["rdp", "pld"])
@pytest.mark.parametrize("unknown", ["sigma", "steps", "batch", "delta", "clip"])
def test_one_more_would_be_too_much(unknown, accountant):
    plan = solve(unknown, BASE, 1.0, accountant)
    assert plan.value is not None
    assert plan.training is not None
    assert plan.guarantee.epsilon is not None
    assert plan.guarantee.epsilon <= 1.0
    bolder = {
        "sigma": lambda run: replace(run, sigma=run.sigma * (1.0 - 4.0 * RELATIVE_ERROR)),
        "steps": lambda run: replace(run, steps=run.steps + 1),
        "batch": lambda run: replace(run, batch=run.batch + 1),
        "delta": lambda run: replace(run, delta=run.delta * 0.99),
        "clip": lambda run: replace(run, clip=run.clip * (1.0 + 4.0 * RELATIVE_ERROR)),
    }[unknown](plan.training)
    assert spent(bolder, accountant).epsilon > 1.0  # type: ignore[operator]


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize(
    ("unknown", "adjacency"), [("sigma", Adjacency.ADD_REMOVE), ("clip", Adjacency.REPLACE_ONE)]
)
def test_noise_of_many_levels_is_solved_for_in_few_tries(unknown, adjacency, monkeypatch):
    run = replace(BASE, records=20_000, steps=100, decay=0.99, clip=0.5, adjacency=adjacency)
    asked: dict[TrainingPlan, Guarantee] = {}

    def noted(training, accountant):
        assert training not in asked
        asked[training] = spent(training, accountant)
        return asked[training]

    monkeypatch.setattr(planner, "spent", noted)
    monkeypatch.setattr(planner, "ROUGH_LEVELS", 24)
    assert run.levels > 4 * planner.ROUGH_LEVELS
    plan = solve(unknown, run, 1.0, "pld")
    assert plan.training in asked
    assert len(asked) <= 4
    assert plan.guarantee == asked[plan.training]
    assert plan.guarantee.epsilon <= 1.0
    # The best value lies between this one and a bolder one that was tried as well.
    sigmas = [each.sigma / each.clip for each, result in asked.items() if result.epsilon > 1.0]
    assert plan.training.sigma / plan.training.clip <= max(sigmas) * (1.0 + RELATIVE_ERROR)


def test_what_cannot_be_reached_is_said_plainly():
    loud = replace(BASE, sigma=0.05)
    for unknown in ("steps", "batch"):
        plan = solve(unknown, loud, 1e-6, "rdp")
        assert (plan.value, plan.training, plan.guarantee.epsilon) == (None, None, None)
        assert "reaches ε = 10⁻⁶" in plan.sentence


def test_noise_that_decays_to_nothing_ends_the_search_and_is_not_made_up_for():
    plan = solve("steps", replace(BASE, decay=0.5), 3.0, "rdp")
    assert plan.value is not None
    assert 1 <= plan.value < 40
    plan = solve("sigma", replace(BASE, steps=3_000, decay=0.5), 1.0, "pld")
    assert plan.value is None
    assert plan.sentence.startswith("No noise σ reaches ε = 1")


def test_a_run_is_fitted_by_its_noise_and_where_none_is_enough_by_its_epochs():
    noise = fit(BASE, 0.1, "pld")
    assert noise == solve("sigma", BASE, 0.1, "pld")
    fading = replace(BASE, steps=3_000, decay=0.5, decay_every=30)
    epochs = fit(fading, 5.0, "pld")
    assert epochs.unknown == "epochs"
    assert 1 <= (epochs.value or 0.0) < 30


def test_a_level_cut_short_keeps_its_own_steps():
    run = replace(BASE, steps=250, decay=0.81, decay_every=100)
    assert run.schedule().counts == (100, 100, 50)
    assert run.schedule().sigmas == pytest.approx((1.5, 1.35, 1.215))


def test_bad_questions_are_refused():
    with pytest.raises(InvalidInput, match="unknown"):
        solve("temperature", BASE, 1.0, "rdp")
    with pytest.raises(InvalidInput, match="ε"):
        solve("sigma", BASE, 0.0, "rdp")
    with pytest.raises(InvalidInput, match="sampling"):
        solve("batch", replace(BASE, sampling="none"), 1.0, "rdp")
    with pytest.raises(InvalidInput, match="batch size"):
        replace(BASE, batch=20_000)


@pytest.mark.parametrize("unknown", ["sigma", "delta", "clip"])
def test_an_answer_in_few_digits_stays_within_the_target(unknown):
    plan = solve(unknown, BASE, 1.0, "rdp")
    usable = to_set(plan)
    assert usable is not None
    value = getattr(usable, unknown)
    assert value == float(f"{value:.5g}")
    assert value == pytest.approx(plan.value, rel=1e-4)
    assert value <= plan.value if unknown == "clip" else value >= plan.value
    epsilon = spent(usable, "rdp").epsilon
    assert epsilon is not None
    assert epsilon <= 1.0


def test_whole_numbers_are_used_as_they_are():
    plan = solve("steps", BASE, 1.0, "rdp")
    assert to_set(plan) == plan.training
    assert "one more would exceed" in precision(plan)
    assert solve("batch", replace(BASE, sigma=1e6), 1.0, "rdp").value == 10_000


def test_a_search_can_be_ended_from_outside():
    told: list[float] = []

    def stop_after_three(share, message):
        told.append(share)
        if len(told) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        solve("sigma", BASE, 1.0, "rdp", stop_after_three)
    assert told == sorted(told)
    assert all(0.0 <= share < 1.0 for share in told)
