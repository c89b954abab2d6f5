"""What every method shares: budgets, seeds and streams, refusals, and leaving the noise out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets.catalogue import load
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Settings, Training, data_conditions, noise_generator
from dpcore.erm.output_noise import centres
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition, PrivacyBudget
from dpcore.mechanisms.entropy import NoNoise, SystemNoise
from dpcore.methods import method_named, register


def test_noise_repeats_no_stream_that_makes_or_splits_data():
    drawn = noise_generator(7, 0).standard_normal(8)
    for other in (7, [7], [7, 0], [7, 0, 0], [0, 7]):
        assert not np.isin(np.random.default_rng(other).standard_normal(64), drawn).any()
    # NumPy's trap, which is why the third number is there.
    same = np.random.default_rng([7, 0]).standard_normal(8)
    assert np.array_equal(same, np.random.default_rng(7).standard_normal(8))


@pytest.mark.parametrize("seed", [0, 5])
def test_noise_is_not_what_made_the_synthetic_patients(seed):
    # Same seed for cohort and runs: no column may be the noise of a run over again.
    table = load("cohort", records=400, seed=seed)
    columns = table.frame.select_dtypes("number").to_numpy(dtype=float)
    for run in range(2):
        drawn = noise_generator(seed, run).standard_normal(400 * 4).reshape(4, 400)
        for z in drawn:
            for column in columns.T:
                assert abs(np.corrcoef(z, column)[0, 1]) < 0.25  # five standard errors


def test_runs_and_seeds_have_streams_of_their_own():
    first = [noise_generator(s, r).standard_normal() for s in (0, 1, 2**32) for r in range(5)]
    assert len(set(first)) == 15


HAVE_STEPS = ("outpert", "opera", "psgd", "dpgd", "dpnewton", "grpua", "sgdpert")
HAVE_BATCHES = ("psgd", "dpftrl", "grpua", "sgdpert")


@pytest.mark.parametrize("key", [key for key in register() if key != "nonprivate"])
def test_bad_budgets_steps_and_batches_are_refused(key):
    method = method_named(key)
    problem = Problem("squared" if method.refusal("logistic") else "logistic", 0.1, 100, 3)
    for edition in method.editions:
        made = method.calibrate(problem, [0.1, 1], 1e-5, edition, Settings())
        assert [c.requested for c in made] == [PrivacyBudget(0.1, 1e-5), PrivacyBudget(1.0, 1e-5)]
        bad = [
            (0.0, 1e-5, Settings(), "epsilon is 0, but"),
            (-1.0, 1e-5, Settings(), "epsilon is -1"),
        ]
        bad += [(1.0, delta, Settings(), "delta is") for delta in (0.0, 1.0, -1.0, float("nan"))]
        if key in HAVE_STEPS:
            bad += [(1.0, 1e-5, Settings(steps), f"steps T is {steps}, but") for steps in (0, 1.5)]
        if key in HAVE_BATCHES and edition is Edition.SOUND:
            bad += [(1.0, 1e-5, Settings(None, size), f"size is {size}, but") for size in (0, 101)]
        for epsilon, delta, settings, said in bad:
            with pytest.raises(InvalidInput, match=said):
                method.calibrate(problem, [epsilon], delta, edition, settings)


def test_the_conditions_on_the_data_name_n_and_the_adjacency():
    norm, size = data_conditions(Problem("logistic", 0.1, 1_234, 3))
    assert norm.met
    assert size.met
    assert size.text == "n = 1,234 is public (replace-one)"


Array = np.ndarray
METHODS = tuple(register())
PRIVATE = tuple(key for key in METHODS if key != "nonprivate")
DRAWS_BATCHES = ("sgdpert", "grpua")
"""Whose models differ without noise, too: by the records of each step."""
SCALED_BY_MODEL_NOISE = ("outpert", "opera", "outpert_pure", "psgd", "dpgd", "sgdpert", "dpftrl")
"""Nothing else of a release depends on σ."""


class LittleNoise(NoNoise):
    """The noise of a seeded training times a small number."""

    SHARE = 1e-7

    def standard_normal(self, size=None, dtype=np.float64, out=None):
        return self.SHARE * np.random.Generator.standard_normal(self, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + self.SHARE * (np.random.Generator.laplace(self, loc, scale, size) - loc)

    def gamma(self, shape, scale=1.0, size=None):
        return self.SHARE * np.random.Generator.gamma(self, shape, scale, size)


def training(key, data, **other):
    """The sound edition at two ε, on few records."""
    loss = next(loss for loss in ("logistic", "squared") if not method_named(key).refusal(loss))
    features, labels = data(240, 3)
    problem = Problem(loss, 0.05, 240, 3)
    method = method_named(key)
    made = method.calibrate(problem, [0.5, 5.0], 1e-5, Edition.SOUND, Settings(steps=30))
    chosen = {"runs": 2, "seed": 3, "noiseless": True} | other
    return Training(problem, features, labels, made, **chosen)


def released(given):
    return one_vs_rest.release(method_named(given.calibrations[0].method).release, given)


@pytest.mark.parametrize("key", PRIVATE)
def test_a_seed_repeats_the_release_and_runs_and_seeds_differ(key, data):
    seen: list[float] = []
    given = training(key, data, noiseless=False, progress=lambda share, _: seen.append(share))
    short = method_named(key).calibrate(given.problem, [2.0], 1e-5, Edition.SOUND, Settings(5))
    given = replace(given, calibrations=[*given.calibrations, *short])
    release = method_named(key).release
    first = release(given)
    assert first.shape == (3, 2, 3)
    assert all(0.0 <= share <= 1.0 for share in seen)
    assert seen == sorted(seen)
    assert seen or key not in ("dpftrl", "dpnewton")
    assert np.array_equal(first, release(given))
    assert not np.allclose(first, release(replace(given, seed=4)))
    assert not np.allclose(first[:, 0], first[:, 1])
    # More runs leave the first ones as they were.
    assert release(replace(given, runs=3))[:, :2] == pytest.approx(first, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("key", PRIVATE)
def test_what_the_noise_was_not_made_for_is_refused(key, data):
    given = training(key, data, noiseless=False)
    for change, said in (
        ({"problem": replace(given.problem, lam=0.2)}, "another problem"),
        ({"features": given.features[:25], "labels": given.labels[:25]}, "shape of the data"),
        ({"features": 5.0 * given.features}, "‖x‖₂"),
        ({"labels": 1.5 * given.labels}, "labels|y holds"),
    ):
        with pytest.raises(InvalidInput, match=said):
            method_named(key).release(replace(given, **change))


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("dpgd", lambda c: c.learning_rate * c.model_noise),
        ("grpua", lambda c: c.model_noise),
        ("sgdpert", lambda c: c.model_noise),
        ("dpftrl", lambda c: c.sigma / (c.problem.lam * c.problem.records + c.ridge)),
    ],
)
def test_a_draw_is_shared_by_the_budgets_of_a_run_and_by_no_two_runs(key, unit):
    problem = Problem("logistic", 0.1, 50, 5)
    settings = Settings(steps=5 if key in DRAWS_BATCHES else 1)
    made = method_named(key).calibrate(problem, [0.3, 30.0], 1e-4, Edition.SOUND, settings)
    given = Training(problem, np.zeros((50, 5)), np.ones(50), made, 6, 4)
    drawn = method_named(key).release(given) / np.array([unit(c) for c in made])[:, None, None]
    assert np.allclose(drawn, drawn[0], rtol=1e-4)
    assert len(np.unique(np.round(drawn[0], 5))) == 30


@pytest.mark.parametrize("key", METHODS)
def test_it_is_what_the_training_tends_to_as_its_noise_becomes_small(key, data, monkeypatch):
    given = training(key, data)
    still = released(given)
    assert np.isfinite(still).all()

    def little(self, run):
        return LittleNoise(noise_generator(self.seed, run).bit_generator)

    with monkeypatch.context() as patched:
        patched.setattr(Training, "generator", little)
        near = released(given)
    assert near == pytest.approx(still, abs=2e-4)
    # With its noise it is far from that; without privacy there is none.
    noisy = released(replace(given, noiseless=False))
    assert bool(np.abs(noisy - still).max() > 0.01) is (key != "nonprivate")


@pytest.mark.parametrize("key", SCALED_BY_MODEL_NOISE)
def test_it_is_what_the_training_tends_to_as_sigma_becomes_small(key, data):
    given = training(key, data)
    small = [
        replace(c, model_noise=1e-9 * c.model_noise, output_noise=1e-9 * c.output_noise)
        for c in given.calibrations
    ]
    near = released(replace(given, calibrations=small, noiseless=False))
    assert near == pytest.approx(released(given), abs=1e-5)


@pytest.mark.parametrize("key", METHODS)
def test_seeds_and_runs_differ_by_their_batches_alone(key, data):
    one, other = (released(training(key, data, seed=seed)) for seed in (3, 4))
    models = np.concatenate([one, other], axis=1)
    same = bool(np.ptp(models, axis=1).max() < 1e-12)
    assert same is (key not in DRAWS_BATCHES)


@pytest.mark.parametrize("key", ["outpert", "opera", "psgd"])
def test_of_output_perturbation_it_is_the_model_before_the_noise(key, data):
    given = training(key, data)
    before = centres(given.problem, given.features, given.labels, given.calibrations)
    for run in range(2):
        assert np.array_equal(released(given)[:, run], before)


@pytest.mark.parametrize("key", PRIVATE)
def test_without_a_seed_it_is_refused(key, data):
    with pytest.raises(InvalidInput, match="seed is missing"):
        released(training(key, data, seed=None))
    noisy = replace(training(key, data, seed=None), noiseless=False)
    assert np.isfinite(released(noisy)).all()
    assert all(isinstance(each, SystemNoise) for each in noisy.generators)


@pytest.mark.parametrize("key", METHODS)
def test_a_training_with_noise_draws_what_it_always_drew(key, data, monkeypatch):
    given = training(key, data, noiseless=False)
    wanted = released(given)
    # To the last bit that of the seed's own generators, whatever the flag brings with it.
    monkeypatch.setattr(Training, "generator", lambda self, run: noise_generator(self.seed, run))
    assert np.array_equal(released(given), wanted)
    assert all(type(each) is np.random.Generator for each in given.generators)


def test_the_generator_without_noise_draws_batches_as_usual():
    still, usual = NoNoise(np.random.PCG64(5)), np.random.Generator(np.random.PCG64(5))
    assert np.abs(still.standard_normal((3, 4))).max() < 1e-90
    assert still.standard_normal(4, dtype=np.float32).dtype == np.float32
    assert abs(still.standard_normal()) < 1e-90
    assert (still.laplace(2.0), still.gamma(3)) == (2.0, 0.0)
    assert np.array_equal(still.laplace(0.0, 1.0, (2, 3)), np.zeros((2, 3)))
    assert np.array_equal(still.gamma(3, size=4), np.zeros(4))
    # Noise that is left out moves no batch.
    for size in ((3, 4), 4, None):
        usual.standard_normal(size)
    assert np.array_equal(still.permutation(50), usual.permutation(50))
