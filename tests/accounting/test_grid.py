"""Maps of ε: upper bounds close to the accountant's own, ordered as they must be."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting import grid
from dpcore.accounting.planner import spent
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency

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
    result = grid.by_decay(run, [decay], [sigma])[0, 0]
    if exact is None or run.schedule().sigmas[-1] < grid.LOWEST:
        assert math.isinf(result)
        return
    assert result >= exact * (1.0 - 1e-9)
    if RESOLVED < exact < 20.0:
        assert result <= exact * 1.2
    if kind != "none":
        assert grid.by_rate(run, [run.rate], [sigma])[0, 0] == result


@pytest.mark.parametrize("over", grid.OVER)
def test_a_map_holds_the_run_itself(over):
    table = grid.table(BASE, over)
    value = BASE.decay if over == "decay" else BASE.rate
    here = table[(table[over] == value) & (table["sigma"] == BASE.sigma)]
    assert len(here) == 1
    exact = spent(BASE, "rdp").epsilon
    assert exact is not None
    assert exact <= here["epsilon"].iloc[0] <= 1.05 * exact
    assert set(table["adjacency"]) == {"zero-out"}


def test_what_renyi_does_not_cover_is_refused():
    with pytest.raises(InvalidInput, match="no theorem"):
        grid.table(replace(BASE, adjacency=Adjacency.REPLACE_ONE), "decay")
    with pytest.raises(InvalidInput, match="sampling is none"):
        grid.table(KINDS["none"], "rate")
    with pytest.raises(InvalidInput, match="over is 'batch'"):
        grid.table(BASE, "batch")
