"""Contributors' messages: how far a record moves the sums, and the law of their noise."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpcore.erm.sufficient_statistics import (
    Protocol,
    aggregate,
    noise,
    sensitivity,
)
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


def distance(x: np.ndarray, y: float, other: np.ndarray, of_other: float, weight: float) -> float:
    square = np.outer(x, x) - np.outer(other, other)
    linear = weight * (y * x - of_other * other)
    return float(math.hypot(np.linalg.norm(square), np.linalg.norm(linear)))


@pytest.mark.parametrize("adjacency", [ZERO, REPLACE])
@pytest.mark.parametrize("weight", [0.3, 0.91, 1.0, math.sqrt(2.0), 2.5])
def test_no_record_moves_the_sums_further_and_some_move_them_that_far(adjacency, weight) -> None:
    bound, generator = sensitivity(weight, adjacency), np.random.default_rng(0)
    largest = 0.0
    for _ in range(4_000):
        dimension = int(generator.integers(1, 5))
        pair = generator.standard_normal((2, dimension))
        pair /= np.linalg.norm(pair, axis=1, keepdims=True)
        pair *= generator.uniform(0.0, 1.0, (2, 1)) ** generator.choice([0.0, 0.3])
        y, of_other = generator.choice([-1.0, 1.0, 0.4], 2)
        other = 0.0 * pair[1] if adjacency is ZERO else pair[1]
        largest = max(largest, distance(pair[0], y, other, of_other, weight))
    assert largest <= bound
    if adjacency is REPLACE:
        turn = min(1.0, weight**2 / 2.0)
        one, two = np.array([1.0, 0.0]), np.array([turn, math.sqrt(1.0 - turn**2)])
        largest = distance(one, 1.0, two, -1.0, weight)
        assert largest <= bound
    assert largest >= 0.9999 * bound


def test_figures_of_section_1_2() -> None:
    assert sensitivity(1.0, ZERO) == pytest.approx(math.sqrt(2.0))
    assert sensitivity(1.0, REPLACE) == pytest.approx(3.0 / math.sqrt(2.0))
    assert sensitivity(0.91, REPLACE) == pytest.approx(2.0, abs=1e-3)
    for contributors, local in ((100, 14.4), (1_000, 71.3), (10_000, 473.0), (100_000, 3953.0)):
        result = Protocol(contributors, 1.0, 1e-5).local_epsilon
        assert result == pytest.approx(local, rel=5e-3)


@given(
    epsilon=st.floats(1e-3, 20.0),
    contributors=st.integers(2, 10**6),
    share=st.floats(0.0, 0.9),
    adjacency=st.sampled_from([ZERO, REPLACE]),
)
def test_those_who_stay_give_enough_noise(epsilon, contributors, share, adjacency) -> None:
    missing = int(share * (contributors - 1))
    protocol = Protocol(contributors, epsilon, 1e-6, adjacency, missing)
    given_together = protocol.share * math.sqrt(contributors - missing)
    moved = sensitivity(protocol.weight, adjacency)
    assert given_together >= protocol.sigma
    assert analytic_delta(epsilon, given_together, moved) <= 1e-6
    assert protocol.local_epsilon > epsilon


def test_the_sum_of_messages_is_the_central_mechanism() -> None:
    people, dimension, rounds = 20, 3, 1_500
    generator = np.random.default_rng(5)
    x = generator.standard_normal((people, dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = generator.choice([-1.0, 1.0], people)
    protocol = Protocol(people, 1.0, 1e-5)
    square, linear = [], []
    for _ in range(rounds):
        total = aggregate(
            protocol.randomise(one, label, generator) for one, label in zip(x, y, strict=True)
        )
        assert np.array_equal(total.square, total.square.T)
        square.append(total.square - x.T @ x)
        linear.append(total.linear - x.T @ y)
    deviations, blur = np.array(square), np.array(linear)
    diagonal = deviations[:, range(dimension), range(dimension)].ravel()
    above = deviations[:, *np.triu_indices(dimension, 1)].ravel()
    for seen, sigma in (
        (diagonal, protocol.sigma),
        (above, protocol.sigma / math.sqrt(2.0)),
        (blur.ravel(), protocol.sigma / protocol.weight),
    ):
        assert stats.kstest(seen, stats.norm(scale=sigma).cdf).pvalue > 1e-3
        assert stats.kstest(seen, stats.norm(scale=2.0 / 3.0 * sigma).cdf).pvalue < 1e-9

    # Mean and covariance of all nine numbers together, in the units of their noise.
    corner = math.sqrt(2.0) * deviations[:, *np.triu_indices(dimension, 1)]
    numbers = np.hstack(
        [
            deviations[:, range(dimension), range(dimension)],
            corner,
            protocol.weight * blur,
        ]
    )
    numbers /= protocol.sigma
    sure = 5.0 / math.sqrt(rounds)
    assert np.abs(numbers.mean(axis=0)).max() < sure
    covariance = np.cov(numbers.T)
    assert np.abs(covariance - np.eye(9)).max() < math.sqrt(2.0) * sure
    assert np.abs(4.0 / 9.0 * covariance - np.eye(9)).max() > 2.0 * sure


def test_noise_is_the_same_in_every_direction() -> None:
    # Frobenius' norm of the symmetric part is then that of a standard Gaussian of d(d+1)/2.
    generator = np.random.default_rng(2)
    norms = [float(np.sum(noise(generator, 4)[0] ** 2)) for _ in range(2_000)]
    assert stats.kstest(norms, stats.chi2(10).cdf).pvalue > 1e-3
    assert stats.kstest(norms, stats.chi2(16).cdf).pvalue < 1e-9


def test_the_example_in_the_documentation_runs() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "input_perturbation.md"
    _, code, rest = page.read_text(encoding="utf-8").split("```")
    result: dict[str, Any] = {}
    exec(code.removeprefix("python"), result)
    assert result["accuracy"] > 0.7
    protocol = result["protocol"]
    assert protocol.epsilon < protocol.shuffled_epsilon <= protocol.local_epsilon
    for name in ("epsilon", "shuffled_epsilon", "local_epsilon"):
        assert f"`protocol.{name}`" in rest


def test_records_outside_their_bounds_are_refused() -> None:
    protocol, generator = Protocol(10, 1.0, 1e-5), np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="‖x‖₂ is 2"):
        protocol.randomise(np.array([2.0]), 1.0, generator)
    with pytest.raises(InvalidInput, match="y is 3"):
        protocol.randomise(np.array([0.2]), 3.0, generator)
    with pytest.raises(InvalidInput, match="adjacency is add-remove"):
        Protocol(10, 1.0, 1e-5, Adjacency.ADD_REMOVE)
    with pytest.raises(InvalidInput, match="missing is 10"):
        Protocol(10, 1.0, 1e-5, missing=10)
    with pytest.raises(InvalidInput, match="messages is empty"):
        aggregate([])
