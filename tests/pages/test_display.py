"""A picture that moves: what a browser may send of it, and when the page is told."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import display
from pages.shared.display import MOST_MOVES, heard
from tests.browser.picture_page import made


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "moved",
        {},
        {"moved": None},
        {"moved": [3, 1]},
        {"moved": {"n": 1}},
        *({"moved": {"stop": stop}} for stop in (-1, 31, 3.0, True, "3", None, [3], 10**400)),
    ],
)
def test_what_is_no_stop_is_not_heard(sent):
    assert heard(sent, "stop", 30) is None


def test_a_stop_of_the_row_is_heard():
    for stop in (0, 17, 30):
        assert heard({"moved": {"stop": stop, "n": 5}}, "stop", 30) == stop
    assert heard({"moved": {"stop": 99, "n": 5}}, "n", MOST_MOVES) == 5


@pytest.mark.parametrize(
    ("moved", "told", "answered"),
    [
        ({"stop": 4, "n": 2}, [4], 2),
        ({"stop": 99, "n": 2}, [], 2),  # of a row that was longer
        ({"stop": 4, "n": "2"}, [4], 0),
        ("nonsense", [], 0),
    ],
)
def test_a_page_is_told_of_a_stop_and_of_nothing_else(monkeypatch, moved, told, answered):
    drawn: dict[str, Any] = {}
    stops: list[int] = []
    monkeypatch.setattr(display, "_draw_picture", lambda **given: drawn.update(given))
    monkeypatch.setattr(display, "control_value", lambda _: {"moved": moved})
    display.show_picture(made(1, False, False, 1), key="picture", stop=18, on_move=stops.append)
    drawn["on_moved_change"]()
    assert stops == told
    assert (drawn["data"]["stop"], drawn["data"]["n"]) == (18, answered)


def page():
    from pages.shared import display
    from tests.browser.picture_page import made

    display.show_picture(made(1, False, False, 1), key="picture", stop=18, on_move=print)


def test_a_page_shows_a_picture():
    assert not AppTest.from_function(page).run().exception
