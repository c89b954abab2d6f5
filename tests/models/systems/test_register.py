"""The register of the survey's models: every file enrols, states claim and proof, keeps both."""

import math
from pathlib import Path

import numpy as np
import pytest

from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Status
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.models import systems, teachers
from dpcore.models.model import ModelTraining, generator, noiseless
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import describe, model_named, online_tree, register
from tests.models.attack import blank, some, together

SHAPE = RecordShape(400, 3, (2, 4))
KEYS = list(register())


def test_the_files_are_the_register():
    files = {Path(p).stem for folder in systems.__path__ for p in Path(folder).glob("[!_]*.py")}
    assert {key.replace("-", "_") for key in KEYS} == files
    assert [row["model"] for row in describe()] == KEYS
    with pytest.raises(InvalidInput, match="model is 'bayes', but it must be one of"):
        model_named("bayes")


@pytest.mark.parametrize("key", KEYS)
def test_every_model_says_what_holds_under_zero_out_and_replace_one(key):
    model = model_named(key)
    assert "survey" in model.system
    assert all(
        text.endswith(".")
        for text in (model.idea, model.standing.claim, model.standing.proof, *model.limits)
    )
    proved = model.standing.status is Status.PROVED
    assert model.adjacencies == (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)[: 1 + proved]
    made = model.calibrate(SHAPE, [1.0], 1e-6, model.adjacencies[0])[0]
    assert any("number of records is public" in one.text for one in made.conditions)
    assert not any("private" in one.text for one in made.conditions)
    for epsilon, delta, adjacency, said in (
        (0.0, 1e-6, model.adjacencies[0], "epsilon is 0"),
        (1.0, 1.0, model.adjacencies[0], "delta is 1"),
        (1.0, 1e-6, "other", "adjacency is 'other'"),
        (1.0, 1e-6, Adjacency.ADD_REMOVE, "adjacency is .*add-remove"),
    ):
        with pytest.raises(InvalidInput, match=said):
            model.calibrate(SHAPE, [epsilon], delta, adjacency)


@pytest.mark.parametrize("key", KEYS)
def test_noise_is_finite_at_the_ends_of_what_can_be_asked(key):
    model = model_named(key)
    for size, numbers, levels in ((1, 0, (2,)), (40, 30, (41,)), (1_000_000, 3, ())):
        shape = RecordShape(size, numbers, levels)
        for c in model.calibrate(shape, [1e-6, 1e3], 1e-300, model.adjacencies[-1]):
            assert all(0.0 < noise.scale < math.inf for noise in c.noises)
            assert all(noise.times >= 1 for noise in c.noises)


@pytest.mark.parametrize("key", KEYS)
def test_a_proof_stands_exactly_where_all_conditions_are_met(key):
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


@pytest.mark.parametrize(
    "key", ["naive-bayes", "pca-gaussian", "online-tree", "k-means", "pate", "scalable-pate"]
)
def test_gaussian_noise_keeps_the_promise_and_no_less_would(key):
    model = model_named(key)
    for adjacency in model.adjacencies:
        for c in model.calibrate(SHAPE, [0.05, 1.0, 20.0], 1e-6, adjacency):
            levels = [n.times * (n.sensitivity / n.scale) ** 2 for n in c.noises]
            sigma = 1.0 / math.sqrt(sum(levels))
            assert analytic_delta(c.requested.epsilon, sigma) <= 1e-6
            assert analytic_delta(c.requested.epsilon, 0.999 * sigma) > 1e-6
            assert (c.proof.epsilon, c.proof.adjacency) == (c.requested.epsilon, adjacency)


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize(
    ("key", "records", "epsilons", "runs"),
    [
        ("decision-tree", 3_000, (0.001, 0.3, 20.0), 5),
        ("naive-bayes", 2_000, (0.001, 0.5), 5),
        ("noisy-marginals", 3_000, (0.003, 3.0), 5),
        ("online-tree", 3_000, (0.01, 5.0), 5),
        ("random-forest", 1_000, (0.01, 5.0), 2),
    ],
)
def test_more_budget_predicts_better_and_much_as_no_noise(key, records, epsilons, runs):
    model, train, test = model_named(key), some(records, numbers=3), some(1_000, numbers=3, seed=1)
    made = model.calibrate(train.shape, epsilons, 1e-5, Adjacency.ZERO_OUT)
    result, exact = (
        model.judge(model.learn(ModelTraining(train, test[:0], each, runs, 0)), test).mean(axis=1)
        for each in (made, [noiseless(made[-1])])
    )
    assert result[0] + 0.1 < result[1]
    assert result.tolist() == sorted(result)
    assert result[-1] == pytest.approx(exact[0], abs=0.01)
    assert exact[0] > model.measure.of_trivial(train, test) + 0.15


POSITIONAL = {"online-tree", "pate", "scalable-pate"}
"""Those where the others' places must stay: they have tests of their own."""


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("key", [key for key in KEYS if key not in POSITIONAL])
def test_a_blank_record_adds_nothing_to_what_is_released(key):
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
def test_a_blank_record_moves_no_other_to_another_teacher(key, monkeypatch):
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


def test_a_blank_record_keeps_its_round():
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
def test_few_records_of_one_class_leave_nothing_undefined(key, records):
    model, draw = model_named(key), np.random.default_rng(0)

    def all_of_class_0(count):
        x, codes = draw.uniform(-1.0, 1.0, (count, 3)), draw.integers(0, 2, (count, 2))
        return Records(SHAPE, x, codes, np.zeros(count, dtype=np.int64))

    train, test = all_of_class_0(records), all_of_class_0(5)
    calibrations = model.calibrate(SHAPE, [1e-3, 100.0], 1e-6, model.adjacencies[0])
    learned = model.learn(ModelTraining(train, test, calibrations, 2, 0))
    assert np.isfinite(model.judge(learned, test)).all()
