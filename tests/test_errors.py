"""One sentence for malformed input: the field, the value, what is allowed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import InvalidInput, number, one_of, reject, whole


@pytest.mark.parametrize(
    ("value", "limits", "sentence"),
    [
        ("a", {}, "ε is 'a', but it must be a finite number."),
        (None, {}, "ε is None, but it must be a finite number."),
        ([1.0, 2.0], {}, "ε is [1.0, 2.0], but it must be a finite number."),
        (1j, {}, "ε is 1j, but it must be a finite number."),
        (10**400, {}, f"ε is 1{'0' * 78}…, but it must be a finite number."),
        (math.nan, {}, "ε is nan, but it must be a finite number."),
        (-math.inf, {}, "ε is -inf, but it must be a finite number."),
        (0, {"above": 0.0}, "ε is 0, but it must be a finite number above 0."),
        (
            2,
            {"at_least": 0.0, "below": 2.0},
            "ε is 2, but it must be a finite number at least 0 and below 2.",
        ),
        (
            1.0000001,
            {"at_most": 1.0},
            "ε is 1.0000001, but it must be a finite number at most 1.",
        ),
        (np.float64(-1e-9), {"at_least": 0.0}, "ε is -1e-09, but it must be a finite number at le"),
    ],
)
def test_a_bad_number_is_named(value, limits, sentence) -> None:
    with pytest.raises(InvalidInput) as caught:
        number("ε", value, **limits)
    assert str(caught.value).startswith(sentence)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_good_number_comes_back_as_it_was(value) -> None:
    assert number("x", value) == value
    assert number("x", np.float64(value)) == value
    assert number("x", repr(value)) == value
    assert type(number("x", np.float64(value))) is float


@given(value=st.floats(-2.0, 2.0), limit=st.floats(-2.0, 2.0))
def test_limits_are_strict_where_they_say_so(value, limit) -> None:
    for name, holds in (
        ("above", value > limit),
        ("at_least", value >= limit),
        ("below", value < limit),
        ("at_most", value <= limit),
    ):
        if holds:
            assert number("x", value, **{name: limit}) == value
        else:
            with pytest.raises(InvalidInput):
                number("x", value, **{name: limit})


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (1.5, "runs is 1.5, but it must be a whole number of at least 1 and at most 1,000."),
        (0, "runs is 0, but it must be a whole number of at least 1 and at most 1,000."),
        (np.int64(0), "runs is 0, but it must be a whole number of at least 1"),
        (1_001, "runs is 1001, but it must be"),
        (math.nan, "runs is nan, but it must be"),
        (math.inf, "runs is inf, but it must be"),
        (None, "runs is None, but it must be"),
        ("1.5", "runs is '1.5', but it must be"),
        ([3], "runs is [3], but it must be"),
    ],
)
def test_a_bad_whole_number_is_named(value, sentence) -> None:
    with pytest.raises(InvalidInput) as caught:
        whole("runs", value, at_least=1, at_most=1_000)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("value", [7, 7.0, "7", np.int64(7), np.float32(7.0)])
def test_a_good_whole_number_comes_back_as_an_int(value) -> None:
    result = whole("runs", value, at_least=1)
    assert result == 7
    assert type(result) is int


def test_words() -> None:
    assert one_of("loss", "huber", ("logistic", "huber")) == "huber"
    for bad in ("Huber", "", None, 3, ["huber"]):
        with pytest.raises(InvalidInput, match="but it must be one of logistic, huber"):
            one_of("loss", bad, ("logistic", "huber"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("digits", " (did you mean optical_digits?)"),
        ("adlut", " (did you mean adult?)"),
        ("cancer", " (did you mean breast_cancer?)"),
        ("an", ""),
        ("0.6", ""),
        ("Breast-Cancer", " (did you mean breast_cancer?)"),
        ("kmeans", " (did you mean k-means?)"),
        ("iris", ""),
        ("", ""),
    ],
)
def test_words_that_are_written_alike_are_asked_for(typed: str, meant: str) -> None:
    words = ("breast_cancer", "optical_digits", "k-means", "adult", "0.5")
    with pytest.raises(InvalidInput) as caught:
        one_of("dataset", typed, words)
    allowed = "breast_cancer, optical_digits, k-means, adult, 0.5"
    assert str(caught.value) == f"dataset is '{typed}', but it must be one of {allowed}{meant}."


def test_it_is_a_value_error_with_one_sentence() -> None:
    error = reject("x", "<script>", "a number")
    assert isinstance(error, ValueError)
    assert str(error) == "x is '<script>', but it must be a number."


@pytest.mark.parametrize("value", [2**53 + 1, 2**63 - 1, np.int64(2**63 - 1)])
def test_a_large_whole_number_is_one(value) -> None:
    assert whole("seed", value, at_least=0, at_most=2**63 - 1) == int(value)
    with pytest.raises(InvalidInput, match="seed is"):
        whole("seed", int(value), at_least=0, at_most=int(value) - 1)
