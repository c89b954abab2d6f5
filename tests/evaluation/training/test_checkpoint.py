"""A state that is kept: goes on bit for bit, belongs to one training, and runs nothing."""

import io
import os
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.training import checkpoint as kept
from dpcore.evaluation.training.checkpoint import described, pack, restore
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin, swept
from dpcore.evaluation.training.trainer import COLUMNS
from dpcore.work import task
from dpcore.work.task import JobContext
from tests.work.tasks import stops_after

LINEAR = TrainingConfig(network="linear", epochs=3, batch=256, sigma=3.0)
STUDY = TrainingStudy("digits", config=LINEAR, epsilon=None, runs=2)
STEPS = 6  # an epoch
EPSILON = COLUMNS.index("epsilon")


pytestmark = pytest.mark.usefixtures("one_thread")


def begun(*studies):
    return begin(studies, device="cpu")


def stopped(after, *studies):
    trainer = begun(*studies)
    with pytest.raises(Cancelled):
        trainer.run(cancelled=stops_after(after))
    return trainer


def same_end(first, second):
    pd.testing.assert_frame_equal(
        first.history().drop(columns="seconds"),
        second.history().drop(columns="seconds"),
        check_exact=True,
    )
    for place in range(len(first.studies)):
        for name, values in first.weights(place).items():
            assert np.array_equal(second.weights(place)[name], values)


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer": "adam"},
        {"optimizer": "momentum", "average": 0.5},
        {"noise": "scaled", "weights": "released"},
        {"noise": "scaled", "weights": "paid"},
        {"noise": "scaled", "weights": "public"},
        {"noise": "published-004"},
        {"network": "perceptron", "widths": (8,), "decay": 0.9, "decay_every": "step"},
    ],
)
def test_what_is_packed_goes_on_as_if_nothing_had_happened(changes):
    study = replace(STUDY, config=replace(LINEAR, **changes), public=100)
    unbroken, second = begun(study), begun(study)
    unbroken.run()
    left = stopped(STEPS + 2, study)
    assert restore(second, pack(left))
    assert second.steps_done(0) == left.steps_done(0)
    same_end(left, second)
    second.run()
    same_end(unbroken, second)


def test_every_study_of_a_sweep_goes_on():
    studies = (STUDY, replace(STUDY, config=replace(LINEAR, learning_rate=0.1)))
    unbroken = begun(*studies)
    unbroken.run()
    seen: list[pd.DataFrame] = []
    result = swept(studies, JobContext(partial=seen.append, state=left_by(studies)))
    assert seen[0]["steps"].max() > 0  # rows of the first part are there before the second begins
    pd.testing.assert_frame_equal(
        result.rows.drop(columns="seconds"), unbroken.history().drop(columns="seconds")
    )


def left_by(studies):
    """What a task keeps that is stopped as soon as there are rows."""
    rows = []
    states = []
    with pytest.raises(Cancelled):
        swept(
            studies,
            JobContext(partial=rows.append, cancelled=lambda: bool(rows), keep=states.append),
        )
    return states[-1]


def test_an_epoch_that_was_left_off_in_leaves_no_row_of_its_own(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.training.trainer.MAX_ROWS", 2)  # epochs 2 and 4 of 4
    study = replace(STUDY, config=replace(LINEAR, epochs=4))
    trainer = stopped(2 * STEPS + 3, study)
    assert trainer.history()["epoch"].tolist() == [2, 3] * 2
    trainer.run()
    assert trainer.history()["epoch"].tolist() == [2, 4] * 2


def with_another_record(name):
    examples = images.load("digits")
    values = getattr(examples, name).copy()
    values[7] *= 0.5
    return begin([STUDY], device="cpu", records=replace(examples, **{name: values}))


@pytest.mark.parametrize(
    "other",
    [
        lambda: begun(replace(STUDY, runs=1)),
        lambda: begun(replace(STUDY, config=replace(LINEAR, sigma=3.1))),
        lambda: begun(replace(STUDY, held_out=True)),
        lambda: with_another_record("train_inputs"),
        lambda: with_another_record("test_inputs"),
    ],
)
def test_a_state_of_another_training_is_not_used(other):
    trainer = other()
    before = trainer.weights(0)["0.weight"]
    assert not restore(trainer, pack(stopped(3, STUDY)))
    assert trainer.steps_done(0) == 0
    assert np.array_equal(trainer.weights(0)["0.weight"], before)


def test_a_state_of_other_code_is_not_used(monkeypatch):
    contents, trainer = pack(stopped(3, STUDY)), begun(STUDY)
    with monkeypatch.context() as patch:
        patch.setattr(task, "code", lambda home: "other")
        assert not restore(trainer, contents)
    assert restore(trainer, contents)


def test_a_state_from_which_another_went_on_is_not_claimed(tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    name = kept.save(stopped(2, STUDY))
    old = kept.load(name)
    first, second = begun(STUDY), begun(STUDY)
    assert restore(first, old)
    assert restore(second, old)
    assert kept.claim(first, old)
    with pytest.raises(Cancelled):
        first.run(cancelled=stops_after(2))
    kept.save(first)
    assert not kept.claim(second, old)
    later = kept.load(name)
    assert restore(second, later)
    assert second.steps_done(0) == first.steps_done(0) == 4
    assert kept.claim(second, later)
    assert not kept.claim(first, later)


class Evil:
    """Runs a command when it is unpickled carelessly."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_state_is_never_run(zipped, tmp_path):
    ran, trainer, held = tmp_path / "ran", begun(STUDY), io.BytesIO()
    contents = {"of": kept._name(trainer), "state": Evil(ran)}
    torch.save(contents, held, _use_new_zipfile_serialization=zipped)
    for bad in (held.getvalue(), pickle.dumps(Evil(ran), protocol=2)):
        with pytest.raises(InvalidInput, match="damaged"):
            restore(trainer, bad)
        with pytest.raises(InvalidInput, match="damaged"):
            described(bad)
    assert not ran.exists()


def saved(packed):
    buffer = io.BytesIO()
    torch.save(packed, buffer)
    return buffer.getvalue()


def _with_steps(steps):
    return lambda state: state["batches"][0][0].update(step=steps)


def _with_rows(change):
    return lambda state: state["rows"].update({k: change(row) for k, row in state["rows"].items()})


@pytest.mark.parametrize(
    "edit",
    [
        *map(_with_steps, (0, 7, -5, 10**9, float("inf"), None)),
        lambda state: state.update(rows={}),
        lambda state: state["rows"].update({"a": ()}),
        _with_rows(lambda row: ("x",)),
        _with_rows(lambda row: tuple(x / 2 if x == row[EPSILON] else x for x in row)),
        lambda state: state.update(batches=[(state["batches"][0][0], "seconds")]),
    ],
)
def test_an_edited_state_never_states_less_than_is_spent(edit):
    trainer = stopped(8, STUDY)
    packed = torch.load(io.BytesIO(pack(trainer)), weights_only=True)
    edit(packed["state"])
    with pytest.raises(InvalidInput, match="damaged"):
        restore(begun(STUDY), saved(packed))


@pytest.mark.parametrize(
    "contents", [b"", b"nothing", b"\x80\x04.", b"\x80\x02]q\x00.", b"PK\x03\x04"]
)
def test_damage_is_said_and_no_library_speaks_of_it(contents):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(InvalidInput, match="damaged"):
            restore(begun(STUDY), contents)
    assert [str(each.message) for each in said] == []
