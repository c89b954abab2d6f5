"""Batched mean gradients: NumPy and torch against a plain sum in double precision."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from dpcore.erm import gradient
from dpcore.erm.problem import Problem


def plain(problem, features, labels, weights):
    columns = []
    for w in weights.T:
        total = np.zeros(len(w))
        for x, y in zip(features, labels, strict=True):
            m = y * (x @ w)
            if problem.loss == "logistic":
                s = -1.0 / (1.0 + np.exp(m))
            else:
                h = problem.huber_width
                s = -min(1.0, max(0.0, (1.0 + h - m) / (2.0 * h)))
            total += s * y * x
        columns.append(total / len(labels))
    return np.array(columns).T


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize("records", [3, 1_024, 2_500])
def test_equals_a_plain_sum(data, loss, device, records) -> None:
    features, labels = data(records, 3)
    problem = Problem(loss, 0.1, records, 3)
    weights = np.random.default_rng(1).normal(size=(3, 4)) * np.array([0.1, 1.0, 10.0, 100.0])
    function = gradient.batch_gradient(problem, features, labels, device)
    result = function(weights.astype(np.float32))
    assert result.shape == (3, 4)
    assert result == pytest.approx(plain(problem, features, labels, weights), abs=2e-6)


def test_without_a_driver_torch_is_not_asked_for(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert gradient.accelerator() is None
