"""Numbers as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.datasets.own.typed_numbers import meant, readings, written
from dpcore.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.2", 0.2),
        ("1.003", 1.003),
        ("0.250", 0.25),
        ("1.0050", 1.005),
        ("1.234.567,5", 1_234_567.5),
        ("12,5", 12.5),
        ("0,250", 0.25),
        ("1000,250", 1000.25),
        ("1.000,5", 1000.5),
        ("1,000.5", 1000.5),
        ("1,000,000", 1e6),
        (" - 0,5 ", -0.5),
        ("−5", -5.0),
        ("1e3", 1000.0),
    ],
)
def test_a_bound_is_read_with_either_decimal_mark(text, number):
    assert readings(text) == (number,)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10,000", (10.0, 10_000.0)),
        ("-1,234", (-1.234, -1234.0)),
        ("1.000", (1.0, 1000.0)),
    ],
)
def test_a_mark_that_may_part_thousands_leaves_two_readings(text, numbers):
    assert readings(text) == numbers


@pytest.mark.parametrize(
    "text", ["", "-", "ten", "1,2,3", "1.2.3", "1,0000.5", "12 mg", "1e999", "nan", "inf", "٣", "½"]
)
def test_what_is_no_number_has_no_reading(text):
    assert readings(text) == ()


def test_a_text_longer_than_any_number_is_not_read():
    assert readings("0." + "1" * 38) == (float("0." + "1" * 38),)
    assert readings("0." + "1" * 39) == readings("1" + ",000" * 10) == ()


def test_beside_decimal_commas_any_point_may_part_thousands():
    assert readings("1.005", decimal_comma=True) == (1.005, 1005.0)
    assert readings("1.5", decimal_comma=True) == (1.5,)
    assert readings("1.0050", decimal_comma=True) == (1.005,)


@given(st.floats(-1e9, 1e9))
def test_what_a_description_has_is_read_as_the_same(bound):
    assert readings(written(bound)) == (bound,)
    if "e" not in written(bound):
        assert bound in readings(written(bound).replace(".", ","))


def test_a_fields_text_is_a_number_or_left_for_a_check_to_refuse():
    assert [meant("ε", text) for text in ("2,5", " 3 ", "much", "")] == [2.5, 3.0, "much", ""]
    with pytest.raises(InvalidInput, match=r"^ε is '2,500', which could be 2.5 or 2500: write one"):
        meant("ε", "2,500")
