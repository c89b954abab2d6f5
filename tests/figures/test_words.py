"""Numbers in words: few digits, the right sign, nothing odd at the edges."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.figures.words import (
    at_most,
    difference,
    percent,
    percent_at_most,
    percents,
    plain,
    points,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1e-9, "1e-9"),
        (1.2345e-5, "1.23e-5"),
        (0.14712, "0.147"),
        (1234.5, "1,234"),
        (2e6, "2e6"),
        (-3.25, "−3.25"),
        (math.inf, "∞"),
        (math.nan, "–"),
    ],
)
def test_plain(value, text):
    assert plain(value) == text


def test_shares_and_points():
    assert percent(0.9123) == "91.2 %"
    assert points(-0.034) == "−3.4"
    assert points(0.012) == "+1.2"
    assert points(-1e-6) == "0.0"


@pytest.mark.parametrize(
    ("share", "reference", "points"),
    [
        (0.86151, 0.90204, -0.04),
        (0.8555, 0.86151, -0.007),
        (0.8555, 0.90204, -0.047),
        (0.5, 0.5, 0),
    ],
)
def test_a_difference_is_that_of_the_shares_as_shown(share, reference, points):
    assert difference(share, reference) == points
    shown = [float(percent(each).removesuffix(" %")) for each in (share, reference)]
    assert round(100.0 * points, 1) == round(shown[0] - shown[1], 1)


def test_a_range_narrower_than_a_point_has_a_decimal():
    assert percents(0.8396, 0.8441) == "84.0 % to 84.4 %"
    assert percents(0.8396, 0.8541) == "84 % to 85 %"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.3, "0.3"), (1.2341, "1.24"), (1e-9, "1e-9"), (0.999_1, "1"), (math.inf, "∞")],
)
def test_at_most_rounds_up(value, text):
    assert at_most(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.46212, "46.3 %"),
        (0.01, "1 %"),
        (1e-7, "1e-5 %"),
        (0.999_999_9, "99.99999 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
    ],
)
def test_a_bound_on_a_share_is_rounded_up_and_certain_only_at_one(share, text):
    assert percent_at_most(share) == text


@given(st.floats(1e-12, 1.0))
def test_what_is_said_to_be_at_most_is_so(share):
    said = float(percent_at_most(share).removesuffix(" %").replace(",", ""))
    assert said >= 100.0 * share * (1.0 - 1e-15)
    assert said <= 100.0 * share * 1.01 + 1e-12
    assert float(at_most(share)) >= share
