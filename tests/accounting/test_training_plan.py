"""The number of steps of a training: one, wherever it is asked for."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting.account import Account, state
from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.paper_003 import PRESETS
from dpcore.accounting.training_plan import steps_per_epoch, usual_batch
from dpcore.controls.plan import FIRST, FIRST_EPOCHS
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import guarantee
from dpcore.guarantee import Adjacency, PrivacyBudget
from tests.cli.commands import parsed

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
