"""Each person's rows are chosen by themselves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dpcore.errors import InvalidInput
from dpcore.release.table.persons import persons

KEY = bytes(range(16))
NAMES = [f"p{row * row % 23}" for row in range(400)]


def test_without_one_person_every_other_keeps_the_same_rows():
    whole = persons(NAMES, 5, KEY)
    for gone in sorted(set(NAMES)):
        stay = [row for row, name in enumerate(NAMES) if name != gone]
        rest = persons([NAMES[row] for row in stay], 5, KEY)
        kept = [row for row in whole.index if NAMES[row] != gone]
        assert [stay[row] for row in rest.index] == kept


def test_at_most_k_rows_and_all_of_those_who_have_fewer():
    kept = persons(NAMES, 5, KEY)
    had, has = Counter(NAMES), Counter(NAMES[row] for row in kept.index)
    assert has == {name: min(5, rows) for name, rows in had.items()}
    assert kept.rows_kept + kept.dropped == len(NAMES)
    numbers = {NAMES[row]: who for row, who in zip(kept.index, kept.person, strict=True)}
    assert [numbers[NAMES[row]] for row in kept.index] == list(kept.person)
    assert len(set(numbers.values())) == len(had)


def test_over_keys_each_row_is_kept_equally_often():
    # 5 of 10: the count over 400 keys is binomial, standard deviation 10.
    counts = np.zeros(10)
    for seed in range(400):
        counts[persons(["a"] * 10, 5, seed.to_bytes(16, "big")).index] += 1
    assert np.abs(counts - 200).max() < 50


@pytest.mark.parametrize(("most", "key"), [(0, KEY), (10_001, KEY), (1, b"short")])
def test_a_bound_out_of_range_is_refused(most, key):
    with pytest.raises(InvalidInput):
        persons(NAMES, most, key)
