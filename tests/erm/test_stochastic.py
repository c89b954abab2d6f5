"""Noisy SGD against a plain loop in double precision, its noise, and how it samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore.erm import stochastic
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.grpua import METHOD as GRPUA
from dpcore.erm.methods.sgdpert import METHOD as SGDPERT
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition


def slopes(problem, margins):
    if problem.loss == "logistic":
        return -1.0 / (1.0 + np.exp(margins))
    h = problem.huber_width
    return -np.clip((1.0 + h - margins) / (2.0 * h), 0.0, 1.0)


def draws(generator, calibration, records, dimension, chunk):
    """(batch, z) of each step, in the engine's order: a chunk's batches, then its noise."""
    start = 0
    while start < calibration.steps:
        length = min(chunk, calibration.steps - start)
        if calibration.sampling == "poisson":
            rate = calibration.batch / records
            sizes = generator.binomial(records, rate, size=length)
        else:
            sizes = [calibration.batch] * length
        if calibration.batch == 1 and calibration.sampling == "fixed":
            batches = list(generator.integers(0, records, size=(length, 1)))
        else:
            batches = [
                generator.choice(records, size, replace=False, shuffle=False) for size in sizes
            ]
        noise = generator.standard_normal((length, dimension), dtype=np.float32).astype(float)
        yield from zip(batches, noise, strict=True)
        start += length


def plain_release(problem, features, labels, calibration, run, seed, chunk=10**9):
    """w ← w - η_t (mean gradient of the batch + λw + noise), η_t = 1/(μt) or c/√t, then project."""
    generator = noise_generator(seed, run)
    n, d = features.shape
    weights = np.zeros(d)
    for t, (batch, z) in enumerate(draws(generator, calibration, n, d, chunk), start=1):
        gradient = np.zeros(d)
        for i in batch:
            margin = labels[i] * (features[i] @ weights)
            gradient += slopes(problem, margin) * labels[i] * features[i] / calibration.batch
        gradient += problem.lam * weights + calibration.model_noise * z
        if problem.lam > 0.0:
            weights = weights - calibration.learning_rate / t * gradient
        else:
            weights = weights - calibration.learning_rate / np.sqrt(t) * gradient
            weights *= min(1.0, problem.radius / max(np.linalg.norm(weights), 1e-300))
    return weights


def sound(method, problem, epsilons=(2.0, 20.0), steps=30, batch=None):
    return method.calibrate(problem, epsilons, 1e-4, Edition.SOUND, Settings(steps, batch))


def published(method, problem, epsilons=(0.5, 5.0), steps=60):
    return method.calibrate(problem, epsilons, 1e-4, Edition.PUBLISHED, Settings(steps))


REGULARISED, PROJECTED = {"lam": 0.05}, {"lam": 0.0, "radius": 0.6}


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("convexity", [REGULARISED, PROJECTED], ids=["λ > 0", "λ = 0"])
@pytest.mark.parametrize(
    ("make", "adjacency", "batch"),
    [
        (published, Adjacency.REPLACE_ONE, None),  # one record a step
        (sound, Adjacency.REPLACE_ONE, 1),
        (sound, Adjacency.REPLACE_ONE, 7),  # fixed size, without replacement
        (sound, Adjacency.ZERO_OUT, 1),  # Poisson; often empty
        (sound, Adjacency.ZERO_OUT, 7),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [stochastic.CHUNK_BYTES, 8 * 2 * 7 * 4])
def test_equals_a_plain_loop(
    data, monkeypatch, loss, convexity, make, adjacency, batch, chunk_bytes
) -> None:
    monkeypatch.setattr(stochastic, "CHUNK_BYTES", chunk_bytes)
    features, labels = data(90, 4)
    problem = Problem(loss=loss, records=90, dimension=4, adjacency=adjacency, **convexity)
    chosen = [
        c
        for method in (GRPUA, SGDPERT)
        for c in make(method, problem, **({} if batch is None else {"batch": batch}))
    ]
    chosen.append(replace(chosen[0], steps=11))  # a group of its own
    released = stochastic.release(Training(problem, features, labels, chosen, 2, 5))
    for i, calibration in enumerate(chosen):
        chunk = max(1, chunk_bytes // (8 * 2 * max(4, calibration.batch)))
        for run in range(2):
            expected = plain_release(problem, features, labels, calibration, run, 5, chunk)
            scale = max(1.0, float(np.abs(expected).max()))
            assert np.abs(released[i, run] - expected).max() <= 2e-4 * scale


@pytest.mark.parametrize("method", [GRPUA, SGDPERT], ids=lambda method: method.key)
@pytest.mark.parametrize("make", [published, sound])
def test_one_step_carries_the_calibrated_noise(assert_normal, method, make) -> None:
    # All records alike: whichever are drawn, the gradient at 0 is -x, and w₂ = (x - σz)/μ.
    problem = Problem("huber", 2.0, 60, 5)
    features = np.tile([0.6, 0.0, 0.0, 0.8, 0.0], (60, 1))
    chosen = make(method, problem, (3.0,), 1)
    released = stochastic.release(Training(problem, features, np.ones(60), chosen, 400, 2))[0]
    assert_normal(released * problem.lam - features[0], chosen[0].model_noise)


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def test_every_step_draws_afresh(assert_normal, adjacency) -> None:
    # Null records: w is -1/μ times the mean of the T draws.
    problem = Problem("logistic", 0.1, 60, 5, adjacency)
    chosen = sound(SGDPERT, problem, (3.0,), steps=25)
    released = stochastic.release(
        Training(problem, np.zeros((60, 5)), np.ones(60), chosen, 400, 2)
    )[0]
    assert_normal(released * problem.lam, chosen[0].model_noise / 5.0)


@pytest.mark.parametrize("method", [GRPUA, SGDPERT], ids=lambda method: method.key)
@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def test_model_noise_is_sigma_over_what_the_query_is_divided_by(method, adjacency) -> None:
    problem = Problem("logistic", 0.1, 500, 5, adjacency)
    for c in sound(method, problem, batch=25):
        assert c.model_noise == pytest.approx(c.sigma / 25)  # a sum over the batch
        assert c.sensitivity == problem.gradient_change
    for c in published(method, problem):
        assert c.model_noise == pytest.approx(c.sigma / 500)  # n times one gradient
        assert c.sensitivity == problem.lipschitz


def test_noise_is_shared_by_the_budgets_of_a_run_and_by_no_two_runs() -> None:
    problem = Problem("logistic", 0.1, 50, 5)
    chosen = [*sound(GRPUA, problem), *sound(SGDPERT, problem)]
    released = stochastic.release(Training(problem, np.zeros((50, 5)), np.ones(50), chosen, 6, 4))
    drawn = released / np.array([c.model_noise for c in chosen])[:, None, None]
    assert np.allclose(drawn, drawn[0], rtol=1e-4)
    assert len(np.unique(np.round(drawn[0], 5))) == 30


def test_a_seed_repeats_the_release_and_another_does_not(data) -> None:
    features, labels = data(80, 3)
    problem = Problem("logistic", 0.05, 80, 3, Adjacency.ZERO_OUT)
    chosen = sound(GRPUA, problem)
    first = stochastic.release(Training(problem, features, labels, chosen, 2, 7))
    assert np.array_equal(
        first, stochastic.release(Training(problem, features, labels, chosen, 2, 7))
    )
    assert not np.allclose(
        first, stochastic.release(Training(problem, features, labels, chosen, 2, 8))
    )


@pytest.mark.parametrize(("batch", "poisson"), [(1, False), (6, False), (1, True), (6, True)])
def test_batches_are_what_the_accountant_assumes(batch, poisson) -> None:
    records, length = 40, 6_000
    generator = np.random.default_rng(9)
    batches = stochastic._batches(generator, records, batch, length, poisson)
    sizes = np.array([len(b) for b in batches])
    counts = np.zeros(records)
    for b in batches:
        assert len(set(b.tolist())) == len(b)  # no record twice
        counts[b] += 1
    # Each record is in each step with probability q, on its own.
    expected = length * batch / records
    spread = np.sqrt(expected * (1.0 - batch / records))
    assert np.abs(counts - expected).max() < 4.5 * spread
    if poisson:
        law = stats.binom(records, batch / records)
        levels = np.arange(0, 13)
        seen = np.array([(sizes == k).sum() for k in levels])
        wanted = length * law.pmf(levels)
        some = wanted > 10
        statistic = (((seen - wanted) ** 2) / wanted)[some].sum()
        assert stats.chi2.sf(statistic, some.sum() - 1) > 1e-3
        # Pairs are independent: that tells Poisson from a fixed size.
        both = sum(0 in b and 1 in b for b in map(set, (x.tolist() for x in batches)))
        pair = length * (batch / records) ** 2
        assert abs(both - pair) < 4.5 * np.sqrt(pair + 1.0)
    else:
        assert np.all(sizes == batch)


def test_many_steps_do_not_wear_down_the_running_sums(data) -> None:
    # Single precision: at T = 8,000 the mean of the draws must still be that of the plain loop.
    features, labels = data(30, 2)
    problem = Problem("logistic", 0.5, 30, 2)
    chosen = sound(GRPUA, problem, (50.0,), steps=8_000, batch=1)
    released = stochastic.release(Training(problem, features, labels, chosen, 1, 3))[0, 0]
    chunk = stochastic.CHUNK_BYTES // 16
    expected = plain_release(problem, features, labels, chosen[0], 0, 3, chunk)
    assert released == pytest.approx(expected, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("convexity", [REGULARISED, PROJECTED], ids=["λ > 0", "λ = 0"])
@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def test_the_widest_noise_stays_within_single_precision(data, convexity, adjacency) -> None:
    features, labels = data(80, 3)
    problem = Problem(loss="logistic", records=80, dimension=3, adjacency=adjacency, **convexity)
    chosen = [
        c
        for method in (GRPUA, SGDPERT)
        for edition in Edition
        for c in method.calibrate(problem, (1e-12,), 1e-300, edition, Settings(40))
    ]
    released = stochastic.release(Training(problem, features, labels, chosen, 2, 7))
    assert np.all(np.isfinite(released))
    assert np.all(released != 0.0)


def test_data_that_do_not_fit_are_refused(data) -> None:
    features, labels = data(80, 3)
    problem = Problem("huber", 0.05, 80, 3)
    chosen = sound(GRPUA, problem)
    with pytest.raises(InvalidInput, match="another problem"):
        stochastic.release(Training(Problem("huber", 0.05, 79, 3), features, labels, chosen, 1, 0))
    with pytest.raises(InvalidInput, match="labels"):
        stochastic.release(Training(problem, features, labels * 0.5, chosen, 1, 0))
