"""Draw a lesson: the question and the guess, then the curve, then what one changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.learn import CHANGES, LESSON
from dpcore.figures import learn as figures
from dpcore.guarantee import Adjacency
from dpcore.lessons import LESSONS
from dpcore.lessons.lesson import Lesson
from pages.learn import attack, controls
from pages.learn.controls import LearnChoice
from pages.shared import view_link
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm

if TYPE_CHECKING:
    import pandas as pd

LARGE = Path(__file__).parents[2] / "assets" / "presenter.css"


@st.cache_data(max_entries=200, show_spinner="Computing the curve …")
def _curve(number: int, seed: int, settings: dict[str, Any]) -> pd.DataFrame:
    return LESSONS[number - 1].curve(seed, **settings)


def draw(choice: LearnChoice) -> None:
    if choice.is_presented:
        st.html(LARGE)
        # A room looks at one control; the others are a click away.
        st.set_page_config(initial_sidebar_state="collapsed")
    lesson, guess = LESSONS[choice.number - 1], controls.guess(choice.number)
    view_link.title(f"{choice.number}. {lesson.title}")
    if choice.is_class:
        st.caption(f"Class: everybody sees lesson {choice.number} with seed {choice.seed}.")
    st.markdown(f"{lesson.story} **{lesson.question}**")
    if guess is None:
        _before(choice, lesson)
    else:
        _after(choice, lesson, guess)


def _before(choice: LearnChoice, lesson: Lesson) -> None:
    guess = controls.sliders(choice.number, lesson)
    given = _curve(choice.number, choice.seed, {}) if lesson.given else None
    _chart(choice, lesson, guess=guess, given=given)
    st.button(
        "Show me",
        key="learn_show",
        type="primary",
        icon=":material/visibility:",
        on_click=controls.reveal,
        args=(choice.number, guess),
    )


def _after(choice: LearnChoice, lesson: Lesson, guess: figures.Guess) -> None:
    form = ControlForm(CHANGES)
    form.values[LESSON.key] = str(choice.number)
    mine = [control.key for control in CHANGES if control.shown(form.values)]
    # A room looks at one change alone; the others keep their first values.
    drawn = mine[:1] if choice.is_presented else mine
    form.values |= {key: CHANGES[key].default for key in mine}
    for column, key in zip(st.columns(len(drawn)), drawn, strict=True):
        with column:
            form.draw(key)
    settings = CHANGES.fields(form.values)
    first = CHANGES.fields(form.values | {key: CHANGES[key].default for key in mine})
    curves = {"first": _curve(choice.number, choice.seed, {})}
    if settings != first:
        curves["changed"] = _curve(choice.number, choice.seed, settings)
    _chart(choice, lesson, guess=guess, true=curves["first"], changed=curves.get("changed"))
    shown = list(curves.values())[-1]
    st.caption(
        verbatim(figures.promise(lesson, shown)), help=Adjacency(shown["adjacency"].iloc[0]).meaning
    )
    if lesson.beside_explore and not choice.is_presented:
        st.caption(lesson.beside_explore)
    with st.container(horizontal=True):
        _buttons(choice)
        if not choice.is_presented:
            table_behind(
                figures.rows(lesson, guess, curves), f"lesson_{choice.number}", "The lesson's curve"
            )
    if "learn_claimed" in form.values:
        attack.draw(form.values["learn_claimed"], choice.seed)


def _chart(choice: LearnChoice, lesson: Lesson, **parts: Any) -> None:
    figure = figures.curve(lesson, dark=on_dark(), large=choice.is_presented, **parts)
    with st.container(border=True):
        plot(figure, f"lesson_figure_{choice.number}")


def _buttons(choice: LearnChoice) -> None:
    is_last = choice.number == len(LESSONS)
    if not choice.is_class and not is_last:
        st.button(
            "Next lesson",
            key="learn_next",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=controls.go_to,
            args=(choice.number + 1,),
        )
    if not choice.is_presented or choice.is_class or is_last:
        st.button(
            "Guess again",
            key="learn_again",
            icon=":material/replay:",
            on_click=controls.restart,
            args=(choice.number,),
        )
