"""A blank record counts in n and adds nothing else, whatever the method, the loss and its label."""

import numpy as np
import pytest

from dpcore.erm import newton, one_vs_rest
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import register
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition

RECORDS, FEATURES, PLACE = 40, 3, 11
CASES = [
    (key, edition, loss)
    for key, method in register().items()
    for edition in method.editions
    for loss in ("logistic", "huber", "squared")
    if not method.refusal(loss)
]


def data(loss, label, seed=0):
    """Records of which one is a row of zeros, with this label."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(-1.0, 1.0, (RECORDS, FEATURES))
    x /= 1.01 * np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ [1.0, -0.5, 0.2] + 0.2 * draw.standard_normal(RECORDS), -1.0, 1.0)
    y = y if loss == "squared" else np.where(y > 0.0, 1.0, -1.0)
    x[PLACE], y[PLACE] = 0.0, label
    return x, y


@pytest.mark.parametrize(("key", "edition", "loss"), CASES)
def test_no_label_of_a_row_of_zeros_moves_anything(key, edition, loss, adjacency):
    # Blank or of either class, so that its gradient is 0 at every step, and so are its sums.
    method = register()[key]
    problem = Problem(loss, 0.05, RECORDS, FEATURES, adjacency)
    settings = Settings(steps=6, batch=7)
    made = method.calibrate(problem, [1.0, 20.0], 1e-5, Edition(edition), settings)
    first, *others = (
        method.release(Training(problem, *data(loss, label), made, 3, 5))
        for label in (0.0, 1.0, -1.0)
    )
    assert np.isfinite(first).all()
    for other in others:
        assert np.array_equal(first, other)


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
def test_without_privacy_it_is_as_if_the_record_were_not_there(loss):
    # Beside a mean over n it dilutes: the same minimum has λ n/(n - 1) without it.
    x, y = data(loss, 0.0)
    kept = np.delete(np.arange(RECORDS), PLACE)
    result = newton.minimise(Problem(loss, 0.05, RECORDS, FEATURES), x, y)
    lam = 0.05 * RECORDS / (RECORDS - 1)
    alone = newton.minimise(Problem(loss, lam, RECORDS - 1, FEATURES), x[kept], y[kept])
    assert result == pytest.approx(alone, abs=1e-8)


def test_of_several_classes_it_has_none():
    problem = Problem("logistic", 0.05, 4, FEATURES, classes=3)
    labels = [part.labels.tolist() for part in one_vs_rest.parts(problem, np.array([0, 2, -1, 1]))]
    assert labels == [[1, -1, 0, -1], [-1, -1, 0, 1], [-1, 1, 0, -1]]


def test_only_a_row_of_zeros_may_go_without_a_label():
    problem = Problem("logistic", 0.05, RECORDS, FEATURES)
    x, y = data("logistic", 0.0)
    problem.check_data(x, y)
    x[PLACE, 0] = 0.1
    with pytest.raises(InvalidInput, match="or 0 of a blank record"):
        problem.check_data(x, y)
