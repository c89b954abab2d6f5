"""Mean gradients and their products of rows, with steps or without, against plain sums."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.erm import gradient, output_perturbation
from dpcore.erm.gradient import Cells
from dpcore.erm.problem import Problem
from tests.erm.conftest import slopes
from tests.erm.test_output_perturbation import plain_descent


def plain(problem, features, labels, weights):
    columns = []
    for w in weights.T:
        total = np.zeros(len(w))
        for x, y in zip(features, labels, strict=True):
            total += slopes(problem, y * (x @ w)) * y * x
        columns.append(total / len(labels))
    return np.array(columns).T


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize("records", [3, 1_024, 2_500])
def test_equals_a_plain_sum(data, loss, device, records):
    features, labels = data(records, 3)
    problem = Problem(loss, 0.1, records, 3)
    weights = np.random.default_rng(1).normal(size=(3, 4)) * np.array([0.1, 1.0, 10.0, 100.0])
    function = gradient.batch_gradient(problem, features, labels, device)
    result = function(weights.astype(np.float32))
    assert result.shape == (3, 4)
    assert result == pytest.approx(plain(problem, features, labels, weights), abs=2e-6)


GENERATOR = np.random.default_rng(0)


@pytest.fixture(scope="module", params=["additive", "fine"])
def rows(request):
    """Rows with steps and their labels; one of them is blank, and two are equal."""
    split = prepare(load("cohort", records=400), Preparation(features=request.param))
    features, labels = split.x_train.copy(), split.y_train.copy()
    features[5], labels[5], features[7] = 0.0, 0.0, features[6]
    return features, labels


def test_products_are_those_of_the_rows(rows):
    features, labels = rows
    signed = features * labels[:, None]
    cells = Cells.of(signed, features)
    assert cells.sizes.shape == (7, len(features))  # one entry for each of the cohort's numbers
    for columns in ((), (3,)):
        weights = GENERATOR.standard_normal((features.shape[1], *columns))
        slopes = GENERATOR.standard_normal((len(features), *columns))
        margins = cells.times(cells.turned(weights))
        assert margins == pytest.approx(signed @ weights, abs=1e-12)
        sums = cells.turned_back(cells.sums(slopes))
        assert sums == pytest.approx(signed.T @ slopes, abs=1e-12)
    some = slice(100, 250)
    assert cells[some].times(cells.turned(weights)) == pytest.approx(signed[some] @ weights)


def test_every_record_stands_once_in_every_sum(rows):
    """As large as in the rows, so that the rounding of the sums is bounded alike."""
    features, _ = rows
    cells = Cells.of(features, features)
    signs = cells.turned(np.eye(features.shape[1]))
    assert set(np.unique(signs)) == {-1.0, 0.0, 1.0}
    entries = np.hstack([cells.others, cells.entries.toarray()])
    assert np.array_equal(np.abs(entries) @ np.abs(signs), np.abs(features))


def test_distances_are_those_of_the_rows_and_0_for_equal_ones(rows):
    features, _ = rows
    left, right = GENERATOR.integers(0, len(features), (2, 500))
    left[:3], right[:3] = [6, 5, 9], [7, 5, 5]
    result = Cells.of(features, features).distances(left, right)
    assert result == pytest.approx(np.linalg.norm(features[left] - features[right], axis=1))
    assert list(result[:2]) == [0.0, 0.0]


def test_what_only_looks_like_steps_is_multiplied_as_it_is(rows):
    features, labels = rows
    few = features[:100], labels[:100]
    changed = features.copy()
    changed[-1] = np.abs(changed[-1])[::-1]  # one record is not made so
    for odd in (few[0], changed, -features, np.eye(300, 20), np.ones((300, 7))):
        cells = Cells.of(odd, odd)
        weights = GENERATOR.standard_normal(odd.shape[1])
        assert cells.times(cells.turned(weights)) == pytest.approx(odd @ weights, abs=1e-12)
    assert len(Cells.of(few[0], few[0]).sizes) == 0


def test_a_gradient_and_a_descent_on_steps_equal_plain_loops(rows):
    features, labels = rows
    problem = Problem("logistic", 0.05, *features.shape)
    weights = 3.0 * GENERATOR.standard_normal((features.shape[1], 2))
    actual = gradient.batch_gradient(problem, features, labels)(weights)
    assert actual == pytest.approx(plain(problem, features, labels, weights), abs=2e-6)
    for mostly_zero in (False, True):  # the other columns as they are, and as a sparse array
        if mostly_zero:
            features = np.hstack([features * 0.5, np.zeros((len(features), 40))])
            problem = replace(problem, dimension=features.shape[1])
        (last,) = output_perturbation.descend(problem, features, labels, 1.5, [4]).values()
        expected = plain_descent(problem, problem.within(features), labels, 1.5, 4)
        assert last == pytest.approx(expected, abs=1e-12)
