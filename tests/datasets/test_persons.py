"""Each person's rows are chosen by that person's lots alone, and count as one row at most."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets.persons import bounded, lots_for_exploration, lots_for_release
from dpcore.errors import InvalidInput

PERSON = np.unique([row * row % 23 for row in range(400)], return_inverse=True)[1]
LOTS = lots_for_exploration(len(PERSON))


def test_at_most_k_rows_and_all_of_those_who_have_fewer():
    kept = bounded(PERSON, 20, LOTS)
    whose = PERSON[kept.index]
    assert np.array_equal(np.bincount(whose), np.minimum(np.bincount(PERSON), 20))
    assert len(kept.index) + kept.dropped == len(PERSON)
    assert np.array_equal(whose[kept.first], np.arange(kept.count))
    assert np.allclose(np.bincount(whose, kept.share), 1.0)
    for one in np.split(kept.index, kept.first[1:]):
        assert (np.diff(one) > 0).all()


def test_whatever_one_persons_rows_are_all_others_keep_theirs():
    whole = bounded(PERSON, 5, LOTS)
    for gone in range(PERSON.max() + 1):
        # Nine rows in place of that person's, elsewhere in the table, with lots of their own.
        stay = np.flatnonzero(gone != PERSON)
        person = np.concatenate([np.full(9, gone), PERSON[stay]])
        lots = np.concatenate([lots_for_release(9), LOTS[stay]])
        other = bounded(person, 5, lots).index
        kept = set(whole.index[PERSON[whole.index] != gone])
        assert {stay[row - 9] for row in other if row >= 9} == kept


def test_each_row_is_kept_equally_often():
    # 5 of 10: the count over 400 draws is binomial, standard deviation 10.
    counts = np.zeros(10)
    for _ in range(400):
        counts[bounded(np.zeros(10, dtype=np.int64), 5, lots_for_release(10)).index] += 1
    assert np.abs(counts - 200).max() < 60


@pytest.mark.parametrize("most", [1, 3, 50])
def test_the_sensitivity_of_a_sum_is_attained_and_that_of_one_row(most: int):
    kept = bounded(PERSON, most, LOTS)
    draw = np.random.default_rng(1)
    size = 1 << 20
    rows = draw.normal(size=(3, len(kept.index)))
    rows /= np.linalg.norm(rows, axis=0)
    equal = np.tile([[1.0], [0.0], [0.0]], len(kept.index))
    attained = 0.0
    for vectors in (rows, equal):
        added = np.rint(vectors * kept.share * size).astype(np.int64)
        whole = added.sum(axis=1)
        for one in range(kept.count):
            without = added[:, PERSON[kept.index] != one].sum(axis=1)
            attained = max(attained, float(np.linalg.norm(whole - without)) / size)
    rounding = most * np.sqrt(3) / 2 / size
    assert 1.0 - rounding <= attained <= 1.0 + rounding
    # At full weight the same person would move the sum by as many rows.
    moved = (equal * size)[:, PERSON[kept.index] == 0].sum(axis=1)
    assert np.linalg.norm(moved) / size == min(most, np.bincount(PERSON)[0])


def test_a_sum_beyond_its_bound_counts_nothing():
    kept = bounded(np.array([0, 1, 0, 1]), 2, lots_for_exploration(4))
    rows = np.array([[3, 3, 1, 1], [4, 0, 0, 1]])
    assert kept.sums(rows, 5).tolist() == [[0, 2], [0, 1]]
    assert kept.sums(rows, 8).tolist() == [[6, 2], [4, 1]]


@pytest.mark.parametrize("most", [0, 10_001])
def test_a_bound_out_of_range_is_refused(most: int):
    with pytest.raises(InvalidInput):
        bounded(PERSON, most, LOTS)
