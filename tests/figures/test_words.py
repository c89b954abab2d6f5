"""Numbers in words: few digits, the right sign, nothing odd at the edges."""

from __future__ import annotations

import math

import pytest

from dpcore.figures.words import listed, percent, plain, points


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (1e-9, "1e-9"),
        (1.2345e-5, "1.23e-5"),
        (0.14712, "0.147"),
        (1234.5, "1,234"),
        (2e6, "2e6"),
        (-3.25, "−3.25"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
    ],
)
def test_plain(value: float, text: str) -> None:
    assert plain(value) == text


def test_shares_and_points() -> None:
    assert percent(0.9123) == "91.2 %"
    assert points(-0.034) == "−3.4"
    assert points(0.012) == "+1.2"
    assert points(-1e-6) == "0.0"


def test_listed() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
