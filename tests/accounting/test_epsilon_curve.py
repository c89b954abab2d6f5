"""ε along a run: every checkpoint as if the run had stopped there; progress and cancel."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting.epsilon_curve import (
    LOWEST,
    OVER,
    by_decay,
    by_rate,
    checkpoints,
    epsilon_curve,
    epsilon_map,
)
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.errors import Cancelled, InvalidInput
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


BASE = TrainingPlan(
    sigma=2.0, records=1_000_000, batch=10_000, steps=500, delta=1e-5, decay=0.99, decay_every=100
)
KINDS = {
    "poisson": BASE,
    "fixed": replace(BASE, sampling="fixed", adjacency=Adjacency.REPLACE_ONE),
    "none": replace(BASE, sampling="none", steps=10, decay_every=4),
}
RESOLVED = 0.02  # below, the largest order of the map limits what it can show


@settings(max_examples=25)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    sigma=st.floats(0.6, 12.0),
    decay=st.sampled_from([0.9, 0.99, 1.0]),
    every=st.sampled_from([1, 7, 100]),
    rate=st.sampled_from([0.001, 0.01, 0.05]),
)
def test_every_cell_is_an_upper_bound_close_to_the_accountant(kind, sigma, decay, every, rate):
    batch = round(rate * BASE.records)
    noise = {"sigma": sigma, "decay": decay, "decay_every": every}
    run = replace(KINDS[kind], **noise, steps=60, batch=batch)
    exact = spent(run, "rdp").epsilon
    result = by_decay(run, [decay], [sigma])[0, 0]
    if exact is None or run.schedule().sigmas[-1] < LOWEST:
        assert math.isinf(result)
        return
    assert result >= exact * (1.0 - 1e-9)
    if RESOLVED < exact < 20.0:
        assert result <= exact * 1.2
    if kind != "none":
        assert by_rate(run, [run.rate], [sigma])[0, 0] == result


@pytest.mark.parametrize("over", OVER)
def test_a_map_holds_the_run_itself(over):
    table = epsilon_map(BASE, over)
    value = BASE.decay if over == "decay" else BASE.rate
    here = table[(table[over] == value) & (table["sigma"] == BASE.sigma)]
    assert len(here) == 1
    exact = spent(BASE, "rdp").epsilon
    assert exact is not None
    assert exact <= here["epsilon"].iloc[0] <= 1.05 * exact
    assert set(table["adjacency"]) == {"zero-out"}


def test_what_renyi_does_not_cover_is_refused():
    with pytest.raises(InvalidInput, match="no theorem"):
        epsilon_map(replace(BASE, adjacency=Adjacency.REPLACE_ONE), "decay")
    with pytest.raises(InvalidInput, match="sampling is none"):
        epsilon_map(KINDS["none"], "rate")
    with pytest.raises(InvalidInput, match="over is 'batch'"):
        epsilon_map(BASE, "batch")
