"""ε along a run: every checkpoint as if the run had stopped there; progress and cancel."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from dpcore.accounting.epsilon_curve import checkpoints, epsilon_curve
from dpcore.accounting.planner import spent
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.errors import Cancelled
from dpcore.guarantee import Adjacency

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
