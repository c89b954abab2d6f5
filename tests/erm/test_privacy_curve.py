"""The whole curve of a calibration agrees with the (ε, δ) that is certified for it."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.accounting import tradeoff
from dpcore.erm.method import Settings
from dpcore.erm.privacy_curve import SAMPLED, noise_advantage, privacy_curve
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.methods import method_named, register
from dpcore.predictors.linear import without_proof

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
