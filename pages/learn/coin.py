"""Ask lesson 7's question by a coin in the browser, and draw what the answers say of all.

The true answer never reaches the server: `assets/coin.js` sends what the coin lets through.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from dpcore.controls.learn import CHANGES
from dpcore.figures import learn as figures
from dpcore.lessons import randomised_response as response
from pages.learn import controls
from pages.learn.controls import LearnChoice
from pages.shared.charts import on_dark, plot
from pages.shared.session import control_value
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

ASSETS = Path(__file__).parents[2] / "assets"
QUESTION = "Have you ever cheated in an exam?"
_ask = st.components.v2.component(
    "coin",
    html=(ASSETS / "coin.html").read_text("utf-8"),
    css=(ASSETS / "coin.css").read_text("utf-8"),
    js=(ASSETS / "coin.js").read_text("utf-8"),
)


def draw(choice: LearnChoice) -> None:
    """Draw the question for who answers, then what all answers say, as far as it is shown."""
    opened = choice.opened
    if not choice.is_shown and not choice.is_joined:
        controls.toss_by(choice, float(drawn(CHANGES["learn_coin"])))
        opened = opened and controls.seen(opened.code)
    if not choice.is_host and not (choice.is_presented and choice.is_shown):
        _question(choice)
    mine = controls.answer()
    if opened is not None:
        if opened.answers and (choice.is_host or choice.is_shown):
            _estimate(choice, opened.yes, opened.answers, opened.epsilon)
        if choice.is_host and not choice.is_shown:
            guesses = figures.phones(opened.guesses)
            st.markdown(verbatim(f"{figures.deniability(opened.epsilon)} {guesses} guessed."))
    elif mine is not None:
        yes = mine.is_yes + response.made_up(choice.seed, mine.epsilon)
        _estimate(choice, yes, response.MADE_UP + 1, mine.epsilon, made_up=True)


def _question(choice: LearnChoice) -> None:
    opened, mine = choice.opened, controls.answer()
    if opened is not None:
        epsilon, has_answered = opened.epsilon, opened.has_answered
    else:
        epsilon = controls.coin() if mine is None else mine.epsilon
        has_answered = mine is not None
    code = "" if opened is None else opened.code
    with st.container(border=True):
        key = f"learn_answer {code} {epsilon}"
        _ask(
            data={
                "question": QUESTION,
                "truth": response.truth_share(epsilon),
                "coin": f"{code} {epsilon}",
                "isMissing": not has_answered,
            },
            key=key,
            on_answer_change=partial(_take, key, code, epsilon),
        )
        st.caption(
            "The coin is tossed in this browser. Your own answer never leaves it. "
            + verbatim(figures.deniability(epsilon))
        )


def _take(key: str, code: str, epsilon: float) -> None:
    sent = control_value(key).answer
    if sent in ("yes", "no"):
        controls.take_answer(code, epsilon, sent == "yes")


def _estimate(
    choice: LearnChoice, yes: int, answers: int, epsilon: float, made_up: bool = False
) -> None:
    estimate = response.estimate(yes, answers, epsilon)
    truth = response.MADE_UP_YES / response.MADE_UP if made_up else None
    shown = figures.answers(estimate, made_up=truth, dark=on_dark(), large=choice.is_presented)
    if choice.is_presented and choice.is_shown:
        st.markdown(verbatim(shown.sentence))
        return
    with st.container(border=True):
        plot(shown, "lesson_answers")
        if made_up:
            st.caption(
                f"{response.MADE_UP} of the {response.MADE_UP + 1} people are made up. "
                f"{response.MADE_UP_YES} of them truly say Yes: the dashed line."
            )
