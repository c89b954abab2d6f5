"""One sentence for malformed input: the field, the value, what is allowed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import InvalidInput, number, one_of, whole


@pytest.mark.parametrize(
    ("value", "limits", "shown", "allowed"),
    [
        ("a", {}, "'a'", "."),
        (None, {}, "None", "."),
        (10**400, {}, f"1{'0' * 78}…", "."),
        (math.nan, {}, "nan", "."),
        (-math.inf, {}, "-inf", "."),
        (0, {"above": 0.0}, "0", " above 0."),
        (2, {"at_least": 0.0, "below": 2.0}, "2", " at least 0 and below 2."),
        (1.0000001, {"at_most": 1.0}, "1.0000001", " at most 1."),
        (np.float64(-1e-9), {"at_least": 0.0}, "-1e-9", " at least 0."),
    ],
)
def test_a_bad_number_is_named(value, limits, shown, allowed):
    with pytest.raises(InvalidInput) as caught:
        number("ε", value, **limits)
    assert str(caught.value) == f"ε is {shown}, but it must be a finite number{allowed}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_good_number_comes_back_as_it_was(value):
    assert number("x", value) == value
    assert number("x", np.float64(value)) == value
    assert number("x", repr(value)) == value
    assert type(number("x", np.float64(value))) is float


@given(value=st.floats(-2.0, 2.0), limit=st.floats(-2.0, 2.0))
def test_limits_are_strict_where_they_say_so(value, limit):
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


@pytest.mark.parametrize("value", [1.5, 0, np.int64(0), 1_001, math.nan, None, "1.5", [3]])
def test_a_bad_whole_number_is_refused(value):
    with pytest.raises(InvalidInput, match=r"^runs is .* of at least 1 and at most 1 000"):
        whole("runs", value, at_least=1, at_most=1_000)
    for good in (7, 7.0, "7", np.float32(7.0)):
        assert type(whole("runs", good, at_least=1)) is int


def test_words():
    assert one_of("loss", "huber", ("logistic", "huber")) == "huber"
    for bad in ("Huber", "", None, 3, ["huber"]):
        with pytest.raises(InvalidInput, match="but it must be one of logistic, huber"):
            one_of("loss", bad, ("logistic", "huber"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(("digits", "optical_digits"), ("adlut", "adult"), ("cancer", "breast_cancer")),
        *(("Breast-Cancer", "breast_cancer"), ("kmeans", "k-means")),
        *(("an", ""), ("0.6", ""), ("iris", ""), ("", "")),
    ],
)
def test_words_that_are_written_alike_are_asked_for(typed, meant):
    words = ("breast_cancer", "optical_digits", "k-means", "adult", "0.5")
    with pytest.raises(InvalidInput) as caught:
        one_of("dataset", typed, words)
    assert str(caught.value).endswith(f" (did you mean {meant}?)." if meant else "0.5.")


@pytest.mark.parametrize("value", [2**53 + 1, 2**63 - 1, np.int64(2**63 - 1)])
def test_a_large_whole_number_is_one(value):
    assert whole("seed", value, at_least=0, at_most=2**63 - 1) == int(value)
    with pytest.raises(InvalidInput, match="seed is"):
        whole("seed", int(value), at_least=0, at_most=int(value) - 1)
