"""Every sound method survives its own attacks, which do find out a copy with less noise."""

import ast
import dataclasses
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dpcore.audit
from dpcore.audit import attack as drawing
from dpcore.audit import deep, on_models, outsider, training
from dpcore.audit import register as register_of_attacks
from dpcore.audit.attack import lone_record, run
from dpcore.audit.register import attacks
from dpcore.audit.training import TrainingSetting, aim, with_noise
from dpcore.erm.method import Settings
from dpcore.erm.methods import method_named, register
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.models import systems as models
from dpcore.models.records import BLANK, RecordShape

ATTACKED = [
    *dict.fromkeys(s.method for s in register_of_attacks.SETTINGS),
    *dict.fromkeys(s.model for s in on_models.settings()),
    deep.KEY,
    deep.ONCE,
    outsider.KEY,
    training.KEY,
]
"""Keys of what is attacked, which are known before any attack is prepared."""


honest = cache(run)
"""One run of an attack on a method as it is serves every test that asks for it."""


def test_every_proved_method_and_model_has_an_attack():
    proved = {
        key
        for key, method in register().items()
        if Edition.SOUND in method.editions
        and method.editions[Edition.SOUND].status is Status.PROVED
    }
    proved |= {
        k for k, model in models.register().items() if model.standing.status is Status.PROVED
    }
    without = sorted(proved - set(attacks()))
    assert not without, (
        f"{', '.join(without)}: proved, but never attacked. Give it a Setting in dpcore/audit "
        "(register.py, on_models.py) that its noise survives and less noise does not."
    )


def test_all_attacks_are_tried_here():
    assert sorted(ATTACKED) == sorted(attacks())


@pytest.mark.slow("attacks many releases")
@pytest.mark.parametrize("key", ATTACKED)
def test_the_promise_survives_and_a_copy_with_less_noise_does_not(key):
    for attack in attacks()[key]:
        result = honest(attack)
        assert result.promise.epsilon is not None
        assert result.lower_bound < result.promise.epsilon, attack
        assert not result.flagged
        weaker = run(attack, noise_share=attack.flags)
        assert weaker.promise == result.promise
        assert weaker.flagged, attack
        by_guesses = attack.at_once and not attack.gaussian
        assert attack.flags >= (2.0 / 3.0 if attack.gaussian else 0.25 if by_guesses else 0.5)


class Weakened(np.random.Generator):
    """A generator whose noise is `SHARE` of what it should be; batches and orders are as ever."""

    SHARE = 1.0

    def standard_normal(self, *args, **kwargs):
        drawn = super().standard_normal(*args, **kwargs)
        drawn *= self.SHARE
        return drawn

    def gumbel(self, *args, **kwargs):
        return self.SHARE * super().gumbel(*args, **kwargs)

    def gamma(self, *args, **kwargs):
        return self.SHARE * super().gamma(*args, **kwargs)

    def laplace(self, *args, **kwargs):
        return self.SHARE * super().laplace(*args, **kwargs)


@contextmanager
def losing_noise(share):
    """All noise is drawn with this share of its scale."""
    from torch import Tensor

    drawn = Tensor.normal_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Weakened, "SHARE", share)
        patch.setattr(np.random, "default_rng", lambda seed: Weakened(np.random.PCG64(seed)))
        patch.setattr(Tensor, "normal_", lambda *args, **rest: drawn(*args, **rest).mul_(share))
        yield


@pytest.mark.slow("attacks many releases")
@pytest.mark.parametrize("key", ATTACKED)
def test_noise_that_the_code_itself_loses_is_seen_as_that_of_the_copy_is(key):
    # No calibration is touched here: what is drawn is too little, as by a fault in the code.
    for attack in attacks()[key]:
        target = attack.aim(attack.epsilon, attack.delta)
        copy, whole = (np.stack(target.scores(share, 150, 7)) for share in (attack.flags, 1.0))
        with losing_noise(attack.flags):
            if key == "k-means":  # whose next centres depend on σ, too
                assert run(attack).flagged
                continue
            lost = np.stack(target.scores(1.0, 150, 7))
        assert np.ptp(copy - whole) > 0.0
        assert np.abs(copy - lost).max() <= 0.05 * np.abs(copy - whole).max(), attack


