"""Whole columns become what each value becomes by itself."""

import math

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
def test_a_column_of_numbers_is_read_as_each_would_be(texts, decimal_comma):
    written = (",", ".") if decimal_comma else (".", "")
    actual, wrong = numbers(pa.array(texts, pa.string()), *written)
    for text, value, is_wrong in zip(texts, actual, wrong, strict=True):
        if text is None:
            assert (math.isnan(value), is_wrong) == (True, False)
            continue
        plain = is_number(text, decimal_comma)
        bare = text.replace(".", "").replace(",", ".") if decimal_comma else text
        expected = float(bare) if plain else math.nan
        assert is_wrong == (not abs(expected) <= 1e9)
        if not is_wrong:
            assert value == expected


@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_number_of_many_digits_takes_no_more_than_their_number(decimal_comma):
    # With two ways to divide the digits this took minutes.
    assert not is_number(300_000 * "9" + "x", decimal_comma)
