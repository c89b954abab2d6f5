"""Learn's sidebar, and the guesses, which stay in the session."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore.controls.explore import SEED
from dpcore.controls.learn import CLASS, EVERY, LESSON, PRESENTER
from dpcore.figures.learn import Guess, at
from dpcore.lessons.lesson import Lesson
from pages.shared import query
from pages.shared.session import once, set_controls, store, stored
from pages.shared.widgets import drawn


@dataclass(frozen=True)
class LearnChoice:
    """Which lesson is given, and how.

    Parameters
    ----------
    number : int
        Of the lesson, from 1.
    seed : int
    is_class : bool
        Whether lesson and seed are fixed by the link.
    is_presented : bool
        Whether a room looks at it.
    """

    number: int
    seed: int
    is_class: bool
    is_presented: bool


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    return once("learn_link", lambda: query.validate_link(EVERY))


def sidebar() -> LearnChoice:
    """Draw the controls and read them."""
    with st.sidebar:
        top = st.container()
        is_class = bool(drawn(CLASS))
        is_presented = bool(drawn(PRESENTER))
        with top:
            number = int(drawn(LESSON, disabled=is_class))
            seed = drawn(SEED, disabled=is_class)
    return LearnChoice(number, int(seed or 0), is_class, is_presented)


def guess(number: int) -> Guess | None:
    """The guess that was made, empty where the curve was shown without one; None before."""
    values: Guess | None = stored(f"learn guess {number}")
    return values


def reveal(number: int, values: Guess) -> None:
    """Store the guess, and show the curve; use in a callback."""
    store(f"learn guess {number}", values)


def restart(number: int) -> None:
    """Hide the curve again; use in a callback."""
    store(f"learn guess {number}", None)


def go_to(number: int) -> None:
    """Open another lesson; use in a callback."""
    set_controls({LESSON.key: str(number)})


def sliders(number: int, lesson: Lesson) -> Guess:
    """Draw a slider for each point of the guess, and read those that were moved from the middle.

    None of them is in the address.
    """
    least, most = lesson.limits
    middle = (least + most) // 2
    values = {}
    for place, (column, x) in enumerate(
        zip(st.columns(len(lesson.points)), lesson.points, strict=True)
    ):
        with column:
            key = f"learn guess {number} {place}"
            values[x] = float(st.slider(at(lesson, x), least, most, middle, key=key))
    return {x: value for x, value in values.items() if value != middle}
