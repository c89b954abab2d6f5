"""The same training with its noise left out: of every method, and of no model that is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpcore.erm import one_vs_rest
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.output_noise import centres
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition
from dpcore.mechanisms.entropy import NoNoise, SystemNoise
from dpcore.methods import method_named, register

Array = np.ndarray
METHODS = tuple(register())
DRAWS_BATCHES = ("sgdpert", "grpua")
"""Whose models differ without noise, too: by the records of each step."""
SCALED_BY_MODEL_NOISE = ("outpert", "opera", "outpert_pure", "psgd", "dpgd", "sgdpert", "dpftrl")
"""Nothing else of a release depends on σ."""


class LittleNoise(NoNoise):
    """The noise of a seeded training times a small number."""

    SHARE = 1e-7

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: None = None) -> Any:
        return self.SHARE * np.random.Generator.standard_normal(self, size)

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return loc + self.SHARE * (np.random.Generator.laplace(self, loc, scale, size) - loc)

    def gamma(self, shape: Any, scale: float = 1.0, size: Any = None) -> Any:
        return self.SHARE * np.random.Generator.gamma(self, shape, scale, size)


def training(key: str, data: Callable[..., tuple[Array, Array]], **other: Any) -> Training:
    """The sound edition at two ε, on few records."""
    loss = next(loss for loss in ("logistic", "squared") if not method_named(key).refusal(loss))
    features, labels = data(240, 3)
    problem = Problem(loss, 0.05, 240, 3)
    method = method_named(key)
    made = method.calibrate(problem, [0.5, 5.0], 1e-5, Edition.SOUND, Settings(steps=30))
    chosen = {"runs": 2, "seed": 3, "noiseless": True} | other
    return Training(problem, features, labels, made, **chosen)


def released(given: Training) -> Array:
    return one_vs_rest.release(method_named(given.calibrations[0].method).release, given)


@pytest.mark.parametrize("key", METHODS)
def test_it_is_what_the_training_tends_to_as_its_noise_becomes_small(
    key: str, data: Callable[..., tuple[Array, Array]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = training(key, data)
    still = released(given)
    assert np.isfinite(still).all()

    def little(self: Training, run: int) -> np.random.Generator:
        return LittleNoise(noise_generator(self.seed, run).bit_generator)

    with monkeypatch.context() as patched:
        patched.setattr(Training, "generator", little)
        near = released(given)
    assert near == pytest.approx(still, abs=2e-4)
    # With its noise it is far from that; without privacy there is none.
    noisy = released(replace(given, noiseless=False))
    assert bool(np.abs(noisy - still).max() > 0.01) is (key != "nonprivate")


@pytest.mark.parametrize("key", SCALED_BY_MODEL_NOISE)
def test_it_is_what_the_training_tends_to_as_sigma_becomes_small(
    key: str, data: Callable[..., tuple[Array, Array]]
) -> None:
    given = training(key, data)
    small = [
        replace(c, model_noise=1e-9 * c.model_noise, output_noise=1e-9 * c.output_noise)
        for c in given.calibrations
    ]
    near = released(replace(given, calibrations=small, noiseless=False))
    assert near == pytest.approx(released(given), abs=1e-5)


@pytest.mark.parametrize("key", METHODS)
def test_seeds_and_runs_differ_by_their_batches_alone(
    key: str, data: Callable[..., tuple[Array, Array]]
) -> None:
    one, other = (released(training(key, data, seed=seed)) for seed in (3, 4))
    models = np.concatenate([one, other], axis=1)
    same = bool(np.ptp(models, axis=1).max() < 1e-12)
    assert same is (key not in DRAWS_BATCHES)


@pytest.mark.parametrize("key", ["outpert", "opera", "psgd"])
def test_of_output_perturbation_it_is_the_model_before_the_noise(
    key: str, data: Callable[..., tuple[Array, Array]]
) -> None:
    given = training(key, data)
    before = centres(given.problem, given.features, given.labels, given.calibrations)
    for run in range(2):
        assert np.array_equal(released(given)[:, run], before)


@pytest.mark.parametrize("key", [key for key in METHODS if key != "nonprivate"])
def test_without_a_seed_it_is_refused(key: str, data: Callable[..., tuple[Array, Array]]) -> None:
    with pytest.raises(InvalidInput, match="seed is missing"):
        released(training(key, data, seed=None))
    noisy = replace(training(key, data, seed=None), noiseless=False)
    assert np.isfinite(released(noisy)).all()
    assert all(isinstance(each, SystemNoise) for each in noisy.generators)


@pytest.mark.parametrize("key", METHODS)
def test_a_training_with_noise_draws_what_it_always_drew(
    key: str, data: Callable[..., tuple[Array, Array]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = training(key, data, noiseless=False)
    wanted = released(given)
    # To the last bit that of the seed's own generators, whatever the flag brings with it.
    monkeypatch.setattr(Training, "generator", lambda self, run: noise_generator(self.seed, run))
    assert np.array_equal(released(given), wanted)
    assert all(type(each) is np.random.Generator for each in given.generators)


def test_the_generator_without_noise_draws_batches_as_usual() -> None:
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
