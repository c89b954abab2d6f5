"""PCA's covariance: sensitivity, the laws of its noises, and how the Wishart mechanism fails."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.guarantee import Adjacency, Status
from dpcore.models import covariance
from dpcore.models.model import ModelTraining, generator, noiseless
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import pca_gaussian, pca_pure, pca_wishart
from tests.models.attack import extreme, least_level, obeys, some, together

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SHAPE = RecordShape(30, 2, ())


def flat(squares):
    """Symmetric matrices as vectors whose Euclidean norm is Frobenius'."""
    rows, columns = np.triu_indices(squares.shape[-1])
    return squares[..., rows, columns] * np.where(rows == columns, 1.0, math.sqrt(2.0))


def drawn(noise, seed):
    """Unit noise of 4,000 runs; S of two features has three rows."""
    return np.array([noise(generator(seed, run), 3) for run in range(4_000)])


def single(x, y):
    none = np.zeros((1, 0), dtype=np.int64)
    return Records(SHAPE, np.array([[x, y]]), none, np.array([0]))


@pytest.mark.slow("fits many models")
def test_no_record_moves_the_matrix_further_and_some_move_it_that_far(adjacency):
    draw, bound = np.random.default_rng(0), covariance.sensitivity(adjacency)
    # zᵀz′ = 0 where xᵀx′ = -w²: at this angle between two points of norm 1.
    angle = math.acos(-(covariance.WEIGHT**2))
    corner = math.pi / 4.0
    pairs = [(single(1.0, 1.0), single(-1.0, 1.0))]
    turned = corner + angle
    far = math.sqrt(2.0) * np.array([math.cos(turned), math.sin(turned)])
    ball = np.abs(far).max()
    pairs.append((single(1.0, 1.0), single(*(far / max(1.0, ball)))))
    pairs += [(extreme(SHAPE, draw), extreme(SHAPE, draw)) for _ in range(2_000)]
    furthest = 0.0
    for one, other in pairs:
        moved = covariance.second_moments(one)
        if adjacency is REPLACE:
            moved = moved - covariance.second_moments(other)
        furthest = max(furthest, float(np.linalg.norm(moved)))
    assert furthest <= bound
    assert furthest >= (0.999999 if adjacency is ZERO else 0.96) * bound


def test_the_bound_for_replacing_is_reached_in_the_ball():
    z, other = np.array([1.0, 0.0, covariance.WEIGHT]), np.array([0.0, 0.0, covariance.WEIGHT])
    other[0], other[1] = -(covariance.WEIGHT**2), math.sqrt(1.0 - covariance.WEIGHT**4)
    moved = np.linalg.norm(np.outer(z, z) - np.outer(other, other))
    assert moved == pytest.approx(covariance.sensitivity(REPLACE), rel=1e-12)


@pytest.fixture(scope="module")
def gaussian():
    return flat(drawn(covariance.symmetric, 1))


def test_what_is_released_holds_the_noise_of_its_calibration():
    (c,) = pca_gaussian.MODEL.calibrate(SHAPE, [1.0], 1e-6, ZERO)
    exact, draws = covariance.second_moments(single(0.5, -1.0)), drawn(covariance.symmetric, 1)[:2]
    noisy = covariance.released(exact, c, list(draws))
    assert noisy - exact == pytest.approx(c.noise.scale * draws)


def test_gaussian_noise_is_of_one_size_in_every_coordinate(gaussian):
    assert obeys(gaussian.ravel(), stats.norm())
    assert not obeys(gaussian.ravel(), stats.norm(scale=2.0 / 3.0))
    assert not obeys(gaussian.ravel(), stats.norm(scale=1.5))


def test_worst_neighbours_are_told_apart_no_better_than_promised(gaussian):
    c = pca_gaussian.MODEL.calibrate(SHAPE, [5.0], 1e-5, ZERO)[0]
    promised = c.noise.sensitivity / c.noise.scale
    one = some(25, numbers=2, levels=(2,))
    one = Records(SHAPE, one.numbers, np.zeros((25, 0), dtype=np.int64), one.labels)
    other = together(one, single(1.0, -1.0))
    exact = [flat(covariance.second_moments(records)) for records in (other, one)]
    half = len(gaussian) // 2
    for share, flagged in ((1.0, False), (2.0 / 3.0, True)):
        sigma = share * c.noise.scale
        level = least_level(exact[0] + sigma * gaussian[:half], exact[1] + sigma * gaussian[half:])
        assert (level > promised) is flagged


