"""Names beside lines: off every line and every other name, and next to their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.figures.direct_labels import STEPS, Box, places

HEIGHT = 0.05
X = np.linspace(0.0, 1.0, 16)
STOPS = np.linspace(0.0, 1.0, STEPS + 1)


@given(
    arrays(float, (4, 16), elements=st.floats(0.0, 1.0)),
    st.lists(st.floats(0.02, 0.4), min_size=3, max_size=3),
)
def test_no_name_is_crossed_by_a_line_or_by_another(heights, widths):
    lines = [(X, each) for each in heights]
    taken = [Box(0.0, 0.3, 0.9, 1.0)]
    result = places(lines, widths, HEIGHT, taken)
    boxes = [*taken, *filter(None, result)]
    for box in boxes[1:]:
        assert 0.0 <= box.left < box.right <= 1.0 + 1e-9
        assert 0.0 <= box.low < box.high <= 1.0
        within = np.abs(STOPS - box.middle[0]) <= 0.5 * (box.right - box.left)
        for x, y in lines:
            along = np.interp(STOPS[within], x, y)
            assert ((along <= box.low) | (along >= box.high)).all()
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            beside = one.right <= other.left or other.right <= one.left
            assert beside or one.high <= other.low or other.high <= one.low
    for (x, y), box in zip(lines, result, strict=False):
        if box is not None:
            # The line is looked at in steps: up to one beyond the name.
            within = np.abs(STOPS - box.middle[0]) <= 0.5 * (box.right - box.left) + 1.0 / STEPS
            along = np.interp(STOPS[within], x, y)
            gap = min(np.abs(along - box.low).min(), np.abs(along - box.high).min())
            assert gap <= 0.2 * HEIGHT + 1e-9


@pytest.mark.parametrize(
    ("lines", "width"),
    [
        ([(X, np.full(16, 0.5))], 1.1),  # wider than the axes
        ([(np.array([0.4, 0.5]), np.array([0.5, 0.5]))], 0.2),  # than the line
        ([(X, np.tile([0.0, 1.0], 8))], 0.3),  # nowhere flat
        ([(X, np.full(16, 0.5)), (X, np.full(16, 0.52)), (X, np.full(16, 0.48))], 0.1),
    ],
)
def test_there_is_no_name_where_there_is_no_room(lines, width):
    assert places(lines, [width], HEIGHT) == [None]
