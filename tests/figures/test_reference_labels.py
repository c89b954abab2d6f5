"""The words of horizontal lines: each stands clear of the words of its neighbours."""

from itertools import pairwise

import pytest

from dpcore.figures.curves import LABEL, ReferenceLine, add_references, against_epsilon


@pytest.mark.parametrize(
    "values",
    [
        (0.9, 0.7, 0.5),
        (0.73, 0.725, 0.5),
        (0.73, 0.73, 0.73),
        (0.75, 0.735, 0.70),
        (0.9, 0.76, 0.745),
        (0.75, 0.72, 0.69),
    ],
)
def test_words_of_close_lines_do_not_overlap(values):
    low, high = 0.45, 1.02
    figure = against_epsilon(title="", low=low, high=high)
    names = [f"line {number}" for number in range(len(values))]
    add_references(figure, [ReferenceLine(*pair) for pair in zip(names, values, strict=True)])
    boxes = []
    for words in figure.layout.annotations:
        size = LABEL * (high - low) * (1 + words.text.count("<br>"))
        below = words.yanchor == "top"
        boxes.append((words.y - size, words.y) if below else (words.y, words.y + size))
    boxes.sort()
    assert all(upper[0] - lower[1] > -1e-12 for lower, upper in pairwise(boxes))
    told = "<br>".join(words.text for words in figure.layout.annotations)
    assert sorted(told.split("<br>")) == names


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("heights", "end"),
    [
        ((0.5, 0.6, 0.9, 0.95), "left"),  # passes the line far from both ends
        ((0.71, 0.71, 0.9, 0.95), "right"),
        ((0.95, 0.9, 0.71, 0.71), "left"),
        ((0.3, 0.4, 0.5, 0.6), "left"),  # nowhere near the line
    ],
)
def test_words_stand_at_the_end_where_no_curve_runs_into_them(heights, end, log):
    figure = against_epsilon(title="", low=0.25, high=1.02, log=log)
    figure.add_scatter(x=[1e-3, 1e-1, 10.0, 100.0], y=heights, mode="lines+markers")
    add_references(figure, [ReferenceLine("line", 0.7)])
    (words,) = figure.layout.annotations
    assert (words.xanchor, words.align) == (end, end)
    assert (words.x < 0.5) == (end == "left")


@pytest.mark.parametrize(
    ("text", "heights", "side"),
    [
        # Just above the line nearly everywhere: long words have no room there, short ones do.
        ("random components: 10.0 %", (0.30, 0.31, 0.315, 0.9), "top"),
        ("chance", (0.30, 0.31, 0.315, 0.9), "bottom"),
        ("random components: 10.0 %", (0.30, 0.9, 0.9, 0.95), "bottom"),
        # Below is no better.
        ("random components: 10.0 %", (0.29, 0.31, 0.31, 0.29), "bottom"),
    ],
)
def test_words_of_the_lowest_line_go_below_it_where_a_curve_is_above(text, heights, side):
    figure = against_epsilon(title="", low=0.2, high=1.02)
    figure.add_scatter(x=[1e-3, 1e-1, 10.0, 100.0], y=heights, mode="lines+markers")
    add_references(figure, [ReferenceLine("highest", 0.98), ReferenceLine(text, 0.3)])
    highest, lowest = figure.layout.annotations
    assert (highest.yanchor, lowest.yanchor) == ("bottom", side)


def test_no_words_go_below_a_line_at_the_bottom():
    figure = against_epsilon(title="", low=0.28, high=1.02)
    figure.add_scatter(x=[1e-3, 100.0], y=[0.31, 0.32], mode="lines+markers")
    add_references(figure, [ReferenceLine("random components: 10.0 %", 0.3)])
    assert figure.layout.annotations[0].yanchor == "bottom"
