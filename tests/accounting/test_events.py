"""Schedules and events: conventions, grouping, refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting import events
from dpcore.accounting.account import Account, state
from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.events import (
    Composed,
    Gaussian,
    PoissonSampled,
    Repeated,
    Step,
    from_schedule,
    steps,
    steps_per_epoch,
    usual_batch,
)
from dpcore.accounting.paper_003 import PRESETS
from dpcore.controls.plan import FIRST, FIRST_EPOCHS
from dpcore.deep.config import TrainingConfig, guarantee
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, PrivacyBudget
from tests.cli.commands import parsed


def test_decay_multiplies_the_variance():
    result = events.geometric(2.8, 0.99, 8, 100)
    assert np.square(result.sigmas[1:]) / np.square(result.sigmas[:-1]) == pytest.approx([0.99] * 7)
    assert (result.sigmas[0], result.counts, result.steps) == (2.8, (100,) * 8, 800)


def test_kinds_give_the_steps_they_say():
    assert events.constant(2.0, 5).each_step().tolist() == [2.0] * 5
    assert events.linear(2.0, 1.0, 3).each_step().tolist() == [2.0, 1.5, 1.0]
    assert events.custom([1.0, 1.0, 2.0, 1.0]).counts == (2, 1, 1)
    assert events.geometric(1.0, 1.0, 4, 3) == events.constant(1.0, 12)


@pytest.mark.parametrize("sigma", [0.02, 1.0, 1e6])
def test_merged_levels_spend_about_as_much(sigma):
    result = events.geometric(sigma, 0.99, 400, 3)
    merged = result.merged(50)
    assert len(merged.sigmas) == 50
    assert merged.steps == result.steps
    assert all(result.sigmas[-1] <= each <= result.sigmas[0] for each in merged.sigmas)
    assert result.merged(400).sigmas == pytest.approx(result.sigmas, rel=1e-9)
    if sigma >= 1.0:
        spent = [np.expm1(each.each_step() ** -2.0).sum() for each in (result, merged)]
        assert spent[1] == pytest.approx(spent[0], rel=1e-9)


def test_equal_steps_are_counted_together():
    one = PoissonSampled(0.1, Gaussian(2.0, 2.0))
    repeated = Composed((one, Repeated(one, 2)))
    event = Composed((Repeated(one, 3), Gaussian(1.0), one, Repeated(repeated, 2)))
    assert steps(event) == (
        Step("gaussian", 1.0, "poisson", 0.1, 10),
        Step("gaussian", 1.0, "none", 1.0, 1),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: events.geometric(1.0, 1.1, 3),
        lambda: events.geometric(1.0, 0.5, 3000),
        lambda: events.custom([]),
        lambda: events.constant(-1.0, 3),
        lambda: events.constant(1.0, 0),
        lambda: Composed(()),
        lambda: PoissonSampled(0.0, Gaussian(1.0)),
        lambda: Repeated(Gaussian(1.0), 0),
        lambda: from_schedule(events.constant(1.0, 2), rate=0.5),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(InvalidInput):
        make()  # type: ignore[operator]


ENTRY = AccountEntry("training", noise=2.0, records=383, batch=256, epochs=10)


def test_an_account_and_the_training_itself_certify_the_same_epsilon(capsys):
    """Rounded to the nearest, 383/256 is one step an epoch, and ε = 5.2022: too little."""
    training = guarantee(TrainingConfig(sigma=2.0, batch=256, epochs=10, delta=1e-5), 383)
    account = state(Account(PrivacyBudget(7.0, 1e-5), (ENTRY,)))
    line = "epsilon --sigma 2 --records 383 --batch 256 --epochs 10 --delta 1e-5"
    told = parsed(capsys, *line.split())
    assert account.guarantee.epsilon == training.certified.epsilon == told["epsilon"]
    assert account.guarantee.bound == pytest.approx(7.6433, abs=5e-5)
    assert not account.is_within


@given(st.integers(1, 10**6), st.data())
def test_every_caller_takes_the_same_number_of_steps(records, data):
    batch, epochs = data.draw(st.integers(max(1, records // 1_000), records)), 3
    entry = AccountEntry("training", noise=2.0, records=records, batch=batch, epochs=epochs)
    config = TrainingConfig(batch=batch, epochs=epochs)
    steps = epochs * math.ceil(records / batch)
    assert entry.steps == config.steps(records) == config.training(records).steps == steps
    public = TrainingConfig(
        batch=batch, epochs=epochs, adjacency=Adjacency.ADD_REMOVE, public_size=records
    )
    # With a public size everything comes from it, whatever n is.
    assert public.training(7 * records) == public.training(1)
    assert (public.training(1).steps, public.training(1).rate) == (steps, batch / records)


def test_a_batch_left_out_is_the_one_of_the_rule():
    entry = AccountEntry("training", noise=2.0, records=100)
    assert (entry.batch, entry.steps) == (usual_batch(100), steps_per_epoch(100, 32)) == (32, 4)
    assert FIRST.steps == FIRST_EPOCHS * steps_per_epoch(FIRST.records, FIRST.batch)


def test_papers_keep_their_own_number_of_steps():
    epochs = {"mnist-1.19": 15, "mnist-3.01": 60, "mnist-7.1": 45, "cifar-7.03-90": 90}
    for key, passes in epochs.items():
        training = PRESETS[key].training
        assert training.steps == passes * training.records // 256
        assert training.decay_every == training.records // 256
