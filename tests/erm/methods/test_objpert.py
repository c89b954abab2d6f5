"""Objective perturbation: its bounds against exact densities, its solver and its law."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, signal, stats

from dpcore.erm import methods, objective_perturbation
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.objective_perturbation import (
    SLACK,
    TOLERANCE,
    ObjectiveNoise,
    bend,
    corners,
    gaussian_delta,
    gaussian_noise,
    pure_noise,
)
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition
from tests.erm.conftest import made_up_data


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_every_column_is_the_minimiser_of_its_own_objective(loss):
    features, labels = made_up_data(300, 5)
    problem = Problem(loss, 0.01, 300, 5, huber_width=0.1)
    ridge = np.repeat([0.3, 1.0, 40.0], 4)
    tilt = np.random.default_rng(1).standard_normal((5, 12)) * np.repeat([3.0, 3.0, 200.0], 4)
    result = objective_perturbation.minimisers(problem, features, labels, ridge, tilt, 1e-6)
    signed = features * labels[:, None]
    for w, weight, b in zip(result.T, ridge, tilt.T, strict=True):

        def objective(w, weight=weight, b=b):
            return float(problem.function.value(signed @ w).sum() + 0.5 * weight * w @ w + b @ w)

        gradient = signed.T @ problem.function.slope(signed @ w) + weight * w + b
        assert np.linalg.norm(gradient) <= 1e-6
        best = optimize.minimize(objective, w + 0.1, method="BFGS", options={"gtol": 1e-7})
        assert np.linalg.norm(best.x - w) <= 1e-3 * max(1.0, float(np.linalg.norm(w)))


@pytest.mark.slow("fits many models")
def test_a_gradient_that_cannot_be_reached_is_not_released():
    features, labels = made_up_data(300, 5)
    problem = Problem("logistic", 0.01, 300, 5)
    tilt = np.full((5, 2), 7.3)
    with pytest.raises(ArithmeticError, match="steps the gradient is"):
        objective_perturbation.minimisers(problem, features, labels, np.full(2, 0.5), tilt, 1e-18)


@pytest.mark.parametrize("key", ["objpert", "objpert_pure"])
def test_noise_has_its_law(key):
    # Of empty records the minimiser is -b/Λ.
    records, dimension, runs = 50, 4, 3_000
    problem = Problem("logistic", 0.1, records, dimension, Adjacency.ZERO_OUT)
    method = method_named(key)
    (c,) = method.calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())
    tilt_only = np.asarray(
        method.release(
            Training(problem, np.zeros((records, dimension)), np.ones(records), [c], runs, 0)
        )
    )[0]
    scale = c.model_noise / c.ridge
    if key == "objpert":
        law = stats.norm(scale=np.hypot(scale, c.output_noise)).cdf
        seen, wrong = tilt_only.ravel(), stats.norm(scale=2.0 / 3.0 * scale).cdf
    else:
        law = stats.gamma(dimension, scale=scale).cdf
        seen = np.linalg.norm(tilt_only, axis=1)
        wrong = stats.gamma(dimension, scale=2.0 / 3.0 * scale).cdf
        # The output noise of a hundredth of the size hardly moves the law of the sum.
        assert c.output_noise < 0.05 * scale
    assert stats.kstest(seen, law).pvalue > 1e-3
    assert stats.kstest(seen, wrong).pvalue < 1e-9


def test_output_noise_has_its_law():
    features, labels = made_up_data(300, 5)
    problem = Problem("logistic", 0.1, 300, 5, Adjacency.ZERO_OUT)
    (c,) = method_named("objpert").calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())
    training = Training(problem, features, labels, [c], 1, 0)
    draws = iter((1.0, 3.0))
    noisy = objective_perturbation.release(lambda g, d: np.full(d, next(draws)), training)[0, 0]
    exact = objective_perturbation.minimisers(
        problem, features, labels, np.array([c.ridge]), np.full((5, 1), c.model_noise), TOLERANCE
    )[:, 0]
    assert noisy - exact == pytest.approx(np.full(5, 3.0 * c.output_noise), rel=1e-6)


GRID = 1e-4
"""What sums over a grid may be wrong by, where a density jumps (Huber)."""

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


def problem(adjacency, loss="logistic", dimension=1):
    return Problem(loss, 1e-6, 100, dimension, adjacency, 0.3)


class OneDimension:
    """The law of the minimiser for the record x = 1, x = -1, or none (x = 0); y is 1 always.

    For the squared loss x carries the label instead: features 1, and y = x.
    """

    def __init__(self, loss, ridge, scale, law="gaussian"):
        self.function = problem(ZERO, loss).function
        self.ridge, self.law, self.scale = ridge, law, scale
        reach = 12.0 * scale if law == "gaussian" else 60.0 * scale
        edge = (reach + 1.0) / ridge
        self.weights = np.linspace(-edge, edge, 2**18)
        self.width = self.weights[1] - self.weights[0]

    def density(self, x):
        w = self.weights
        residual = self.function.residual
        feature, form = (abs(x), abs(x) * w - x) if residual else (x, x * w)
        tilt = -(feature * self.function.slope(form) + self.ridge * w)
        turn = x * x * self.function.bend(form) + self.ridge
        if self.law == "gaussian":
            return (
                np.exp(-0.5 * (tilt / self.scale) ** 2) / math.sqrt(2 * math.pi) / self.scale * turn
            )
        return np.exp(-np.abs(tilt) / self.scale) / (2.0 * self.scale) * turn

    def smoothed(self, x, shift, spread):
        """What a solver that errs by `shift`, then noise `spread`, turn it into."""
        frequency = 2.0 * math.pi * np.fft.rfftfreq(len(self.weights), self.width)
        kernel = np.exp(-0.5 * (frequency * spread) ** 2 - 1j * frequency * shift)
        return np.maximum(np.fft.irfft(np.fft.rfft(self.density(x)) * kernel, len(self.weights)), 0)

    def divergence(self, one, other, epsilon):
        return float(np.maximum(one - math.exp(epsilon) * other, 0.0).sum() * self.width)


PAIRS = {ZERO: [(1.0, 0.0), (0.0, 1.0)], REPLACE: [(1.0, -1.0), (-1.0, 1.0)]}


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize("ridge", [0.5, 2.0, 20.0])
@pytest.mark.parametrize("sigma", [0.7, 2.0, 5.0])
def test_exact_densities_stay_below_the_bound(loss, adjacency, ridge, sigma):
    line = OneDimension(loss, ridge, sigma)
    assert line.density(1.0).sum() * line.width == pytest.approx(1.0, abs=GRID)
    for left in (0.05, 0.3, 1.0, 2.0):
        epsilon = left + bend(problem(adjacency, loss), ridge)
        bound = gaussian_delta(
            problem(adjacency, loss), epsilon, ObjectiveNoise(sigma, ridge, 0.0), 0.0
        )
        for one, other in PAIRS[adjacency]:
            seen = line.divergence(line.density(one), line.density(other), epsilon)
            assert seen <= bound + GRID


def losses(line, one, other):
    """Masses of the privacy loss on a grid of `STEP`, each rounded down: a smaller divergence."""
    p, q = line.density(one) * line.width, line.density(other) * line.width
    seen = p > 1e-18
    place = np.floor(np.log(p[seen] / q[seen]) / STEP).astype(int) + MIDDLE
    return np.bincount(place, p[seen], minlength=2 * MIDDLE)


STEP, MIDDLE = 1e-3, 2**14
"""Of the grid of privacy losses, and where on it 0 lies."""


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize(("adjacency", "sigma"), [(ZERO, 2.0), (REPLACE, 4.0)])
@pytest.mark.parametrize("ridge", [2.0, 20.0])
def test_exact_densities_of_all_classes_stay_below_the_bound(adjacency, sigma, ridge):
    classes = 4
    what = replace(problem(adjacency, "huber"), classes=classes)

    def seen(scale, epsilon):
        line = OneDimension("huber", ridge, scale)
        worst = 0.0
        # A record belongs to one class: in that problem its sign is another one.
        for pairs in ([PAIRS[adjacency][0]] * classes, [*PAIRS[adjacency], *PAIRS[adjacency]]):
            total = np.ones(1)
            for pair in pairs:
                total = signal.fftconvolve(total, losses(line, *pair))
            loss = STEP * (np.arange(len(total)) - classes * MIDDLE)
            worst = max(worst, float(total @ np.maximum(-np.expm1(epsilon - loss), 0.0)))
        return worst

    for left in (0.3, 1.0, 2.0, 4.0):
        epsilon = left + classes * bend(what, ridge)
        bound = gaussian_delta(what, epsilon, ObjectiveNoise(sigma, ridge, 0.0), 0.0)
        assert seen(sigma, epsilon) <= bound + GRID
    if ridge == 20.0:
        assert seen(sigma / 2.0, epsilon) > bound + GRID


@given(
    adjacency=st.sampled_from([ZERO, REPLACE]),
    residual=st.booleans(),
    parts=st.integers(1, 4),
)
def test_corners_are_all_ends_of_all_slopes(adjacency, residual, parts):
    ends = (-1, 1) if residual else (-1, 0)
    slopes = itertools.product(ends, repeat=2 if adjacency is REPLACE else 1)
    # Records that lie opposite: what either moves adds up in length.
    if residual:
        one = [4 if adjacency is REPLACE else 1 for _ in slopes]
    else:
        one = [sum(abs(end) for end in each) ** 2 for each in slopes]
    every = Counter(sum(each) for each in itertools.product(one, repeat=parts))
    squares, counts = corners(residual, adjacency, parts)
    assert squares.tolist() == sorted(every)
    assert np.exp(counts) == pytest.approx([every[square] for square in squares])


def test_two_thirds_of_the_noise_would_be_noticed(adjacency):
    ridge, sigma = 20.0, 1.5
    line = OneDimension("huber", ridge, 2.0 / 3.0 * sigma)
    epsilon = 1.0 + bend(problem(adjacency, "huber"), ridge)
    bound = gaussian_delta(
        problem(adjacency, "huber"), epsilon, ObjectiveNoise(sigma, ridge, 0.0), 0.0
    )
    seen = max(
        line.divergence(line.density(one), line.density(other), epsilon)
        for one, other in PAIRS[adjacency]
    )
    assert seen > bound + GRID


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("ridge", [0.5, 5.0])
def test_a_solver_that_errs_the_worst_way_stays_below_the_bound(adjacency, ridge):
    sigma, tolerance = 2.0, 0.05
    output = 2.0 * tolerance / ridge / 0.4  # μ₂ = 0.4
    line = OneDimension("logistic", ridge, sigma)
    for left in (0.1, 0.5, 1.5):
        epsilon = left + bend(problem(adjacency), ridge)
        bound = gaussian_delta(
            problem(adjacency), epsilon, ObjectiveNoise(sigma, ridge, output), tolerance
        )
        exact = gaussian_delta(problem(adjacency), epsilon, ObjectiveNoise(sigma, ridge, 0.0), 0.0)
        assert exact < bound
        for one, other in PAIRS[adjacency]:
            for side in (-1.0, 1.0):
                shift = side * tolerance / ridge
                seen = line.divergence(
                    line.smoothed(one, shift, output), line.smoothed(other, -shift, output), epsilon
                )
                assert seen <= bound + GRID


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_pure_tilt_never_moves_a_density_by_more_than_its_share(loss, adjacency, epsilon):
    noise = pure_noise(problem(adjacency, loss), epsilon)
    line = OneDimension(loss, noise.ridge, noise.scale, "laplace")
    share = 2.0 * TOLERANCE / (noise.ridge * noise.output)
    worst = 0.0
    for one, other in PAIRS[adjacency]:
        ratio = np.log(line.density(one)) - np.log(line.density(other))
        worst = max(worst, float(np.abs(ratio).max()))
    assert worst + share <= epsilon * (1.0 + 1e-12)
    # With two thirds of the noise it would.
    less = OneDimension(loss, noise.ridge, noise.scale * 2.0 / 3.0, "laplace")
    one, other = PAIRS[adjacency][0]
    assert np.abs(np.log(less.density(one)) - np.log(less.density(other))).max() > worst


@pytest.mark.slow("fits many models")
@given(
    epsilon=st.floats(1e-6, 100.0),
    delta=st.sampled_from([1e-12, 1e-5, 1e-2]),
    lam=st.sampled_from([0.0, 1e-4, 0.3]),
    adjacency=st.sampled_from([ZERO, REPLACE]),
    loss=st.sampled_from(["logistic", "huber", "squared"]),
)
def test_the_noise_keeps_the_budget_and_no_less_would(epsilon, delta, lam, adjacency, loss):
    radius = 2.0 if lam == 0.0 else None
    what = Problem(loss, lam, 300, 7, adjacency, radius=radius)
    noise = gaussian_noise(what, epsilon, delta)
    assert gaussian_delta(what, epsilon, noise, TOLERANCE) <= delta
    less = ObjectiveNoise(noise.scale * (1.0 - 1e-6), noise.ridge, noise.output)
    assert gaussian_delta(what, epsilon, less, TOLERANCE) > delta
    assert noise.ridge >= what.records * lam
    slack = 2.0 * TOLERANCE / (noise.ridge * noise.output)
    assert slack == pytest.approx(SLACK / noise.scale)
    pure = pure_noise(what, epsilon)
    share = 2.0 * TOLERANCE / (pure.ridge * pure.output)
    assert bend(what, pure.ridge) + what.gradient_change / pure.scale + share <= epsilon


def test_the_printed_noise_is_that_of_the_papers():
    what = Problem("logistic", 0.005, 100, 6, REPLACE)
    (kifer,) = methods.method_named("objpert").calibrate(
        what, [1.0], 1e-5, Edition.PUBLISHED, Settings()
    )
    assert kifer.sigma == pytest.approx(10.08, abs=0.005)
    assert kifer.ridge == pytest.approx(0.5 + 0.5)
    (first, second) = methods.method_named("objpert_pure").calibrate(
        what, [1.0, 0.5], 1e-5, Edition.PUBLISHED, Settings()
    )
    assert first.model_noise == pytest.approx(2.0 / (1.0 - 2.0 * math.log(1.5)))
    # ε = 0.5 < 2 ln 1.5: the second branch, with ε/2 and more regularisation.
    assert second.model_noise == pytest.approx(8.0)
    assert second.ridge == pytest.approx(0.25 / math.expm1(0.125))
