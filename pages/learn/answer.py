"""Draw a lesson: the question and the guess, then the curve, then what one changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.learn import CHANGES, LESSON
from dpcore.figures import learn as figures
from dpcore.guarantee import Adjacency
from dpcore.lessons import LESSONS, randomised_response
from dpcore.lessons.lesson import Lesson
from pages.learn import attack, class_panel, coin, controls
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
    lesson = LESSONS[choice.number - 1]
    view_link.title(f"{choice.number}. {lesson.title}")
    if choice.opened is not None and choice.is_joined:
        st.caption(f"Class {choice.opened.code}. {class_panel.KEPT}")
    elif choice.is_class and not choice.is_host:
        st.caption(f"Class: everybody sees lesson {choice.number} with seed {choice.seed}.")
    if not (choice.is_presented and choice.is_shown and _has_coin(lesson)):
        question = _first_question(choice, lesson)
        st.markdown(f"{lesson.story} **{question}**" if question else lesson.story)
    if _has_coin(lesson) and not choice.is_host:
        coin.draw(choice)
        st.markdown(f"**{lesson.question}**")
    if choice.is_shown:
        _after(choice, lesson)
    elif choice.is_host:
        _before_a_room(choice, lesson)
    else:
        _before(choice, lesson)
    if choice.opened is not None:
        class_panel.watch(choice.opened, choice.is_host)


def _before(choice: LearnChoice, lesson: Lesson) -> None:
    guess = controls.sliders(choice.number, lesson)
    given = _curve(choice.number, choice.seed, {}) if lesson.given else None
    _chart(choice, lesson, guess=guess, given=given)
    if choice.is_joined and choice.guess is not None:
        st.caption(class_panel.SENT)
    label, icon = ("Send my guess", "send") if choice.is_joined else ("Show me", "visibility")
    st.button(
        label,
        key="learn_show",
        type="primary",
        icon=f":material/{icon}:",
        disabled=choice.is_joined and not guess,
        on_click=controls.reveal,
        args=(choice, guess),
    )


def _before_a_room(choice: LearnChoice, lesson: Lesson) -> None:
    """Draw what a class has guessed so far beside how to join it."""
    assert choice.opened is not None
    picture, invitation = st.columns([3, 1])
    with invitation:
        class_panel.invitation(choice.opened)
    with picture:
        if _has_coin(lesson):
            coin.draw(choice)
        else:
            given = _curve(choice.number, choice.seed, {}) if lesson.given else None
            _chart(choice, lesson, others=choice.opened.guesses, given=given)
        st.button(
            "Show me",
            key="learn_show",
            type="primary",
            icon=":material/visibility:",
            on_click=controls.reveal,
            args=(choice, figures.NO_GUESS),
        )


def _first_question(choice: LearnChoice, lesson: Lesson) -> str:
    if not _has_coin(lesson):
        return lesson.question
    return coin.QUESTION if choice.is_host else ""


def _has_coin(lesson: Lesson) -> bool:
    return lesson is randomised_response.LESSON


def _after(choice: LearnChoice, lesson: Lesson) -> None:
    guess = choice.guess or figures.NO_GUESS
    others = choice.opened.guesses if choice.opened is not None and choice.is_host else None
    if _has_coin(lesson) and choice.is_host:
        coin.draw(choice)
        st.markdown(f"**{lesson.question}**")
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
    _chart(
        choice,
        lesson,
        guess=guess,
        others=others,
        true=curves["first"],
        changed=curves.get("changed"),
    )
    shown = list(curves.values())[-1]
    promise = verbatim(figures.promise(lesson, shown))
    meaning = Adjacency(shown["adjacency"].iloc[0]).meaning
    if choice.is_presented:
        # In one row, so that a room has them in sight without scrolling.
        buttons, beside = st.columns([1, 5], vertical_alignment="center")
        with buttons:
            _buttons(choice)
        beside.caption(promise, help=meaning)
    else:
        st.caption(promise, help=meaning)
        if lesson.beside_explore:
            st.caption(lesson.beside_explore)
        with st.container(horizontal=True):
            _buttons(choice)
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
    if choice.is_joined:
        return  # the presenter goes on
    is_last = choice.number == len(LESSONS)
    is_fixed = choice.is_class and not choice.is_host
    if not is_fixed and not is_last:
        st.button(
            "Next lesson",
            key="learn_next",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=controls.go_to,
            args=(choice.number + 1,),
        )
    if not choice.is_presented or is_fixed or is_last:
        st.button(
            "Guess again",
            key="learn_again",
            icon=":material/replay:",
            on_click=controls.restart,
            args=(choice,),
        )
