"""Small data sets with rows in the unit ball, and a test of noise that has the power to fail."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpcore.guarantee import Adjacency, Edition

Array = NDArray[np.float64]


def made_up_data(records, dimension, seed=0):
    """Rows of norm at most 1 and labels of ±1 that follow the first feature, with errors."""
    generator = np.random.default_rng([31, seed])
    features = generator.normal(size=(records, dimension))
    features /= np.linalg.norm(features, axis=1, keepdims=True) * generator.uniform(
        1.0, 2.0, size=(records, 1)
    )
    labels = np.where(features[:, 0] + generator.normal(0.0, 0.2, records) > 0.0, 1.0, -1.0)
    return features, labels


def slopes(problem, margins):
    """The derivative of a margin loss, written out."""
    if problem.loss == "logistic":
        return -1.0 / (1.0 + np.exp(margins))
    h = problem.huber_width
    return -np.clip((1.0 + h - margins) / (2.0 * h), 0.0, 1.0)


def only_normal_with(sample, sigma):
    """The sample is N(0, σ²) by Kolmogorov–Smirnov, and it is big enough to tell ⅔σ and 3σ/2."""
    flat = np.asarray(sample, dtype=float).ravel()
    assert stats.kstest(flat, "norm", args=(0.0, sigma)).pvalue > 1e-3
    for wrong in (2.0 / 3.0, 1.5):
        assert stats.kstest(flat, "norm", args=(0.0, wrong * sigma)).pvalue < 1e-9


@pytest.fixture(params=[Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def adjacency(request):
    return request.param


@pytest.fixture(params=Edition)
def edition(request):
    return request.param


@pytest.fixture
def data():
    return made_up_data


@pytest.fixture
def assert_normal():
    return only_normal_with
