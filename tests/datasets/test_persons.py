"""Each person's rows are chosen by that person's lots alone, and count as one row at most."""

import numpy as np
import pytest

from dpcore.datasets.persons import bounded, lots_for_exploration, lots_for_release

PERSON = np.unique([row * row % 23 for row in range(400)], return_inverse=True)[1]
LOTS = lots_for_exploration(len(PERSON))


def test_at_most_k_rows_and_all_of_those_who_have_fewer():
    kept = bounded(PERSON, 20, LOTS)
    whose = PERSON[kept.index]
    assert np.array_equal(np.bincount(whose), np.minimum(np.bincount(PERSON), 20))
    assert len(kept.index) + kept.dropped == len(PERSON)
    assert np.array_equal(whose[kept.first], np.arange(kept.count))
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


@pytest.mark.parametrize("rows", [1, 7, 50, 1_000])
def test_blocks_hold_whole_persons_and_each_once(rows):
    kept = bounded(PERSON, 20, LOTS)
    end, seen = 0, []
    for where, first in kept.blocks(rows):
        assert where.start == end
        end = where.stop
        assert end - where.start <= max(rows, 20)
        seen += (first + where.start).tolist()
    assert end == len(kept.index)
    assert seen == kept.first.tolist()
