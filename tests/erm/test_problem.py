"""The public description of a task: constants, refusals, and the data it fits."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import frontier
from dpcore.datasets import load
from dpcore.erm.losses import loss_named
from dpcore.erm.newton import minimise
from dpcore.erm.problem import ACCURATE_HUBER_WIDTH, ACCURATE_LOSS, Problem, default_lam
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency


def test_the_constants_of_the_two_losses():
    logistic = Problem("logistic", 1e-3, 100, 5)
    assert (logistic.lipschitz, logistic.smoothness, logistic.strong_convexity) == (1, 0.251, 1e-3)
    huber = Problem("huber", 0.1, 100, 5, huber_width=0.25)
    assert huber.smoothness == pytest.approx(2.1)
    assert 2.0 < logistic.gradient_change < 2.0 + 1e-11
    assert Problem("logistic", 1e-3, 100, 5, Adjacency.ZERO_OUT).gradient_change == pytest.approx(
        1.0, rel=1e-11
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"loss": "hinge"}, "loss is 'hinge', but it must be one of logistic, huber, squared"),
        ({"lam": -1e-3}, "λ is -0.001, but"),
        ({"lam": 1e4}, "λ is 10000, but"),
        ({"lam": "much"}, "λ is 'much', but"),
        ({"lam": 1e-12}, "λ is 1e-12, but it must be 0, or at least 10⁻⁹"),
        ({"lam": 0.0}, "radius R is None, but"),
        ({"radius": 0.0}, "radius R is 0, but"),
        ({"records": 1}, "number of records is 1, but"),
        ({"dimension": 0}, "number of features is 0, but"),
        ({"classes": 1}, "classes is 1, but it must be"),
        ({"adjacency": Adjacency.ADD_REMOVE}, "adjacency is 'add-remove', but"),
        ({"loss": "huber", "huber_width": 0.0}, "Huber width h is 0, but"),
    ],
)
def test_what_is_refused_is_named_in_one_sentence(change, sentence):
    given = {"loss": "logistic", "lam": 0.1, "records": 100, "dimension": 5, **change}
    with pytest.raises(InvalidInput) as caught:
        Problem(**given)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).count(". ") == 0


def test_squared_loss_is_as_lipschitz_as_the_others_and_takes_numbers():
    squared = Problem("squared", 0.01, 3, 2)
    assert (squared.lipschitz, squared.smoothness) == (1.0, 1.01)
    assert 2.0 < squared.gradient_change < 2.0 + 1e-13
    features = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.0]])
    squared.check_data(features, np.array([-1.0, 0.3, 1.0]))
    with pytest.raises(InvalidInput, match="y holds values outside -1 to 1"):
        squared.check_data(features, np.array([-1.0, 0.3, 1.01]))
    with pytest.raises(InvalidInput, match="labels hold other values"):
        Problem("logistic", 0.01, 3, 2).check_data(features, np.array([-1.0, 0.3, 1.0]))


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0, 30.0])
def test_the_minimiser_lies_within_the_public_radius(data, loss, lam):
    features, _ = data(60, 4)
    features[:] = features[0] / np.linalg.norm(features[0])  # all agree: the longest minimiser
    problem = Problem(loss, lam, 60, 4)
    length = float(np.linalg.norm(minimise(problem, features, np.ones(60))))
    assert length <= problem.solution_radius
    assert Problem("logistic", 0.0, 60, 4, radius=3.0).solution_radius == 3.0


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda x, y: (x[:-1], y[:-1]), r"shape of the data is \(39, 3\), but"),
        (lambda x, y: (x[:, :2], y), r"shape of the data is \(40, 2\), but"),
        (lambda x, y: (x, y[:-1]), "shape of the data is"),
        (lambda x, y: (x * 3.0, y), "largest ‖x‖₂ is .*, but it must be at most 1"),
        (lambda x, y: (x * math.nan, y), "largest ‖x‖₂ is nan"),
        (lambda x, y: (x, (y + 1.0) / 2.0), "labels hold other values"),
    ],
)
def test_data_that_would_break_the_sensitivity_are_refused(data, spoil, sentence):
    problem = Problem("logistic", 0.1, 40, 3)
    problem.check_data(*data(40, 3))
    with pytest.raises(InvalidInput, match=sentence):
        problem.check_data(*spoil(*data(40, 3)))


def test_the_rule_for_lambda_sees_sizes_only():
    assert default_lam(455, 30) == 0.01
    assert default_lam(10**6, 10) == 5e-5
    assert default_lam(455, 30) > default_lam(4_550, 30)
    with pytest.raises(InvalidInput):
        default_lam(100, 0)


def test_it_starts_steeper_than_the_logistic_loss_and_bends_no_more():
    wide = loss_named(ACCURATE_LOSS, ACCURATE_HUBER_WIDTH)
    logistic = loss_named("logistic")
    assert wide.slope(np.zeros(1))[0] == -0.75
    assert logistic.slope(np.zeros(1))[0] == -0.5
    assert wide.curvature == logistic.curvature == 0.25


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize(
    ("dataset", "splits", "epsilons"), [("heart", 100, (0.3, 1.0, 3.0)), ("adult", 1, (0.01, 0.03))]
)
def test_targets_are_reached_on_real_data(dataset, splits, epsilons, data_folder):
    full = frontier.GOALS[dataset]
    goal = replace(
        full, splits=splits, runs=4, targets={each: full.targets[each] for each in epsilons}
    )
    measured = frontier.measure(goal, ("dpgd",), load(dataset))
    reached = measured.private["zero-out", "dpgd"].mean(axis=0)
    assert (reached >= list(goal.targets.values())).all()
    said = frontier.report(goal, measured)
    assert "MISSED" not in said
    assert "dpgd, replace-one" in said
