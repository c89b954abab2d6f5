"""Regression end to end: errors against scikit-learn and quadrature, sweeps, curves, references."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score, root_mean_squared_error

from dpcore.datasets import load, prepare
from dpcore.erm.output_perturbation import centres
from dpcore.errors import InvalidInput
from dpcore.evaluation import curves
from dpcore.evaluation.baselines import CROSS_VALIDATION_LAMS, baselines
from dpcore.evaluation.scoring.regression import (
    REGRESSION,
    expected_mean_squares,
    mean_squares,
    noisy_mean_squares,
)
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.evaluation.sweep import sweep

STUDY = Study(dataset="diabetes", loss="squared", methods=("nonprivate",), epsilons=(1.0,), runs=2)


@pytest.fixture(scope="module")
def diabetes():
    return prepare(load("diabetes"))


def test_the_measures_are_those_of_scikit_learn_in_the_targets_own_unit(diabetes):
    weights = np.random.default_rng(1).normal(0.0, 1.5, (4, diabetes.dimension))
    actual = REGRESSION.of_runs(problem_for(STUDY, diabetes), diabetes, weights)
    for part, x, y in (
        ("train", diabetes.x_train, diabetes.y_train),
        ("test", diabetes.x_test, diabetes.y_test),
    ):
        for place, w in enumerate(weights):
            wanted = 175.0 * (y + 1.0)
            said = np.clip(175.0 * (x @ w + 1.0), 0.0, 350.0)
            assert actual[f"rmse_{part}"][place] == pytest.approx(
                root_mean_squared_error(wanted, said), rel=1e-12
            )
            assert actual[f"r2_{part}"][place] == pytest.approx(r2_score(wanted, said), rel=1e-10)


CASES = (
    *((0.3, 0.2, -0.4), (0.9, 1.5, 1.0), (-2.0, 0.7, 0.1), (0.0, 9.0, 0.0)),
    *((0.5, 1.0, 0.2), (0.5, 1.0 + 1e-9, 0.2), (30.0, 7.0, -1.0), (0.1, 1e-4, 0.3)),
)


def test_the_expected_square_agrees_with_quadrature():
    features = np.array([[0.6, 0.8]])
    for centre, sigma, target in CASES:
        weights = centre * features  # the prediction is N(centre, σ²)

        def integrand(z, m=centre, s=sigma, y=target):
            said = min(1.0, max(-1.0, m + s * z))
            return (said - y) ** 2 * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)

        corners = sorted(min(12.0, max(-12.0, (edge - centre) / sigma)) for edge in (-1.0, 1.0))
        wanted = sum(
            integrate.quad(integrand, low, high, epsabs=1e-13)[0]
            for low, high in ((-12.0, corners[0]), tuple(corners), (corners[1], 12.0))
        )
        actual = expected_mean_squares(
            weights, np.array([sigma]), features, np.array([float(target)])
        )
        assert actual[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("sigma", [1e3, 1e9, 1e15, 1e60])
def test_very_wide_noise_answers_at_the_ends_of_the_range(sigma):
    targets = np.array([-1.0, -0.3, 0.8])
    features = np.full((3, 2), math.sqrt(0.5))
    result = expected_mean_squares(np.ones((1, 2)), np.array([sigma]), features, targets)
    assert result[0] == pytest.approx(np.mean(1.0 + targets**2), rel=2.0 / sigma + 1e-12)


def test_without_noise_expectation_and_draws_are_the_plain_mean_square(diabetes):
    generator = np.random.default_rng(2)
    weights, draws = generator.standard_normal((2, 3, diabetes.dimension))
    x, y, sigmas = diabetes.x_test, diabetes.y_test, np.array([0.0, 0.5, 2.0])
    plain = mean_squares(weights, x, y)
    assert expected_mean_squares(weights, 0.0 * sigmas, x, y) == pytest.approx(plain, rel=1e-12)
    single = noisy_mean_squares(weights, sigmas, draws, x, y)
    for row, sigma in enumerate(sigmas):
        moved = weights[row] + sigma * draws
        assert single[row] == pytest.approx(mean_squares(moved, x, y), rel=1e-12)


def test_a_null_row_hears_no_noise():
    result = expected_mean_squares(np.ones((1, 2)), np.array([3.0]), np.zeros((1, 2)), np.ones(1))
    assert result[0] == 1.0


def test_closed_forms_agree_with_sweeps_and_share_their_columns(diabetes):
    study = replace(
        STUDY,
        methods=("nonprivate", "opera"),
        adjacency="replace-one",
        epsilons=(0.1, 30.0),
        runs=1_000,
    )
    closed = curves.closed_form(study, diabetes)
    rows = sweep(study, split=diabetes)
    sampled = curves.summarise(rows, study, diabetes)
    for column, within in (("rmse", 0.03), ("objective", 0.06), ("rmse_low", 0.06)):
        assert closed[column].to_numpy() == pytest.approx(sampled[column], rel=within)
    assert 1.0 - closed["r2"].to_numpy() == pytest.approx(1.0 - sampled["r2"], rel=0.06)
    # ⅔ of the noise would be noticed.
    (calibration, *_) = calibrations_for(study, problem_for(study, diabetes), 1e-5)["opera"]
    problem, still = problem_for(study, diabetes), np.zeros((1, diabetes.dimension))
    centre = centres(problem, diabetes.x_train, diabetes.y_train, [calibration])
    for share, noticed in ((1.0, False), (2.0 / 3.0, True)):
        sigma = np.array([share * calibration.sigma])
        result, _ = REGRESSION.expected(diabetes, centre, sigma, still)
        gap = abs(result["rmse"][0] / sampled.loc[sampled["method"] == "opera", "rmse"].iloc[0] - 1)
        assert bool(gap > 0.05) is noticed


def test_the_references_are_ridge_regression_and_the_mean(diabetes):
    result = baselines(diabetes)
    ridge = Ridge(alpha=result.lam * len(diabetes.y_train), fit_intercept=False)
    said = ridge.fit(diabetes.x_train, diabetes.y_train).predict(diabetes.x_test)
    assert result.value == pytest.approx(
        175.0 * root_mean_squared_error(diabetes.y_test, said), rel=1e-6
    )
    mean = np.full_like(diabetes.y_test, diabetes.y_train.mean())
    assert result.guess == pytest.approx(175.0 * root_mean_squared_error(diabetes.y_test, mean))
    assert 50.0 < result.value < 60.0 < result.guess


def test_the_tuned_lambda_has_the_least_held_out_square(diabetes):
    order = np.random.default_rng(diabetes.preparation.seed).permutation(diabetes.records)
    x, y = diabetes.x_train[order], diabetes.y_train[order]
    fold = np.arange(len(y)) % 5
    score = {}
    for lam in CROSS_VALIDATION_LAMS:
        squares = []
        for held in range(5):
            inside = fold != held
            ridge = Ridge(alpha=lam * inside.sum(), fit_intercept=False).fit(x[inside], y[inside])
            squares.append(np.mean((ridge.predict(x[~inside]) - y[~inside]) ** 2))
        score[lam] = np.mean(squares)
    assert baselines(diabetes).lam == pytest.approx(min(score, key=lambda lam: score[lam]))


def test_losses_and_records_that_do_not_go_together_are_refused(diabetes):
    with pytest.raises(InvalidInput, match=r"loss for diabetes is 'logistic'.*one of squared"):
        problem_for(replace(STUDY, loss="logistic"), diabetes)
    with pytest.raises(InvalidInput, match=r"'squared': .* learns to tell two classes apart only"):
        replace(STUDY, methods=("sgdpert",))
