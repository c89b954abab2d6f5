"""GRPUA and SgdPert: claim, worth of the noise and sound edition; noisy SGD and its sampling."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.accounting.composition import amplified_epsilon, printed_total, strong_composition
from dpcore.accounting.sampled import SampledGaussian, certified_epsilon
from dpcore.erm import gradient_perturbation
from dpcore.erm.gradient_perturbation import FULL_LENGTH_RECORDS, SOUND_STEPS, published_steps
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.grpua import METHOD as GRPUA
from dpcore.erm.methods.sgdpert import METHOD as SGDPERT
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, classical_sigma
from tests.erm.conftest import slopes

BOTH = [GRPUA, SGDPERT]
PUBLISHED, SOUND = Edition.PUBLISHED, Edition.SOUND
REPLACE_ONE, ZERO_OUT = Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT


def one(method, problem, epsilon=1.0, delta=1e-5, edition=SOUND, steps=None, batch=None):
    return method.calibrate(problem, [epsilon], delta, edition, Settings(steps, batch))[0]


@pytest.mark.parametrize(("adjacency", "lower"), [(REPLACE_ONE, 6.6e6), (ZERO_OUT, 1.6e6)])
def test_published_grpua_at_t_n_squared(adjacency, lower):
    # Paper 000: n = 1000, T = n², ε = 0.1 per query, δ = 1e-3.
    problem = Problem("logistic", 1e-3, 1_000, 10, adjacency)
    total = printed_total(0.1, 1e-3, 1_000, 1_000**2)[0]
    c = one(GRPUA, problem, total, 1e-3, PUBLISHED, 1_000**2)
    assert c.sigma == pytest.approx(17.404, abs=5e-4)
    assert c.claim.epsilon == pytest.approx(1.0913, abs=5e-5)
    assert c.claim.delta == pytest.approx(1.000001, rel=1e-9)
    assert c.claim.vacuous
    assert "δ ≥ 1" in c.claim.reason
    assert lower < c.certified.epsilon < 1.2 * lower
    assert c.certified.delta == 1e-3
    assert (c.proof.epsilon, c.proof.delta) == (None, None)
    assert "total δ is 1" in c.proof.reason
    assert c.status is Status.CLAIM_NOT_SUPPORTED


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize("records", [50, 5_000])
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_the_published_claim_is_the_requested_total_at_the_t_that_is_run(method, records, epsilon):
    c = one(method, Problem("huber", 0.1, records, 10), epsilon, 1e-4, PUBLISHED)
    assert c.claim.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert c.claim.epsilon <= epsilon
    assert c.claim.delta == pytest.approx((c.steps + 1) * 1e-4 / records, rel=1e-12)
    assert c.proof.epsilon is None
    assert c.certified.epsilon > epsilon
    assert not c.conditions[0].met
    assert "n∇f" in c.proof.reason
    assert (c.batch, c.sampling, c.sensitivity) == (1, "fixed", 1.0)


def test_published_sigma_is_the_printed_one():
    problem = Problem("logistic", 0.1, 400, 10)
    for method, epsilon in (
        (GRPUA, analytic_epsilon),
        (SGDPERT, lambda sigma, delta: classical_sigma(1.0, delta) / sigma),
    ):
        c = one(method, problem, 3.0, 1e-4, PUBLISHED)
        query = epsilon(c.sigma, 1e-4)
        assert printed_total(query, 1e-4, 400, 400)[0] == pytest.approx(3.0, rel=1e-9)


def test_each_unmet_condition_is_named():
    problem = Problem("logistic", 0.1, 1_000, 10)
    c = one(SGDPERT, problem, 100.0, 1e-3, PUBLISHED, steps=1_000**2)
    texts = {condition.text.split(" (")[0]: condition.met for condition in c.conditions}
    assert list(texts.values()) == [False, False, False, False]
    for condition in c.conditions:
        assert condition.consequence in c.proof.reason
    mild = one(SGDPERT, problem, 0.1, 1e-9, PUBLISHED, steps=1_000)
    assert [condition.met for condition in mild.conditions] == [False, True, True, True]


def test_the_papers_length_is_run_when_asked_for_and_n_is_small():
    assert published_steps(455, full_length=False) == 455
    assert published_steps(FULL_LENGTH_RECORDS, full_length=True) == FULL_LENGTH_RECORDS**2 - 1
    with pytest.raises(InvalidInput, match="at most 1 000"):
        published_steps(FULL_LENGTH_RECORDS + 1, full_length=True)


SETTINGS = st.tuples(
    st.floats(1e-3, 100.0),
    st.sampled_from([1e-9, 1e-5, 1e-2]),
    st.sampled_from([1, 40, 2_000]),
    st.sampled_from([1, 25, 500]),
    st.sampled_from([REPLACE_ONE, ZERO_OUT]),
)


@pytest.mark.slow("fits many models")
@settings(max_examples=8)
@given(SETTINGS)
def test_sound_grpua_proves_what_its_noise_is_certified_for(case):
    epsilon, delta, steps, batch, adjacency = case
    problem = Problem("logistic", 0.1, 500, 10, adjacency)
    c = one(GRPUA, problem, epsilon, delta, SOUND, steps, batch)
    assert c.status is Status.PROVED
    assert all(condition.met for condition in c.conditions)
    assert c.proof.epsilon <= epsilon
    assert c.proof.delta == delta
    assert c.proof.epsilon == c.certified.epsilon
    # From the noise that is added to the mean: multiplier σ/C = noise × batch, C = L = 1.
    what = SampledGaussian(c.model_noise * c.batch, batch / 500, steps, c.sampling, adjacency)
    assert certified_epsilon(what, delta)[0] == pytest.approx(c.proof.epsilon, rel=1e-6)
    assert what.covered()


@settings(max_examples=15)
@given(SETTINGS)
def test_sound_sgdpert_follows_from_its_theorems_step_by_step(case):
    epsilon, delta, steps, batch, adjacency = case
    problem = Problem("logistic", 0.1, 500, 10, adjacency)
    c = one(SGDPERT, problem, epsilon, delta, SOUND, steps, batch)
    assert c.status is Status.PROVED
    assert c.proof.epsilon <= epsilon * (1.0 + 1e-12)
    assert c.proof.delta == delta
    # One query: σ = c√(2 ln(1.25/δ₁))/ε₁, and that ε₁ must lie below 1.
    rate = batch / 500
    query_delta = min(delta / (2 * steps * rate), 0.5)
    query_epsilon = classical_sigma(1.0, query_delta, problem.gradient_change) / c.sigma
    assert query_epsilon < 1.0
    sigma = c.model_noise * c.batch
    assert analytic_delta(query_epsilon, sigma, problem.gradient_change) <= query_delta
    # Amplified, composed, and the two halves of δ put together.
    total = strong_composition(amplified_epsilon(query_epsilon, rate), steps, delta / 2)
    assert total <= c.proof.epsilon * (1.0 + 1e-9)
    assert steps * rate * query_delta + delta / 2 <= delta * (1.0 + 1e-12)
    # The certified ε is the smaller of that and the accountant's.
    of_unit = c.sigma / problem.computed_lipschitz(steps)
    what = SampledGaussian(of_unit, rate, steps, c.sampling, adjacency)
    assert c.certified.epsilon == min(c.proof.epsilon, certified_epsilon(what, delta)[0])


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize(("adjacency", "sampling"), [(REPLACE_ONE, "fixed"), (ZERO_OUT, "poisson")])
def test_sampling_pairs_with_the_adjacency(method, adjacency, sampling):
    c = one(method, Problem("logistic", 0.1, 5_000, 10, adjacency))
    assert (c.sampling, c.batch, c.steps) == (sampling, 100, SOUND_STEPS)
    assert c.sensitivity == pytest.approx(2.0 if adjacency is REPLACE_ONE else 1.0, rel=1e-7)
    assert c.certified.adjacency is c.proof.adjacency is adjacency


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
@pytest.mark.parametrize("chunk_bytes", [gradient_perturbation.CHUNK_BYTES, 8 * 2 * 7 * 4])
def test_equals_a_plain_loop(
    data, monkeypatch, loss, convexity, make, adjacency, batch, chunk_bytes
):
    monkeypatch.setattr(gradient_perturbation, "CHUNK_BYTES", chunk_bytes)
    features, labels = data(90, 4)
    problem = Problem(loss=loss, records=90, dimension=4, adjacency=adjacency, **convexity)
    chosen = [
        c
        for method in BOTH
        for c in make(method, problem, **({} if batch is None else {"batch": batch}))
    ]
    chosen.append(replace(chosen[0], steps=11))  # a group of its own
    released = gradient_perturbation.release(Training(problem, features, labels, chosen, 2, 5))
    for i, calibration in enumerate(chosen):
        chunk = max(1, chunk_bytes // (8 * 2 * max(4, calibration.batch)))
        for run in range(2):
            expected = plain_release(problem, features, labels, calibration, run, 5, chunk)
            scale = max(1.0, float(np.abs(expected).max()))
            assert np.abs(released[i, run] - expected).max() <= 2e-4 * scale


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
def test_model_noise_is_sigma_over_what_the_query_is_divided_by(method, adjacency):
    problem = Problem("logistic", 0.1, 500, 5, adjacency)
    for c in sound(method, problem, batch=25):
        assert c.model_noise == pytest.approx(c.sigma / 25)  # a sum over the batch
        assert c.sensitivity == problem.gradient_change
    for c in published(method, problem):
        assert c.model_noise == pytest.approx(c.sigma / 500)  # n times one gradient
        assert c.sensitivity == problem.lipschitz


@pytest.mark.parametrize(("batch", "poisson"), [(1, False), (6, False), (1, True), (6, True)])
def test_batches_are_what_the_accountant_assumes(batch, poisson):
    records, length = 40, 6_000
    generator = np.random.default_rng(9)
    batches = gradient_perturbation._batches(generator, records, batch, length, poisson)
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


def test_many_steps_do_not_wear_down_the_running_sums(data):
    # Single precision: at T = 8,000 the mean of the draws must still be that of the plain loop.
    features, labels = data(30, 2)
    problem = Problem("logistic", 0.5, 30, 2)
    chosen = sound(GRPUA, problem, (50.0,), steps=8_000, batch=1)
    released = gradient_perturbation.release(Training(problem, features, labels, chosen, 1, 3))[
        0, 0
    ]
    chunk = gradient_perturbation.CHUNK_BYTES // 16
    expected = plain_release(problem, features, labels, chosen[0], 0, 3, chunk)
    assert released == pytest.approx(expected, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("convexity", [REGULARISED, PROJECTED], ids=["λ > 0", "λ = 0"])
def test_the_widest_noise_stays_within_single_precision(data, convexity, adjacency):
    features, labels = data(80, 3)
    problem = Problem(loss="logistic", records=80, dimension=3, adjacency=adjacency, **convexity)
    chosen = [
        c
        for method in BOTH
        for edition in Edition
        for c in method.calibrate(problem, (1e-12,), 1e-300, edition, Settings(40))
    ]
    released = gradient_perturbation.release(Training(problem, features, labels, chosen, 2, 7))
    assert np.all(np.isfinite(released))
    assert np.all(released != 0.0)
