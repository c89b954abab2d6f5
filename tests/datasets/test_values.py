"""Whole columns become what each value becomes by itself."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.datasets.values import is_number, numbers

# Signs, marks and letters of all that other readers take for numbers.
TEXTS = st.one_of(
    st.text("0123456789+-.,eE_ naifxy\u0661\u2212", max_size=7),
    st.floats(allow_nan=False, width=32).map(repr),
    st.integers(-(10**12), 10**12).map(str),
)


@pytest.mark.parametrize("decimal_comma", [False, True])
@given(texts=st.lists(st.none() | TEXTS, min_size=1, max_size=6))
def test_a_column_of_numbers_is_read_as_each_would_be(texts, decimal_comma) -> None:
    actual, wrong = numbers(pa.array(texts, pa.string()), decimal_comma)
    for text, value, is_wrong in zip(texts, actual, wrong, strict=True):
        if text is None:
            assert (math.isnan(value), is_wrong) == (True, False)
            continue
        plain = is_number(text, decimal_comma)
        expected = float(text.replace(",", ".")) if plain else math.nan
        assert is_wrong == (not abs(expected) <= 1e9)
        if not is_wrong:
            assert value == expected


def test_only_the_numbers_of_a_list_are_taken() -> None:
    result, wrong = numbers(pa.array(["1", "+2.0", "3", None]), codes=(1.0, 2.0))
    assert wrong.tolist() == [False, False, True, False]
    assert np.array_equal(result[:2], [1.0, 2.0])


@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_number_of_many_digits_takes_no_more_than_their_number(decimal_comma) -> None:
    # With two ways to divide the digits this took minutes.
    assert not is_number(300_000 * "9" + "x", decimal_comma)