def test_no_attack_draws_noise_of_its_own():
    # It would then say nothing of the noise that the code draws.
    drawing = {"choose", *(name for name in vars(Weakened) if not name.startswith("_"))} - {"SHARE"}
    # What is re-enacted draws its own, and a replay watches how noise is drawn.
    for path in Path(dpcore.audit.__path__[0]).glob("*.py"):
        if path.name.startswith(("replay", "watched")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            named = getattr(node, "attr", getattr(node, "id", getattr(node, "name", None)))
            assert named not in drawing | {"normal", "normal_", "vector_laplace"}, (
                f"{path.name}: {named}"
            )


def test_an_attack_gives_the_same_bound_again_and_another_with_another_seed():
    attack = attacks()["opera"][0]
    assert run(attack, runs=200).lower_bound == run(attack, runs=200).lower_bound
    assert run(attack, runs=200).lower_bound != run(attack, runs=200, seed=1).lower_bound


def test_the_two_data_sets_do_not_share_their_noise():
    first, second = attacks()["opera"][0].aim(1.0, 1e-5).scores(1.0, 500, 3)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.15


@pytest.mark.parametrize("adjacency", [Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
def test_the_neighbours_differ_in_one_record_as_the_adjacency_says(adjacency):
    pair = lone_record(5, 3, adjacency, others=-1.0)
    problem = Problem("huber", 1.0, 5, 3, adjacency)
    for data in (pair.first, pair.second):
        problem.check_data(*data)
    differ = np.flatnonzero(np.any(pair.first[0] != pair.second[0], axis=1))
    assert differ.tolist() == [0]
    assert np.array_equal(pair.first[1][1:], pair.second[1][1:])
    blank = not pair.second[0][0].any()
    assert blank == (pair.second[1][0] == 0.0) == (adjacency is Adjacency.ZERO_OUT)
    apart = np.linalg.norm(pair.first[0][0] - pair.second[0][0])
    # The preparation keeps every row a hair below norm 1.
    assert apart == pytest.approx(problem.gradient_change, rel=1e-6)
    assert apart <= problem.gradient_change


def test_what_is_attacked_was_read_from_a_file_and_a_blank_row_has_nothing_in_it(monkeypatch):
    written = []
    original = drawing.read_own

    def read(columns, data, name):
        written.append(data.decode().splitlines())
        return original(columns, data, name)

    monkeypatch.setattr(drawing, "read_own", read)
    pair = lone_record(4, 2, Adjacency.ZERO_OUT, others=-1.0)
    with_record, without = written
    differ = [(a, b) for a, b in zip(with_record, without, strict=True) if a != b]
    assert differ == [("1.0,0,yes", ",,")]
    assert not pair.second[0][0].any()
    assert pair.second[1].tolist() == [0.0, 1.0, 1.0, 1.0]
    shape = RecordShape(10, 1, (3,))
    one = on_models.records(shape, [(1.0, 2, 1), on_models.BLANKED])
    assert one.labels.tolist() == [1, BLANK]
    assert one.numbers.tolist() == [[1.0], [0.0]]


def test_a_copy_has_less_of_all_its_noise_and_the_same_promise():
    problem = Problem("huber", 20.0, 20, 2, Adjacency.ZERO_OUT)
    made = method_named("objpert").calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())[0]
    copy = with_noise(made, 0.5)
    names = ("sigma", "model_noise", "output_noise")
    for name in names:
        assert getattr(copy, name) == 0.5 * getattr(made, name) > 0.0
    assert copy.gaussian_mu is None
    made = method_named("dpgd").calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())[0]
    assert made.gaussian_mu is not None
    assert with_noise(made, 0.5).gaussian_mu == 2.0 * made.gaussian_mu


@pytest.mark.slow("attacks many releases")
@pytest.mark.parametrize("place", [0, 1], ids=["none", "poisson"])
def test_a_training_that_goes_by_the_actual_number_of_records_is_found_out(place, monkeypatch):
    from dpcore.deep.config import TrainingConfig

    attack = [each for each in attacks()[deep.KEY] if "not there" in each.about][place]
    assert not honest(attack).flagged
    # The fault: rates, steps and divisors come from the records there are.
    monkeypatch.setattr(TrainingConfig, "size", lambda self, records: records)
    assert run(attack).flagged


@pytest.mark.slow("attacks many releases")
def test_sampled_steps_lose_almost_all_that_is_proved_to_whoever_sees_each():
    attack = next(each for each in attacks()[deep.KEY] if "Poisson" in each.about)
    result = run(attack, runs=20_000, confidence=0.95)
    assert not result.flagged
    assert result.lower_bound > 0.88 * result.promise.epsilon
    half = run(attack, noise_share=0.5)
    assert half.flagged
    assert half.runs <= 700


def test_what_proves_nothing_is_not_attacked():
    with pytest.raises(InvalidInput, match="proves nothing at ε = 2, but an attack needs a promi"):
        aim(TrainingSetting("outpert", Adjacency.ZERO_OUT), 2.0, 1e-5)
    setting = next(s for s in on_models.settings() if s.model == "pca-gaussian")
    with pytest.raises(InvalidInput, match="proves nothing, but an attack needs a promise"):
        on_models.attack(dataclasses.replace(setting, model="pca-wishart")).aim(1.0, 1e-5)
    assert "nonprivate" not in attacks()
    with pytest.raises(InvalidInput, match=r"adjacency is .*add-remove.*zero-out or replace-one"):
        lone_record(5, 1, Adjacency.ADD_REMOVE)
    with pytest.raises(InvalidInput, match="noise-share is 0"):
        run(attacks()["opera"][0], noise_share=0.0)
