"""How far neighbours drift apart under descent: never beyond the exact Δ, and all the way to it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm import sensitivity
from dpcore.erm.output_perturbation import descend, learning_rate
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition

ROUNDING = 1.0 + 1e-9
BOTH = (Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT)
STEPS = (1, 3, 40, 2_000)


def longest_step(problem):
    return 2.0 / (problem.smoothness + problem.strong_convexity)


def distance(problem, signed_one, signed_other, rest, rate, steps, start=None):
    """‖w_T(D) - w_T(D')‖ for data sets that differ in their first (signed) row."""
    ends = []
    for first in (signed_one, signed_other):
        rows = np.vstack([first, rest])
        labels = np.ones(len(rows))
        ends.append(descend(problem, rows, labels, rate, [steps], start=start)[steps])
    return float(np.linalg.norm(ends[0] - ends[1]))


def assert_reached(problem, record, other, rate, steps, start=None):
    """The exact Δ is not exceeded, and reached within 1 %, beside 99 records of zeros."""
    other = other if problem.adjacency is Adjacency.REPLACE_ONE else 0.0 * record
    reached = distance(problem, record, other, np.zeros((99, 2)), rate, steps, start)
    exact = sensitivity.exact(problem, rate, steps)
    assert 0.99 * exact <= reached <= exact * ROUNDING


def problem_for(loss, lam, adjacency, records=100, dimension=2, radius=1e5):
    return Problem(loss, lam, records, dimension, adjacency, 0.5, radius if lam == 0.0 else None)


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("lam", [0.1, 0.03])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
@pytest.mark.parametrize("steps", STEPS)
def test_huber_from_zero_reaches_the_exact_sensitivity(adjacency, lam, share, steps):
    # ‖w‖ ≤ 1/(nμ) < 1 - h keeps the one record on the straight part of the loss.
    problem = problem_for("huber", lam, adjacency)
    record = np.array([1.0, 0.0])
    assert_reached(problem, record, -record, share * longest_step(problem), steps)


@pytest.mark.parametrize(("share", "steps"), [(1.0, 1), (1.0, 20), (0.1, 20), (0.01, 2_000)])
def test_projected_huber_reaches_the_exact_convex_sensitivity(adjacency, share, steps):
    problem = problem_for("huber", 0.0, adjacency, radius=0.5)
    rate = share * longest_step(problem)
    assert rate * steps / problem.records < 0.5  # straight part, inside the ball
    record = np.array([0.0, 1.0])
    assert_reached(problem, record, -record, rate, steps)


@pytest.mark.parametrize("lam", [0.1, 0.0])
@pytest.mark.parametrize("share", [1.0, 0.1])
@pytest.mark.parametrize("steps", [1, 3, 40])
def test_logistic_from_a_far_start_reaches_the_exact_sensitivity(adjacency, lam, share, steps):
    # Both versions of the record have slope -1 at w₀ = -far·e₁ and nearly opposite directions.
    problem = problem_for("logistic", lam, adjacency, radius=1e6)
    rate = share * longest_step(problem)
    kept = (1.0 - rate * lam) ** steps
    start = np.array([-1e4 / kept if lam else -1e4, 0.0])
    side = math.sqrt(1.0 - 0.05**2)
    record, other = np.array([[0.05, side], [0.05, -side]])
    assert_reached(problem, record, other, rate, steps, start)


@st.composite
def neighbours(draw):
    """A problem, a step within the condition, T, and two data sets that differ in one record."""
    records = draw(st.integers(2, 8))
    dimension = draw(st.integers(1, 4))
    adjacency = draw(st.sampled_from(BOTH))
    lam = draw(st.sampled_from([0.0, 1e-3, 0.05, 1.0]))
    radius = draw(st.sampled_from([0.3, 2.0, 50.0])) if lam == 0.0 else None
    loss = draw(st.sampled_from(["logistic", "huber"]))
    width = draw(st.sampled_from([0.05, 0.5, 2.0]))
    problem = Problem(loss, lam, records, dimension, adjacency, width, radius)
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = generator.normal(size=(records + 1, dimension))
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows *= np.where(generator.random((records + 1, 1)) < 0.7, 1.0, generator.random()) / norms
    if adjacency is Adjacency.ZERO_OUT:
        rows[0] = 0.0
    start = generator.normal(size=dimension) * draw(st.sampled_from([0.0, 1.0, 30.0]))
    rate = longest_step(problem) * draw(st.floats(0.01, 1.0))
    return problem, rate, draw(st.integers(1, 60)), rows, start


@given(neighbours())
def test_random_neighbours_never_exceed_it(case):
    problem, rate, steps, rows, start = case
    reached = distance(problem, rows[0], rows[1], rows[2:], rate, steps, start)
    assert reached <= sensitivity.exact(problem, rate, steps) * ROUNDING + 1e-13


def test_a_step_beyond_the_condition_can_exceed_it():
    # Opposite records on the curved part of a wide loss: |1 - ηβ| > 1 spreads the two runs apart.
    problem = Problem("huber", 0.01, 1_001, 2, huber_width=2.0)
    record = np.array([1.0, 0.0])
    rest = np.vstack([np.tile(record, (500, 1)), np.tile(-record, (500, 1))])

    def ratio(share):
        rate = share * longest_step(problem)
        reached = distance(problem, record, -record, rest, rate, 8)
        return reached / sensitivity.exact(problem, rate, 8)

    assert ratio(1.0) <= ROUNDING
    assert ratio(1.4) > 1.5


@given(
    loss=st.sampled_from(["logistic", "huber"]),
    lam=st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 10.0, 1e3]),
    records=st.integers(2, 10**7),
    steps=st.integers(1, 10**6),
    adjacency=st.sampled_from(BOTH),
    width=st.floats(1e-3, 10.0),
)
def test_the_printed_bound_is_never_below_the_exact_one(
    loss, lam, records, steps, adjacency, width
):
    problem = Problem(loss, lam, records, 3, adjacency, width, 1.0)
    rate = learning_rate(problem, Edition.PUBLISHED)
    printed = sensitivity.published(problem, rate, steps)
    assert printed >= sensitivity.exact(problem, rate, steps)
    assert sensitivity.exact(problem, rate, steps) > 0.0


def test_tiny_shrinkage_keeps_its_digits():
    # (1 - ημ)^T would round to 1 here: the answer is cηT/n to first order.
    problem = Problem("logistic", 1e-9, 100, 3)
    assert sensitivity.exact(problem, 1e-8, 3) == pytest.approx(2.0 * 1e-8 * 3 / 100, rel=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.1])
@pytest.mark.parametrize("printed", [True, False])
def test_the_step_condition_is_checked(lam, printed):
    problem = problem_for("logistic", lam, Adjacency.REPLACE_ONE)
    top = (1.0 if printed else 2.0) / (0.25 + 2.0 * lam)
    assert sensitivity.step_condition(problem, top, printed=printed).met
    beyond = sensitivity.step_condition(problem, top * (1.0 + 1e-9), printed=printed)
    assert not beyond.met
    assert "longer" in beyond.consequence


@pytest.mark.parametrize("lam", [0.0, 1e-9, 1e-3, 0.3, 7.0])
@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_the_rule_for_the_step_meets_its_own_condition(edition, lam, loss):
    problem = problem_for(loss, lam, Adjacency.REPLACE_ONE)
    rate = learning_rate(problem, edition)
    printed = edition is Edition.PUBLISHED
    assert sensitivity.step_condition(problem, rate, printed=printed).met
