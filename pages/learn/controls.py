"""Draw Learn's sidebar, and keep the guesses, which stay in the session."""

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
    """Hold which lesson is given, and how."""

    number: int
    seed: int
    is_class: bool
    is_presented: bool


def validate_link() -> str:
    """Check the link once a session; returns all its refusals as one message."""
    return once("learn_link", lambda: query.validate_link(EVERY))


def sidebar() -> LearnChoice:
    with st.sidebar:
        top = st.container()
        is_class = bool(drawn(CLASS))
        is_presented = bool(drawn(PRESENTER))
        with top:
            number = int(drawn(LESSON, disabled=is_class))
            seed = drawn(SEED, disabled=is_class)
    return LearnChoice(number, int(seed or 0), is_class, is_presented)


def guess(number: int) -> Guess | None:
    """Return the guess, empty where the curve was shown without one; ``None`` before."""
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
