"""Numbers in words: few digits, the right sign, one way to write them, nothing odd at the edges."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.words import (
    as_set,
    at_most,
    difference,
    percent,
    percent_at_most,
    percents,
    place_below,
    plain,
    points,
    spaced,
    typed,
)
from tests.typewritten import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1e-9, "10⁻⁹"),
        (-1e-5, "−10⁻⁵"),
        (1.2345e-5, "1.23\u202f×\u202f10⁻⁵"),
        (2.1e-5, "2.1\u202f×\u202f10⁻⁵"),
        (0.14712, "0.147"),
        (1234.5, "1\u202f234"),
        (2e6, "2\u202f×\u202f10⁶"),
        (1e12, "10¹²"),
        (-3.25, "−3.25"),
        (math.inf, "∞"),
        (math.nan, "–"),
    ],
)
def test_plain(value, text):
    assert plain(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(999, "999"), (1_000, "1\u202f000"), (-1_234_567, "−1\u202f234\u202f567")],
)
def test_thousands_are_parted_by_a_narrow_space(count, text):
    assert spaced(count) == text


@pytest.mark.parametrize("value", [1e-5, 3.4e-6, 1.1e9, 1000, 12_345.0, -2e-4])
def test_a_typed_number_is_read_back(value):
    assert number(as_set(value)) == float(typed(value)) == value


ROOT = Path(__file__).resolve().parents[1]
OF_TYPED_NUMBERS = {"description.py", "form.py", "own_form.py", "typed_numbers.py"}
"""What says how a number in a file is read: there a comma is meant."""


@pytest.mark.parametrize("folder", ["dpcore", "pages"])
def test_no_comma_parts_thousands(folder):
    format_ = re.compile(r":,[^{}\s]{0,3}\}")
    written = re.compile(r"[ \"$][1-9]\d{0,2},\d{3}[ .\"]")
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = re.sub(r'(?s:""".*?""")|#.*', "", path.read_text(encoding="utf-8"))
        assert path == ROOT / "dpcore" / "words.py" or not format_.findall(text), path
        assert path.name in OF_TYPED_NUMBERS or not written.findall(text), path


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
    [(1.0, "1"), (0.3, "0.3"), (1.2341, "1.24"), (1e-9, "10⁻⁹"), (0.999_1, "1"), (math.inf, "∞")],
)
def test_at_most_rounds_up(value, text):
    assert at_most(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.46212, "46.3 %"),
        (0.01, "1 %"),
        (1e-7, "10⁻⁵ %"),
        (0.999_999_9, "99.99999 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
    ],
)
def test_a_bound_on_a_share_is_rounded_up_and_certain_only_at_one(share, text):
    assert percent_at_most(share) == text


@given(st.floats(1e-12, 1.0))
def test_what_is_said_to_be_at_most_is_so(share):
    said = number(percent_at_most(share).removesuffix(" %"))
    assert said >= 100.0 * share * (1.0 - 1e-15)
    assert said <= 100.0 * share * 1.01 + 1e-12
    assert number(at_most(share)) >= share


@pytest.mark.parametrize(
    ("value", "place"), [(0.05, 0), (0.1, 0), (0.99, 0), (1.0 - 1e-12, 1), (1.0, 1), (50.0, 2)]
)
def test_what_is_shown_at_a_value_is_the_largest_stop_not_above_it(value, place):
    assert place_below((0.1, 1.0, 10.0), value) == place
