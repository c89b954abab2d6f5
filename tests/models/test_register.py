"""The register of the survey's models: every file enrols, states claim and proof, keeps both."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from dpcore import predictors
from dpcore import systems as described
from dpcore.errors import InvalidInput
from dpcore.evaluation.curves import answers
from dpcore.evaluation.study import Study
from dpcore.guarantee import Adjacency, Status
from dpcore.models import systems, teachers
from dpcore.models.model import ModelTraining, generator, noiseless
from dpcore.models.records import Records, RecordShape
from dpcore.models.register import describe, model_named, register
from dpcore.models.systems import online_tree
from tests.models.attack import blank, some, together

SHAPE = RecordShape(400, 3, (2, 4))
KEYS = list(register())


def test_the_files_are_the_register() -> None:
    files = {Path(p).stem for folder in systems.__path__ for p in Path(folder).glob("[!_]*.py")}
    assert {key.replace("-", "_") for key in KEYS} == files
    assert [row["model"] for row in describe()] == KEYS
    with pytest.raises(InvalidInput, match="model is 'bayes', but it must be one of"):
        model_named("bayes")


NEWCOMER = """
from dataclasses import replace
from dpcore.models.systems.naive_bayes import MODEL as BASE
MODEL = replace(BASE, key="newcomer", title="Newcomer", source="Doe and Roe 2031")
"""


def test_adding_a_file_enrols_its_model_wherever_models_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "newcomer.py").write_text(NEWCOMER)
    monkeypatch.setattr(systems, "__path__", [*systems.__path__, str(tmp_path)])
    caches = register, predictors.register, described.register
    for cached in caches:
        cached.cache_clear()
    try:
        assert list(register()) == sorted([*KEYS, "newcomer"])
        study = Study(methods=("newcomer",), epsilons=(1.0,), runs=2, records=200, dataset="cohort")
        (row,) = answers(study).to_dict("records")
        assert (row["method"], row["status"]) == ("newcomer", "proved")
        (system,) = described.runs_of(described.Place.ATLAS, "newcomer")
        assert described.standing(system).verdict == "Holds as it is printed."
        assert described.describe([system])[0]["works"] == []
    finally:
        for cached in caches:
            cached.cache_clear()
        sys.modules.pop(f"{systems.__name__}.newcomer", None)


@pytest.mark.parametrize("key", KEYS)
def test_every_model_says_what_it_stands_for_what_is_claimed_and_what_holds(key) -> None:
    model = model_named(key)
    assert "survey" in model.system
    for text in (model.idea, model.claim, model.proof, *model.limits):
        assert text.endswith(".")
    assert model.status in set(Status)
    assert model.adjacencies


@pytest.mark.parametrize("key", KEYS)
def test_a_proof_stands_exactly_where_all_conditions_are_met(key) -> None:
    model = model_named(key)
    for adjacency in model.adjacencies:
        epsilons = [0.01, 1.0, 50.0]
        for wanted, c in zip(
            epsilons, model.calibrate(SHAPE, epsilons, 1e-6, adjacency), strict=True
        ):
            assert (c.shape, c.adjacency) == (SHAPE, adjacency)
            assert c.requested.epsilon == wanted
            assert (c.proof.epsilon is None) == (not all(one.met for one in c.conditions))
            assert (c.status is Status.PROVED) == (c.proof.epsilon is not None)
            if c.status is Status.PROVED:
                assert c.proof.epsilon <= wanted
                assert c.proof.delta == (0.0 if model.pure else 1e-6)
            assert all(noise.scale > 0.0 and noise.sensitivity > 0.0 for noise in c.noises)
            assert noiseless(c).status is Status.NOT_PRIVATE
            assert noiseless(c).proof.epsilon is None


@pytest.mark.parametrize("key", KEYS)
def test_bad_budgets_and_neighbours_are_refused(key) -> None:
    model = model_named(key)
    first = model.adjacencies[0]
    with pytest.raises(InvalidInput, match="epsilon is 0"):
        model.calibrate(SHAPE, [0.0], 1e-6, first)
    with pytest.raises(InvalidInput, match="delta is 1"):
        model.calibrate(SHAPE, [1.0], 1.0, first)
    with pytest.raises(InvalidInput, match="adjacency is 'other'"):
        model.calibrate(SHAPE, [1.0], 1e-6, "other")  # type: ignore[arg-type]


@pytest.mark.parametrize("key", KEYS)
def test_noise_is_finite_at_the_ends_of_what_can_be_asked(key) -> None:
    model = model_named(key)
    for shape in (
        RecordShape(1, 0, (2,)),
        RecordShape(40, 30, (41,)),
        RecordShape(1_000_000, 3, ()),
    ):
        for c in model.calibrate(shape, [1e-6, 1e3], 1e-300, model.adjacencies[-1]):
            assert all(0.0 < noise.scale < math.inf for noise in c.noises)
            assert all(noise.times >= 1 for noise in c.noises)


@pytest.mark.parametrize("key", KEYS)
def test_zero_out_and_replace_one_are_offered_and_n_is_said_to_be_public(key) -> None:
    model = model_named(key)
    wanted = [Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE]
    assert list(model.adjacencies) == (wanted[:1] if model.status is not Status.PROVED else wanted)
    made = model.calibrate(SHAPE, [1.0], 1e-6, model.adjacencies[0])[0]
    assert any("number of records is public" in one.text for one in made.conditions)
    assert not any("private" in one.text for one in made.conditions)
    with pytest.raises(InvalidInput, match=r"adjacency is .*add-remove"):
        model.calibrate(SHAPE, [1.0], 1e-6, Adjacency.ADD_REMOVE)


POSITIONAL = {"online-tree", "pate", "scalable-pate"}
"""Those where the others' places must stay: they have tests of their own."""