def test_pure_noise_has_the_norm_and_the_directions_of_its_law():
    pure = flat(drawn(pca_pure.noise, 2))
    norms, coordinates = np.linalg.norm(pure, axis=1), pure.shape[1]
    assert coordinates == 6
    assert obeys(norms, stats.gamma(6))
    assert not obeys(norms, stats.gamma(6, scale=2.0 / 3.0))
    turned = pure[:, 0] / norms
    assert obeys(turned**2, stats.beta(0.5, 2.5))
    for c in pca_pure.MODEL.calibrate(SHAPE, [0.1, 5.0], 1e-5, REPLACE):
        assert c.noise.sensitivity / c.noise.scale <= c.requested.epsilon
        assert (c.proof.epsilon, c.proof.delta) == (c.requested.epsilon, 0.0)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_wishart_mechanism_gives_a_record_away_as_often_as_derived(epsilon):
    # d = 3: how often S + W - S′ is not positive semidefinite, for one record of norm 1 more.
    c, x = pca_wishart.scale(epsilon), np.array([0.6, 0.0, 0.8])
    draws = drawn(pca_wishart.noise, 0)
    left = np.linalg.eigvalsh(c * draws - np.outer(x, x))[:, 0]
    seen, expected = int((left < 0.0).sum()), pca_wishart.failure(c)
    assert expected == pytest.approx(1.0 - math.exp(-epsilon / 3.0))
    assert stats.binomtest(seen, len(draws), expected).pvalue > 1e-3
    # No (ε, 0), and no (ε, 1e-5) either, holds at any ε: such an answer is impossible without it.
    assert stats.binomtest(seen, len(draws), 1e-5, alternative="greater").pvalue < 1e-9


def test_the_wishart_mechanism_is_shown_as_what_it_is():
    for result in pca_wishart.MODEL.calibrate(SHAPE, [0.5, 4.0], 1e-5, ZERO):
        assert result.status is Status.CLAIM_NOT_SUPPORTED
        assert (result.claim.epsilon, result.claim.delta) == (result.requested.epsilon, 0.0)
        assert result.proof.epsilon is None
        assert "moves with the data" in result.proof.reason


@pytest.mark.parametrize("system", [pca_gaussian, pca_pure, pca_wishart])
def test_components_are_orthonormal_and_near_the_right_ones_given_budget(system):
    draw = np.random.default_rng(4)
    x = np.clip(draw.standard_normal((4_000, 5)) * [0.5, 0.4, 0.3, 0.05, 0.05] + 0.2, -1.0, 1.0)
    none, zero = np.zeros((4_000, 0), dtype=np.int64), np.zeros(4_000, dtype=np.int64)
    records = Records(RecordShape(4_000, 5, ()), x, none, zero)
    train, test = records[:3_000], records[3_000:]
    calibrations = system.MODEL.calibrate(train.shape, [1e-4, 50.0], 1e-5, ZERO)
    result = system.MODEL.learn(ModelTraining(train, test[:0], calibrations, 5, 0))
    assert result.shape == (2, 5, 5, 3)
    assert result[1, 0].T @ result[1, 0] == pytest.approx(np.eye(3), abs=1e-9)
    values = covariance.judge(result, test)
    exact = system.MODEL.learn(ModelTraining(train, test[:0], [noiseless(calibrations[0])], 1, 0))
    limit = float(covariance.judge(exact, test)[0, 0])
    # The mean is paid for: what is captured is spread, not how far the points lie from 0.
    assert limit == pytest.approx(0.99, abs=0.01)
    assert values[1].mean() == pytest.approx(limit, abs=0.01)
    assert values[0].mean() < 0.9
    assert covariance.random_share(train, test) == pytest.approx(0.6)
