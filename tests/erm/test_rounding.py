"""Neighbours' sums as they are computed lie within what noise is sized for; float32 ones do not."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm import gradient, objective_perturbation, output_perturbation, rounding
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import dpgd, dpnewton, method_named
from dpcore.erm.problem import Problem
from dpcore.erm.sensitivity import descent_error
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition

REPLACE, ZERO = Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT


def table(records, dimension, label):
    """Rows of length 1, all alike, and labels -1 but for the last.

    At w = 0 this Huber loss slopes by -1, so that every record adds its own row times -y, and
    rounding points the same way in every coordinate.
    """
    rows = np.full((records, dimension), 1.0 / math.sqrt(dimension))
    labels = np.full(records, -1.0)
    labels[-1] = label
    return rows, labels


def moved(records, dimension, adjacency, sums=np.float64):
    """How far the computed sum of gradients moves with the last record."""
    problem, ends = Problem("huber", 0.01, records, dimension, adjacency), []
    for place in range(2):
        rows, labels = table(records, dimension, 1.0 if place and adjacency is REPLACE else -1.0)
        if place and adjacency is ZERO:
            rows[-1] = 0.0
        problem.check_data(rows, labels)
        mean = gradient.batch_gradient(problem, rows, labels, sums=sums)
        ends.append(mean(np.zeros((dimension, 1)))[:, 0].astype(np.float64) * records)
    return float(np.linalg.norm(ends[1] - ends[0]))


SIZES = [(200_000, 13), (50_000, 100), (20_000, 60), (1_001, 3)]


@pytest.mark.parametrize(("records", "dimension"), SIZES)
def test_a_computed_sum_moves_by_no_more_than_is_calibrated(records, dimension, adjacency):
    problem = Problem("huber", 0.01, records, dimension, adjacency)
    result = moved(records, dimension, adjacency)
    exact = 2.0 if adjacency is REPLACE else 1.0
    assert exact * (1.0 - 1e-6) < result <= problem.gradient_change < exact * (1.0 + 1e-4)


@pytest.mark.slow("fits many models")
def test_sums_in_single_precision_move_by_more_than_is_calibrated():
    over = [
        moved(100_000, dimension, REPLACE, np.float32)
        / Problem("huber", 0.01, 100_000, dimension).gradient_change
        for dimension in range(3, 40, 3)
    ]
    assert max(over) > 1.0005


RECORDS, DIMENSION = 60_000, 12
ENGINES = ("dpgd", "dpftrl", "grpua", "sgdpert", "dpnewton")


def sums_of(method, label, monkeypatch):
    """The sum of gradients at w = 0 that an engine adds its noise to, and what is calibrated."""
    problem = Problem("huber", 0.01, RECORDS, DIMENSION)
    chosen = method_named(method)
    settings = Settings(steps=1, batch=RECORDS if method in ("grpua", "sgdpert") else None)
    (calibration,) = chosen.calibrate(problem, [1.0], 1e-5, Edition.SOUND, settings)
    seen: list[np.ndarray] = []
    if method == "dpgd":
        made = gradient.batch_gradient

        def noted(*args):
            function = made(*args)  # type: ignore[arg-type]
            return lambda weights: seen.append(function(weights).copy()) or seen[-1]  # type: ignore[func-returns-value]

        monkeypatch.setattr(dpgd, "batch_gradient", noted)
    elif method == "dpnewton":
        step = dpnewton._next

        def next_one(problem, weights, gradient, *rest):  # type: ignore[no-untyped-def]
            seen.append(gradient)
            return step(problem, weights, gradient, *rest)

        monkeypatch.setattr(dpnewton, "_next", next_one)
    else:
        # Without its noise, the first iterate tells the sum.
        calibration = replace(calibration, model_noise=0.0)
    rows, labels = table(RECORDS, DIMENSION, label)
    (((weights,),),) = (chosen.release(Training(problem, rows, labels, [calibration], 1, 0)),)
    if method == "dpftrl":
        result = -weights * (problem.lam * RECORDS + calibration.ridge)
    elif seen:
        result = seen[0].ravel() * RECORDS
    else:
        result = -weights * problem.lam * RECORDS
    monkeypatch.undo()
    return result, calibration.sensitivity


@pytest.mark.parametrize("method", ENGINES)
def test_every_engine_sums_within_what_its_noise_is_sized_for(method, monkeypatch):
    one, calibrated = sums_of(method, -1.0, monkeypatch)
    other, _ = sums_of(method, 1.0, monkeypatch)
    assert one.dtype == other.dtype == np.float64
    distance = float(np.linalg.norm(one - other))
    assert distance <= calibrated < 2.0 * (1.0 + 1e-5)
    assert distance == pytest.approx(2.0, rel=1e-8)


TERMS = st.lists(st.floats(-1.0, 1.0, allow_subnormal=False), min_size=1, max_size=60)


@given(TERMS, st.randoms(use_true_random=False))
def test_any_order_of_a_sum_is_within_gamma_of_it(terms, order):  # type: ignore[no-untyped-def]
    exact = sum(map(Fraction, terms))
    left = list(terms)
    while len(left) > 1:
        one, other = (left.pop(order.randrange(len(left))) for _ in range(2))
        left.append(one + other)
    size = sum(abs(Fraction(term)) for term in terms)
    assert abs(Fraction(left[0]) - exact) <= Fraction(rounding.gamma(len(terms))) * size


def test_what_rounding_adds_grows_with_the_rows_and_is_refused_where_nothing_is_left():
    added = [rounding.of_sum(rows, rows) for rows in (1_000, 36_000, 10**6, 10**7)]
    assert added == sorted(added)
    assert added[1] == pytest.approx(2.0 * 36_000**2 * 2.0**-53, rel=2e-3)
    assert 2.2e-4 < added[2] < 2.3e-4
    with pytest.raises(InvalidInput, match="additions"):
        rounding.of_sum(10**15, 10**15)


@given(
    st.integers(1, 40).flatmap(
        lambda d: st.lists(st.floats(-1.0, 1.0), min_size=d, max_size=d).filter(
            lambda row: max(map(abs, row)) > 1e-100
        )
    ),
    st.floats(-1.0, 1.0),
)
def test_no_row_that_passes_the_check_is_longer_than_one(row, share):
    """Whatever the arithmetic of the check let through."""
    line = np.array([row]) / np.linalg.norm(np.array(row) / max(map(abs, row)))
    line /= max(map(abs, row))
    line *= 1.0 + share * 2e-12
    problem = Problem("squared", 0.01, 2, len(row))
    rows = np.concatenate((line, line))
    try:
        problem.check_data(rows, np.ones(2))
    except InvalidInput:
        assert share > 0.4  # what is shorter is let through
        return
    for used in (problem.within(rows), problem.forms(rows, np.ones(2)).rows):
        assert sum(Fraction(each) ** 2 for each in used[0].tolist()) <= 1


@pytest.mark.parametrize("excess", [1e-9, 1e-11])
def test_longer_rows_are_refused(excess):
    rows = np.array([[1.0 + excess, 0.0], [0.0, 1.0]])
    with pytest.raises(InvalidInput, match="at most 1"):
        Problem("logistic", 0.01, 2, 2).check_data(rows, np.ones(2))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
def test_no_slope_exceeds_one_whatever_the_library_rounds_to(loss, kind, monkeypatch):
    margins = np.concatenate([np.linspace(-40.0, 40.0, 20_001), [-1e30, 1e30, 0.0]]).astype(kind)
    exact = np.tanh

    def generous(values, out):
        exact(values, out=out)
        out *= values.dtype.type(1.0 + 4.0 * np.finfo(values.dtype).eps)
        return out

    monkeypatch.setattr(np, "tanh", generous)
    slopes = Problem(loss, 0.01, 2, 2).function.slope(margins)
    assert slopes.dtype == kind
    assert np.abs(slopes).max() == 1.0


def test_a_descent_is_off_by_no_more_than_is_counted():
    """Against the same descent in long double."""
    generator = np.random.default_rng(5)
    rows = generator.normal(size=(400, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.sign(generator.normal(size=400))
    problem = Problem("logistic", 1e-3, 400, 6)
    rate, steps = 2.0 / (problem.smoothness + problem.strong_convexity), 300
    result = output_perturbation.descend(problem, rows, labels, rate, [steps])[steps]
    signed = problem.within(rows).astype(np.longdouble) * labels[:, None]
    weights = np.zeros(6, dtype=np.longdouble)
    for _ in range(steps):
        slopes = -1.0 / (1.0 + np.exp(signed @ weights))
        weights = weights - rate * (signed.T @ slopes / 400 + problem.lam * weights)
    error = descent_error(problem, rate, steps, rate) + 0.5 * rounding.of_sum(400, 400) / 400
    off = float(np.linalg.norm(result - weights))
    assert 0.0 < off <= error * min(rate * steps, 1.0 / problem.lam)


@pytest.mark.parametrize("share", [0.5, 1.5])
def test_a_minimiser_is_checked_on_the_records_themselves(share):
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(500, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = np.sign(generator.normal(size=500))
    problem, ridge = Problem("logistic", 0.01, 500, 4), np.array([5.0])
    tilt = generator.normal(size=(4, 1))
    result = objective_perturbation.minimisers(problem, rows, labels, ridge, tilt, 1e-8)
    # A tilt that is another one by so much leaves a gradient of that length.
    other = tilt + share * 1e-4 * np.array([[1.0], [0.0], [0.0], [0.0]])
    check = (problem, rows, labels, ridge, other, result, 1e-4)
    if share < 1.0:
        objective_perturbation._check(*check)
    else:
        with pytest.raises(ArithmeticError, match="off by up to"):
            objective_perturbation._check(*check)


def test_the_newton_step_counts_its_own_rounding():
    problem = Problem("logistic", 0.01, 1_000, 20)
    tau = 0.25 / 1_000
    exact = tau / (0.05 * (0.05 + tau))
    assert exact < dpnewton.direction_sensitivity(problem, 0.05) < exact * (1.0 + 1e-6)
    assert tau < dpnewton.trace_sensitivity(problem) < tau * (1.0 + 1e-8)
    with pytest.raises(ArithmeticError, match="lost in rounding"):
        dpnewton.direction_sensitivity(problem, 1e-13)
