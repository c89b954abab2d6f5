"""Logistic regression against scikit-learn's, and against statsmodels' with an offset."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from dpcore.erm.logistic import fit


def test_many_at_once_are_what_scikit_learn_finds_of_each():
    draw = np.random.default_rng(0)
    values = draw.normal(size=(3, 2, 400)) * np.array([0.1, 1.0, 6.0])[:, None, None]
    outcomes = draw.random(400) < 0.4
    design = np.concatenate([np.ones((3, 1, 400)), values], axis=1)
    strengths = np.array([0.0, 0.5, 20.0])
    precision = strengths[:, None, None] * np.diag([0.0, 1.0, 1.0])
    shape = (3, 400)
    theta, done = fit(
        design, np.zeros(shape), np.ones(shape), np.broadcast_to(outcomes, shape) * 1.0, precision
    )
    assert done.all()
    for row, strength, result in zip(values, strengths, theta, strict=True):
        weight = np.inf if strength == 0.0 else 1.0 / strength
        peer = LogisticRegression(C=weight, tol=1e-12, max_iter=10_000).fit(row.T, outcomes)
        assert result == pytest.approx([*peer.intercept_, *peer.coef_[0]], abs=1e-6)


def test_shares_of_trials_with_an_offset():
    trials = np.array([[5.0, 12.0, 30.0, 22.5, 8.0]])
    successes = np.array([[0.5, 3.0, 14.25, 16.0, 7.5]])
    x = np.array([[-2.0, -1.0, 0.0, 1.0, 2.0]])
    design = np.stack([np.ones_like(x), x], axis=1)
    theta, _ = fit(design, 0.3 * x, trials, successes, np.zeros((1, 2, 2)))
    both = np.concatenate([successes, trials - successes]).T
    peer = GLM(both, design[0].T, family=Binomial(), offset=0.3 * x[0]).fit(tol=1e-14)
    assert theta[0] == pytest.approx(peer.params, abs=1e-12)


def test_what_has_no_minimum_is_told_apart_from_what_has_one_far_away():
    x = np.linspace(-1.0, 1.0, 20)
    design = np.broadcast_to(np.stack([np.ones(20), x]), (2, 2, 20))
    separated, overlapping = x > 0.0, x > 0.0
    overlapping = overlapping.copy()
    overlapping[[9, 10]] = overlapping[[10, 9]]
    outcomes = np.stack([separated, overlapping]) * 1.0
    theta, done = fit(design, np.zeros((2, 20)), np.ones((2, 20)), outcomes, np.zeros((2, 2, 2)))
    assert done.tolist() == [False, True]
    assert theta[1, 1] > 10.0
