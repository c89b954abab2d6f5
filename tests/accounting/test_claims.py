"""A claim is judged by certificates of the same noise under the same adjacency, and by no other."""

from dataclasses import replace

import pytest

from dpcore.accounting.claims import Evidence, Finding, evidence, under_replace_one
from dpcore.accounting.paper_003 import preset
from dpcore.accounting.planner import spent
from dpcore.guarantee import Adjacency, Guarantee
from tests.accounting.oracles import bounds

DPSGD = preset("mnist-1.19-dpsgd").training
REPLACED = replace(DPSGD, adjacency=Adjacency.REPLACE_ONE)


@pytest.mark.parametrize(
    ("epsilon", "at_least", "finding"),
    [
        (1.0, None, Finding.HOLDS),
        (0.5, None, Finding.HOLDS),
        (1.1, 0.9, Finding.OPEN),
        (1.1, 1.0, Finding.OPEN),
        (1.1, None, Finding.OPEN),
        (None, None, Finding.OPEN),
        (1.1, 1.01, Finding.FAILS),
    ],
)
def test_a_claim_of_one(epsilon, at_least, finding):
    certified = Guarantee(epsilon, 1e-5, Adjacency.REPLACE_ONE, "PLD")
    assert Evidence("poisson", certified, at_least).finding(1.0) is finding


def test_the_stated_number_of_dp_sgd_holds_where_a_record_is_added_and_fails_where_replaced():
    added = evidence(DPSGD, [1.19])
    assert added.certified.epsilon == spent(DPSGD, "pld").epsilon
    assert added.finding(1.19) is Finding.HOLDS
    assert added.at_least is None  # no claim asked for it
    run, fixed = under_replace_one(DPSGD, [1.19, 3.61])
    low, high = bounds(REPLACED.event(), DPSGD.delta, Adjacency.REPLACE_ONE)
    assert (run.at_least, run.certified.epsilon) == (low, high)
    assert 1.19 < low <= high < 3.61
    assert (run.finding(1.19), run.finding(3.61)) == (Finding.FAILS, Finding.HOLDS)
    # Between the bounds nothing is decided, and where there is no lower bound nothing fails.
    assert run.finding(0.5 * (low + high)) is Finding.OPEN
    assert (fixed.sampling, fixed.adjacency) == ("fixed", Adjacency.REPLACE_ONE)
    in_batches = replace(REPLACED, sampling="fixed")
    low, high = bounds(in_batches.event(), DPSGD.delta, Adjacency.REPLACE_ONE)
    assert (fixed.at_least, fixed.certified.epsilon) == (low, high)
    assert high < (spent(in_batches, "rdp").epsilon or 0.0)
    assert (fixed.finding(1.19), fixed.finding(3.61)) == (Finding.FAILS, Finding.FAILS)
    assert fixed.finding(0.5 * (low + high)) is Finding.OPEN
