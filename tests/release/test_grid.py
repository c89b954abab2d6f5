"""What one record adds: bounded exactly, whole, and by its own record alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.datasets.own.description import read_own
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.release import grid
from dpcore.release.mechanism import Mechanism, Path, descend, mechanism_for
from dpcore.release.model import preparation_for
from dpcore.release.scorer import LOSSES, Linear, linear_gradients, scorer, slope_of

COLUMNS = (
    "age: 18 to 90 years\nsex: one of f, m; unknown: NA\nbmi: 10 to 60\npredict ill: one of no, yes"
)


def records(count, seed=0):
    """Prepared rows (d, n), and labels."""
    draw = np.random.default_rng(seed)
    lines = [
        f"{draw.uniform(10, 99):.3f},{draw.choice(['f', 'm', 'NA'])},{draw.uniform(9, 61):.3f},"
        f"{draw.choice(['no', 'yes'])}"
        for _ in range(count)
    ]
    table = read_own(COLUMNS, ("age,sex,bmi,ill\n" + "\n".join(lines)).encode(), "t.csv")
    rows = grid.rows(table.entry, table.frame, preparation_for("additive"))
    return rows, table.label.astype(float)


def steep(signed, weights):
    """Gradients of the steepest slope."""
    return linear_gradients(signed, weights, lambda margins: np.full_like(margins, -1.0))


@pytest.mark.parametrize("hidden", [0, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_record_adds_the_same_whatever_stands_beside_it(loss, hidden):
    rows, labels = records(301)
    labels[::9] = 0.0
    signed, kind = rows * labels, scorer(loss, len(rows), hidden)
    weights = np.random.default_rng(1).normal(size=kind.parameters) * 3.0
    exact, scores = kind.gradients(signed, weights), kind.scores(signed, weights)
    order = np.random.default_rng(2).permutation(301)
    np.testing.assert_array_equal(kind.gradients(signed[:, order], weights), exact[:, order])
    together = grid.contributions(signed, weights, kind.gradients)
    for first, last in ((0, 1), (7, 8), (3, 12), (100, 301)):
        some = np.ascontiguousarray(signed[:, first:last])
        # Rounding to the grid would hide most differences of a last bit.
        np.testing.assert_array_equal(kind.gradients(some, weights), exact[:, first:last])
        np.testing.assert_array_equal(kind.scores(some, weights), scores[first:last])
        alone = grid.contributions(some, weights, kind.gradients)
        np.testing.assert_array_equal(alone, together[:, first:last])
    for block in (1, 5, 16, 10_000):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(grid, "ROWS", block)
            result = grid.total(signed, weights, kind.gradients)
        np.testing.assert_array_equal(result, together.sum(axis=1))


def test_rows_are_prepared_by_their_own_record_alone():
    draw = np.random.default_rng(3)
    lines = [f"{draw.uniform(10, 99)!r},f,{draw.uniform(9, 61)!r},no" for _ in range(65)]

    def rows(chosen):
        table = read_own(COLUMNS, ("age,sex,bmi,ill\n" + "\n".join(chosen)).encode(), "t.csv")
        return grid.rows(table.entry, table.frame, preparation_for("additive"))

    together = rows(lines)
    for place in (0, 13, 64):
        np.testing.assert_array_equal(rows([lines[place]])[:, 0], together[:, place])


def test_no_record_is_longer_than_the_bound_and_blank_ones_add_nothing():
    rows, labels = records(200)
    labels[::5] = 0.0
    for weights in (np.zeros(len(rows)), np.full(len(rows), 40.0), np.full(len(rows), np.nan)):
        for loss in LOSSES:
            units = grid.contributions(rows * labels, weights, Linear(loss, len(rows)).gradients)
            lengths = np.sqrt((units.astype(object) ** 2).sum(axis=0).astype(float))
            assert lengths.max() <= grid.bound(len(rows))
            assert not units[:, ::5].any()
    # Without the check, a row that is too long would pass.
    long = np.ones((4, 1))
    assert not grid.contributions(long, np.zeros(4), steep).any()
    assert grid.contributions(long / 2, np.zeros(4), steep).any()
    # The square of 2⁶⁰ is 0 in 64 bits.
    for huge in (2.0**40, 2.0**900, np.inf, np.nan):
        row = np.full((4, 1), huge)
        assert not grid.contributions(row, np.zeros(4), steep).any()


@pytest.mark.parametrize("dimension", [1, 2, 5, 120])
def test_the_bound_covers_the_wishs_and_the_worst_rounding(dimension):
    assert grid.bound(dimension) >= grid.UNITS + math.sqrt(dimension)
    draw = np.random.default_rng(4)
    worst = 0.0
    for _ in range(50):
        row = draw.normal(size=(dimension, 1))
        row /= np.linalg.norm(row)
        units = grid.contributions(row, np.zeros(dimension), steep)
        worst = max(worst, float(np.linalg.norm(units.astype(float))))
    assert grid.UNITS - math.sqrt(dimension) <= worst <= grid.bound(dimension)


def test_slopes_are_those_of_the_losses():
    margins = np.linspace(-45.0, 45.0, 4001)
    inner = np.clip(margins, -40.0, 40.0)
    np.testing.assert_allclose(
        slope_of("logistic")(margins), -1.0 / (1.0 + np.exp(inner)), rtol=1e-13
    )
    from dpcore.erm.losses import loss_named

    np.testing.assert_allclose(
        slope_of("huber")(margins), loss_named("huber", 0.5).slope(margins), atol=1e-15
    )


def test_sums_move_by_the_sensitivity_at_most_and_noise_is_added_as_said():
    """Neighbours under both adjacencies, with the noise replaced by none."""
    for adjacency, other, least in (("zero-out", 0.0, 0.99), ("replace-one", -1.0, 1.98)):
        mechanism = Mechanism(adjacency, 1, grid.UNITS, 1000, 1)
        slope = Linear("huber", 1).gradients
        first = grid.total(np.array([[1.0, 0.3]]), np.zeros(1), slope)
        second = grid.total(np.array([[other, 0.3]]), np.zeros(1), slope)
        moved = abs(int(first[0] - second[0]))
        assert least * grid.UNITS <= moved <= mechanism.sensitivity
    asked: list[tuple[int, int]] = []

    def draw(sigma, count):
        asked.append((sigma, count))
        return [2**70] * count  # beyond 64 bits

    path = Path(Linear("huber", 1), 0.0, 0.1, 2)
    weights = descend(np.array([[1.0, 0.0]]), Mechanism("zero-out", 1, 2**20, 7, 3), path, draw)
    assert asked == [(7, 1)] * 3
    assert np.isfinite(weights).all()


HEADER = "age,sex,bmi,ill"
ANYONE = ["90,m,60,yes", "18,f,10,no", "-1e9,NA,1e9,yes", "1e9,m,-1e9,no", "54,f,35,yes"]


@pytest.mark.parametrize(("loss", "hidden"), [("logistic", 0), ("huber", 0), ("logistic", 3)])
@pytest.mark.parametrize("features", ["plain", "additive"])
def test_files_that_differ_in_one_record_move_no_sum_by_more_than_is_proved(features, loss, hidden):
    """From the file to the sum, at weights that are hard on the neighbours."""

    def signed(lines):
        table = read_own(COLUMNS, "\n".join([HEADER, *lines]).encode(), "t.csv")
        rows = grid.rows(table.entry, table.frame, preparation_for(features))
        return rows * table.label.astype(float)

    draw, farthest = np.random.default_rng(6), {",,,": 0, "other": 0}
    rest = [f"{draw.uniform(10, 99):.2f},f,{draw.uniform(9, 61):.2f},yes" for _ in range(20)]
    first = {line: signed([*rest, line]) for line in [",,,", *ANYONE]}
    kind = scorer(loss, len(first[",,,"]), hidden)
    for _ in range(30):
        weights = draw.normal(size=kind.parameters) * 10.0 ** draw.uniform(-2, 6)
        sums = {
            line: grid.total(each, weights, kind.gradients).tolist() for line, each in first.items()
        }
        for line in ANYONE:
            for other in sums:
                moved = sum((a - b) ** 2 for a, b in zip(sums[line], sums[other], strict=True))
                whose = other if other == ",,," else "other"
                farthest[whose] = max(farthest[whose], moved)
    for whose, adjacency in ((",,,", "zero-out"), ("other", "replace-one")):
        most = Mechanism(adjacency, kind.parameters, grid.UNITS, 1, 1).sensitivity
        assert 0.7 * most < math.sqrt(farthest[whose])
        assert farthest[whose] <= most**2


@pytest.mark.parametrize("adjacency", [Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
def test_the_noise_keeps_the_budget_and_hardly_more(adjacency, epsilon):
    made = mechanism_for(PrivacyBudget(epsilon, 1e-6), 40, 37, adjacency)
    assert 0.9999 * epsilon < made.epsilon(1e-6) <= epsilon
    less = Mechanism(str(adjacency), 40, made.units, made.sigma * 999 // 1000, 37)
    assert less.epsilon(1e-6) > epsilon
    assert made.mu >= math.sqrt(37) * made.sensitivity / made.sigma
