"""Mistakes found in the field, in libraries that promised privacy, held against the code here.

Each test names where the mistake was. Several are held by exact tests elsewhere, too
(`tests/datasets/test_prepare.py`, `tests/erm/`); here they are made as an attacker would meet them.
"""

import numpy as np
import pytest

from dpcore.accounting.accountants import ACCOUNTANTS, certify
from dpcore.accounting.events import FixedSampled, Gaussian, PoissonSampled, Repeated
from dpcore.audit.register import attacks
from dpcore.datasets import Preparation, load, prepare
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import method_named, register
from dpcore.erm.objective_perturbation import TOLERANCE
from dpcore.erm.problem import Problem
from dpcore.erm.quadratic import Protocol, aggregate
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import Adjacency, Edition, Status

SOUND = [
    key
    for key, method in register().items()
    if method.editions.get(Edition.SOUND) and method.editions[Edition.SOUND].status is Status.PROVED
]


def a_problem(key):
    """A small one that the method learns."""
    learnt = method_named(key).losses
    loss = next(loss for loss in ("huber", "logistic", "squared") if loss in learnt)
    return Problem(loss, 1.0, 4, 2, Adjacency.ZERO_OUT)


@pytest.mark.parametrize(("dataset", "loss"), [("cohort", "logistic"), ("diabetes", "squared")])
def test_bounds_taken_from_the_data_leave_no_proof(dataset, loss):
    # diffprivlib takes missing `bounds` and `data_norm` from the data, and warns. Here a record
    # far out would move all the others' rows, and every promise is taken back.
    records = 300 if dataset == "cohort" else None
    split = prepare(load(dataset, records=records), Preparation(scaling="data"))
    methods = tuple(key for key in SOUND if loss in method_named(key).losses)
    study = Study(dataset, records, loss, methods=methods, epsilons=(0.5,))
    for group in calibrations_for(study, problem_for(study, split), 1e-4).values():
        assert all(c.proof.epsilon is None and c.certified.epsilon is None for c in group)
        assert all(c.gaussian_mu is None and c.status is not Status.PROVED for c in group)


@pytest.mark.parametrize("key", SOUND)
def test_rows_beyond_the_norm_that_was_calibrated_for_are_refused_by_every_method(key):
    # Neither clipped silently nor let through with the noise of another norm.
    problem, method = a_problem(key), method_named(key)
    made = method.calibrate(problem, [0.5], 1e-5, Edition.SOUND, Settings())
    features = np.zeros((4, 2))
    features[1] = 1.01, 0.0
    with pytest.raises(InvalidInput, match=r"largest ‖x‖₂ is 1\.01"):
        method.release(Training(problem, features, np.ones(4), made, 1, 0))


@pytest.mark.slow("attacks many releases")
def test_every_entry_of_the_released_sums_has_noise_whatever_the_bounds():
    # diffprivlib's LinearRegression uses a lower bound twice: with bounds (0, 1) the diagonal of
    # XᵀX is released exactly, at every ε.
    generator = np.random.default_rng(8)
    records, dimension = 6, 3
    protocol = Protocol(records, 1.0, 1e-5, Adjacency.REPLACE_ONE)
    x = np.abs(generator.normal(size=(records, dimension)))  # all within [0, 1]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    sums = [aggregate([protocol.randomise(row, 1.0, generator) for row in x]) for _ in range(600)]
    square = np.array([one.square for one in sums])
    linear = np.array([one.linear for one in sums])
    assert np.array_equal(square, np.swapaxes(square, 1, 2))
    for i in range(dimension):
        for j in range(dimension):
            needed = protocol.sigma * (1.0 if i == j else np.sqrt(0.5))
            assert np.std(square[:, i, j]) == pytest.approx(needed, rel=0.15)
    assert np.std(linear, axis=0) == pytest.approx(protocol.sigma / protocol.weight, rel=0.15)


def test_no_two_of_many_runs_and_seeds_repeat_each_others_noise():
    # tensorflow-privacy's bolt-on draws with seed=1, the benchmark of Iyengar et al. with one of
    # 256 seeds: what is drawn can then be subtracted.
    drawn = {
        noise_generator(seed, run).standard_normal() for seed in range(60) for run in range(100)
    }
    assert len(drawn) == 6_000


@pytest.mark.parametrize("key", SOUND)
def test_runs_of_every_method_differ(key):
    problem, method = a_problem(key), method_named(key)
    made = method.calibrate(problem, [0.5], 1e-5, Edition.SOUND, Settings())
    weights = method.release(Training(problem, np.zeros((4, 2)), np.ones(4), made, 40, 0))[0]
    assert len(np.unique(weights, axis=0)) == 40


@pytest.mark.parametrize("batch", [1, 5, 20])
def test_larger_batches_do_not_lose_noise_on_the_way(batch):
    # tensorflow-privacy's bolt-on divides its sensitivity by the batch size once more.
    first, *_ = attacks()["grpua"]
    assert first.gaussian
    problem = Problem("huber", 100.0, 20, 2, Adjacency.REPLACE_ONE)
    made = method_named("grpua").calibrate(
        problem, [4.0], 1e-5, Edition.SOUND, Settings(steps=1, batch=batch)
    )[0]
    features = np.zeros((20, 2))
    weights = method_named("grpua").release(
        Training(problem, features, np.ones(20), [made], 2_000, 0)
    )[0]
    # One step from 0 on null records leaves the noise alone: η σ/b in each coordinate.
    assert np.std(weights) == pytest.approx(made.learning_rate * made.sigma / batch, rel=0.05)
    assert made.sensitivity == problem.gradient_change


def test_two_solvers_that_stop_on_opposite_sides_are_covered_by_the_output_noise():
    # Iyengar et al.'s code counts one distance to the minimiser where two approximate minimisers
    # can lie two apart.
    problem = Problem("logistic", 0.1, 100, 3, Adjacency.ZERO_OUT)
    for key in ("objpert_pure", "objpert"):
        made = method_named(key).calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())[0]
        apart = 2.0 * TOLERANCE / made.ridge
        most = 0.01 if key == "objpert_pure" else 0.05 / made.model_noise
        assert 0.0 < apart / made.output_noise <= most * (1.0 + 1e-12)


def test_batches_of_fixed_size_are_not_accounted_for_as_poissons():
    # Opacus reports the ε of Poisson sampling for `poisson_sampling=False`, too, and its
    # Gaussian-DP accountant takes a limit for a bound.
    fixed, poisson = (
        Repeated(sampled(0.1, Gaussian(1.0)), 10) for sampled in (FixedSampled, PoissonSampled)
    )
    compared = 0
    for key in ACCOUNTANTS:
        by_poisson = certify(poisson, 1e-5, Adjacency.ZERO_OUT, key).epsilon
        for adjacency in (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE):
            result = certify(fixed, 1e-5, adjacency, key).epsilon
            if result is not None and by_poisson is not None:
                assert result > by_poisson
                compared += 1
    assert compared > 0
    assert certify(poisson, 1e-5, Adjacency.ZERO_OUT, "gdp").epsilon is None
    made = method_named("grpua").calibrate(
        Problem("huber", 1.0, 100, 2, Adjacency.REPLACE_ONE), [1.0], 1e-5, Edition.SOUND, Settings()
    )[0]
    assert made.sampling == "fixed"
