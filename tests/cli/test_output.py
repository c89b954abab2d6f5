"""Numbers as text are rounded to the safe side."""

import math

from hypothesis import given
from hypothesis import strategies as st

from dpcore.cli.output import downward, upward
from tests.typewritten import number

SIZES = st.floats(min_value=1e-300, max_value=1e300)


@given(SIZES, st.integers(3, 12))
def test_printed_numbers_are_never_on_the_unsafe_side(value, digits):
    above, below = number(upward(value, digits)), number(downward(value, digits))
    assert below <= value <= above
    assert above <= value * (1.0 + 2.0 * 10.0 ** (1 - digits))
    assert below >= value * (1.0 - 2.0 * 10.0 ** (1 - digits))


def test_short_numbers_are_printed_as_they_are():
    short = ["1", "0.25", "10⁻⁵", "1 234.5"]
    assert [upward(number(text)) for text in short] == short
    assert upward(math.inf) == "∞"
