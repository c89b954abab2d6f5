"""What every method shares: budgets, seeds and streams, refusals, and leaving the noise out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.accounting import tradeoff
from dpcore.erm import one_vs_rest
from dpcore.erm.method import (
    SAMPLED,
    Settings,
    Training,
    noise_advantage,
    noise_generator,
    privacy_curve,
)
from dpcore.erm.methods import method_named, register
from dpcore.erm.newton import minimise
from dpcore.erm.output_perturbation import centres
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.mechanisms.entropy import NoNoise, SystemNoise
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.predictors.linear import without_proof


def test_noise_repeats_no_stream_that_makes_or_splits_data():
    drawn = noise_generator(7, 0).standard_normal(8)
    for other in (7, [7], [7, 0], [7, 0, 0], [0, 7]):
        assert not np.isin(np.random.default_rng(other).standard_normal(64), drawn).any()
    # NumPy's trap, which is why the third number is there.
    same = np.random.default_rng([7, 0]).standard_normal(8)
    assert np.array_equal(same, np.random.default_rng(7).standard_normal(8))


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


METHODS = tuple(register())
PRIVATE = tuple(key for key in METHODS if key != "nonprivate")
DRAWS_BATCHES = ("sgdpert", "grpua")
"""Whose models differ without noise, too: by the records of each step."""


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
    ("key", "steps", "unit"),
    [
        ("opera", None, lambda c: c.sigma),
        ("outpert", None, lambda c: c.sigma),
        ("psgd", None, lambda c: c.sigma),
        ("dpgd", 1, lambda c: c.learning_rate * c.model_noise),
        # The mean of the draws of all steps.
        ("grpua", 25, lambda c: c.model_noise / c.problem.lam / 5.0),
        ("sgdpert", 25, lambda c: c.model_noise / c.problem.lam / 5.0),
        ("dpftrl", 1, lambda c: c.sigma / (c.problem.lam * c.problem.records + c.ridge)),
    ],
)
def test_of_null_records_the_noise_is_left_one_draw_for_all_budgets_of_a_run(
    key, steps, unit, adjacency, assert_normal
):
    problem = Problem("logistic", 0.1, 50, 5, adjacency)
    made = method_named(key).calibrate(problem, [0.3, 30.0], 1e-4, Edition.SOUND, Settings(steps))
    given = Training(problem, np.zeros((50, 5)), np.ones(50), made, 400, 4)
    drawn = method_named(key).release(given) / np.array([unit(c) for c in made])[:, None, None]
    assert np.allclose(drawn, drawn[0], rtol=1e-4, atol=1e-4)
    assert_normal(drawn[0], 1.0)
    assert len(np.unique(drawn[0])) > 1_990


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


@pytest.mark.parametrize(
    ("key", "loss", "epsilon", "within"),
    [
        ("adassp", "squared", 1e6, 1e-3),
        ("functional", "squared", 1e7, 1e-3),
        ("dpnewton", "logistic", 1e3, 0.03),
    ],
)
def test_with_hardly_any_noise_it_finds_the_minimiser(key, loss, epsilon, within, data):
    features, labels = data(4_000, 4)
    if loss == "squared":
        labels = np.clip(features @ [0.5, -0.2, 0.1, 0.0], -1.0, 1.0)
    problem = Problem(loss, 0.02, 4_000, 4, Adjacency.ZERO_OUT)
    method = method_named(key)
    made = method.calibrate(problem, [epsilon], 1e-6, Edition.SOUND, Settings(60))
    released = method.release(Training(problem, features, labels, made, 2, 1))
    exact = minimise(problem, features, labels)
    assert np.abs(released - exact).max() < within * np.linalg.norm(exact)


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


DELTA = 1e-5
GAUSSIAN = [("opera", "published"), ("opera", "sound"), ("outpert", "published"), ("dpgd", "sound")]


def calibrated(method, edition, epsilon, adjacency, steps=None):
    problem = Problem("logistic", 0.01, 455, 30, adjacency)
    calibrate = method_named(method).calibrate
    return calibrate(problem, [epsilon], DELTA, Edition(edition), Settings(steps=steps))[0]


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 10.0])
@pytest.mark.parametrize(("method", "edition"), GAUSSIAN)
def test_a_gaussian_curve_passes_through_what_is_certified(method, edition, epsilon, adjacency):
    calibration = calibrated(method, edition, epsilon, adjacency)
    curve = privacy_curve(calibration)
    certified = calibration.certified.epsilon
    assert curve is not None
    assert certified is not None
    assert curve.adjacency is adjacency
    assert curve.delta(certified) <= DELTA * (1.0 + 1e-9)
    if certified > 0.0:
        assert curve.delta(certified) == pytest.approx(DELTA, rel=1e-6)
    bound = tradeoff.from_budget(certified, DELTA, adjacency)
    rates = np.geomspace(1e-6, 1.0, 50)
    assert (tradeoff.power(curve, rates) <= tradeoff.power(bound, rates) * (1 + 1e-9)).all()


@pytest.mark.parametrize("edition", ["sound", "published"])
@pytest.mark.parametrize("method", sorted(set(register()) - {"nonprivate", "adassp"}))
def test_the_advantage_of_a_table_is_that_of_the_curve(method, edition):
    """A card and the panel below it tell one number, of every method."""
    calibration = calibrated(method, edition, 3.0, Adjacency.ZERO_OUT)
    curve, told = privacy_curve(calibration), noise_advantage(calibration)
    assert told == (None if curve is None else pytest.approx(tradeoff.advantage(curve), rel=1e-9))
    is_known = calibration.gaussian_mu is not None or calibration.sampling in SAMPLED
    assert (told is not None) == (is_known and calibration.certified.epsilon is not None)


def test_sampled_batches_have_a_certified_curve(adjacency):
    sampled = calibrated("grpua", "sound", 1.0, adjacency, 50)
    assert sampled.sampling == ("fixed" if adjacency is Adjacency.REPLACE_ONE else "poisson")
    curve = privacy_curve(sampled)
    assert curve is not None
    assert sampled.certified.epsilon is not None
    # Privacy loss distributions are the tighter accountant.
    assert curve.delta(sampled.certified.epsilon) <= DELTA
    assert curve.delta(0.3 * sampled.certified.epsilon) > DELTA


def test_the_curve_of_a_published_query_is_that_of_the_noise_on_its_sum():
    # Its query is n times the gradient of one record.
    published = calibrated("grpua", "published", 5.0, Adjacency.REPLACE_ONE, 20)
    curve = privacy_curve(published)
    assert curve is not None
    alone = float(analytic_delta(1.0, published.model_noise, 2.0))
    assert curve.delta(1.0) >= alone / published.problem.records


def test_nothing_certified_has_no_curve():
    for method, edition in GAUSSIAN:
        result = calibrated(method, edition, 1.0, Adjacency.ZERO_OUT)
        assert privacy_curve(without_proof(result)) is None
    sampled = calibrated("grpua", "sound", 1.0, Adjacency.ZERO_OUT, 50)
    assert privacy_curve(without_proof(sampled)) is None
    # Nor has noise beyond an accountant's range.
    assert privacy_curve(replace(sampled, model_noise=1e12)) is None