@pytest.mark.parametrize("key", [key for key in KEYS if key not in POSITIONAL])
def test_a_blank_record_adds_nothing_to_what_is_released(key) -> None:
    model, train = model_named(key), some(200)
    test, nothing = some(50, seed=1), blank(train.shape)
    parts = [(train[start : start + 3], train[start + 3 : start + 5]) for start in range(0, 200, 5)]
    blanked = together(*(part for kept, _ in parts for part in (kept, nothing, nothing)))
    left_out = together(*(kept for kept, _ in parts))
    assert len(blanked) == len(train)
    calibrations = model.calibrate(train.shape, [1.0, 50.0], 1e-6, model.adjacencies[0])
    judged = [
        model.judge(model.learn(ModelTraining(part, test[:0], calibrations, 3, 0)), test)
        for part in (blanked, left_out, train)
    ]
    assert np.array_equal(judged[0], judged[1])
    assert not np.array_equal(judged[0], judged[2])


@pytest.mark.parametrize("key", ["pate", "scalable-pate"])
def test_a_blank_record_moves_no_other_to_another_teacher(key, monkeypatch) -> None:
    model, train, place = model_named(key), some(200), 17
    blanked = together(train[:place], blank(train.shape), train[place + 1 :])
    seen = []
    counted = teachers.votes

    def votes(held, teacher, groups, points):
        seen.append((teacher, counted(held, teacher, groups, points)))
        return seen[-1][1]

    monkeypatch.setattr(teachers, "votes", votes)
    calibrations = model.calibrate(train.shape, [1.0], 1e-6, model.adjacencies[0])
    public = some(40, seed=2)
    for held in (train, blanked):
        model.learn(ModelTraining(held, public, calibrations, 1, 0))
    (whole, votes_of_all), (without, votes_left) = seen
    assert np.array_equal(whole, without)
    assert np.abs(votes_of_all - votes_left).max() <= 1.0
    others = np.delete(np.arange(200), place)
    draw = generator(0, 0)
    asked = teachers.inputs(public)[draw.permutation(40)]
    groups = teachers.teachers(train.shape)
    assert np.array_equal(counted(train[others], whole[others], groups, asked), votes_left)


def test_a_blank_record_keeps_its_round() -> None:
    train, place = some(600), 17
    blanked = together(train[:place], blank(train.shape), train[place + 1 :])
    x, rest = online_tree.rows(train), online_tree.rows(blanked)
    assert not rest[place].any()
    assert blanked.signs[place] == 0.0
    assert np.array_equal(np.delete(x, place, axis=0), np.delete(rest, place, axis=0))
    weights = np.ones((1, x.shape[1]))
    others = np.delete(np.arange(600), place)
    left = online_tree.gradients(rest, blanked.signs, weights)
    assert left == pytest.approx(online_tree.gradients(x[others], train.signs[others], weights))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("records", [0, 1, 4])
def test_few_records_of_one_class_leave_nothing_undefined(key, records) -> None:
    model, draw = model_named(key), np.random.default_rng(0)

    def all_of_class_0(count: int) -> Records:
        x, codes = draw.uniform(-1.0, 1.0, (count, 3)), draw.integers(0, 2, (count, 2))
        return Records(SHAPE, x, codes, np.zeros(count, dtype=np.int64))

    train, test = all_of_class_0(records), all_of_class_0(5)
    calibrations = model.calibrate(SHAPE, [1e-3, 100.0], 1e-6, model.adjacencies[0])
    learned = model.learn(ModelTraining(train, test, calibrations, 2, 0))
    assert np.isfinite(model.judge(learned, test)).all()
