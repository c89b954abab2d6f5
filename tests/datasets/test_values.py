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


def test_beside_a_decimal_comma_points_part_thousands_only():
    texts = ["9.040", "-1.234.567,5", "1.234,", "0.123", "12.34", "1234.567", "1.234e3", "1,234.5"]
    result, wrong = numbers(pa.array(texts), ",", ".")
    assert wrong.tolist() == [False] * 3 + [True] * 5
    assert result[:3].tolist() == [9040.0, -1_234_567.5, 1234.0]
    assert [is_number(text, decimal_comma=True) for text in texts] == (~wrong).tolist()


@pytest.mark.parametrize("decimal_comma", [False, True])
def test_a_number_of_many_digits_takes_no_more_than_their_number(decimal_comma):
    # With two ways to divide the digits this took minutes.
    assert not is_number(300_000 * "9" + "x", decimal_comma)
