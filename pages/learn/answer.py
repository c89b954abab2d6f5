"""Draw a lesson: the question and the guess, then the curve, then what one changes.

Lesson 7's question is asked by a coin in the browser, and the true answer never reaches the server:
`assets/coin.js` sends what the coin lets through.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.learn import CHANGES, LESSON
from dpcore.guarantee import Adjacency
from dpcore.lessons import LESSONS, figure, randomised_response
from dpcore.lessons import randomised_response as response
from dpcore.lessons.claim_and_attack import ATTACKED_RECORDS, Attacked, attacked
from dpcore.lessons.lesson import Lesson
from dpcore.words import at_least, plain, spaced
from pages.learn import classes, controls
from pages.learn.classes import OpenClass
from pages.learn.controls import LearnChoice
from pages.shared import frame, work
from pages.shared.display import on_dark, plot, table_behind
from pages.shared.session import control_value
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm, drawn
from pages.shared.work import State, Watched

if TYPE_CHECKING:
    import pandas as pd

LARGE = Path(__file__).parents[2] / "assets" / "presenter.css"
KEPT = (
    "Guesses and answers have no names. They stay in the server's memory until the lesson ends, "
    "at most an hour after the last one."
)

SENT = "Your guess is on the presenter's screen. The curve comes as soon as it is shown there."
ASSETS = Path(__file__).parents[2] / "assets"
QUESTION = "Have you ever cheated in an exam?"
_ask = st.components.v2.component(
    "coin",
    html=(ASSETS / "coin.html").read_text("utf-8"),
    css=(ASSETS / "coin.css").read_text("utf-8"),
    js=(ASSETS / "coin.js").read_text("utf-8"),
)


@st.cache_data(max_entries=200, show_spinner="Computing the curve …")
def _curve(number: int, seed: int, settings: dict[str, Any]) -> pd.DataFrame:
    return LESSONS[number - 1].curve(seed, **settings)


def draw(choice: LearnChoice) -> None:
    if choice.is_presented:
        st.html(LARGE)
        # A room looks at one control; the others are a click away.
        st.set_page_config(initial_sidebar_state="collapsed")
    lesson = LESSONS[choice.number - 1]
    frame.title(f"{choice.number}. {lesson.title}")
    if choice.opened is not None and choice.is_joined:
        st.caption(f"Class {choice.opened.code}. {KEPT}")
    elif choice.is_class and not choice.is_host:
        st.caption(f"Class: everybody sees lesson {choice.number} with seed {choice.seed}.")
    if not (choice.is_presented and choice.is_shown and _has_coin(lesson)):
        question = _first_question(choice, lesson)
        st.markdown(f"{lesson.story} **{question}**" if question else lesson.story)
    if _has_coin(lesson) and not choice.is_host:
        _draw_coin(choice)
        st.markdown(f"**{lesson.question}**")
    if choice.is_shown:
        _after(choice, lesson)
    elif choice.is_host:
        _before_a_room(choice, lesson)
    else:
        _before(choice, lesson)
    if choice.opened is not None:
        work.watch([ClassNews(choice.opened, choice.is_host)])


def _before(choice: LearnChoice, lesson: Lesson) -> None:
    guess = controls.sliders(choice.number, lesson)
    given = _curve(choice.number, choice.seed, {}) if lesson.given else None
    _chart(choice, lesson, guess=guess, given=given)
    if choice.is_joined and choice.guess is not None:
        st.caption(SENT)
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
    assert choice.opened is not None
    picture, invitation = st.columns([3, 1])
    with invitation:
        _draw_invitation(choice.opened)
    with picture:
        if _has_coin(lesson):
            _draw_coin(choice)
        else:
            given = _curve(choice.number, choice.seed, {}) if lesson.given else None
            _chart(choice, lesson, others=choice.opened.guesses, given=given)
        st.button(
            "Show me",
            key="learn_show",
            type="primary",
            icon=":material/visibility:",
            on_click=controls.reveal,
            args=(choice, figure.NO_GUESS),
        )


def _first_question(choice: LearnChoice, lesson: Lesson) -> str:
    if not _has_coin(lesson):
        return lesson.question
    return QUESTION if choice.is_host else ""


def _has_coin(lesson: Lesson) -> bool:
    return lesson is randomised_response.LESSON


def _after(choice: LearnChoice, lesson: Lesson) -> None:
    guess = choice.guess or figure.NO_GUESS
    others = choice.opened.guesses if choice.opened is not None and choice.is_host else None
    if _has_coin(lesson) and choice.is_host:
        _draw_coin(choice)
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
    promise = verbatim(figure.promise(lesson, shown))
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
                figure.rows(lesson, guess, curves), f"lesson_{choice.number}", "The lesson's curve"
            )
    if "learn_claimed" in form.values:
        _draw_attack(form.values["learn_claimed"], choice.seed)


def _chart(choice: LearnChoice, lesson: Lesson, **parts: Any) -> None:
    drawn_curve = figure.curve(lesson, dark=on_dark(), large=choice.is_presented, **parts)
    with st.container(border=True):
        plot(drawn_curve, f"lesson_figure_{choice.number}")


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


@st.cache_data(max_entries=50, show_spinner="Training 4 000 models to attack …")
def _attacked(claimed: float, seed: int) -> Attacked:
    return attacked(claimed, seed)


def _draw_attack(claimed: float, seed: int) -> None:
    outcome = _attacked(claimed, seed)
    st.subheader("Is the claim true?", anchor=False)
    claim, proof, measured = st.columns(3)
    with claim:
        st.markdown("**Claim** (what the paper says)")
        st.markdown(verbatim(outcome.claim.statement))
    with proof:
        st.markdown("**Proof** (what holds for this noise)")
        st.markdown(verbatim(outcome.proof.statement))
        st.markdown(f"Certified for it: {verbatim(outcome.certified.statement)}")
    with measured:
        st.markdown("**Attack** (what was measured)")
        st.markdown(_attack_sentence(outcome))
    st.caption(
        "All three are for the noise as in the paper, whatever edition the picture shows. They are "
        f"for {ATTACKED_RECORDS} records: one person's record among blank ones, or blank too. "
        f"{spaced(outcome.runs)} models are trained on each of the two data sets."
    )


def _attack_sentence(outcome: Attacked) -> str:
    assert outcome.claim.delta is not None
    bound = (
        f"ε is at least {at_least(outcome.lower_bound)} at δ = {plain(outcome.claim.delta)}, "
        f"{outcome.claim.adjacency}, with {plain(100 * outcome.confidence)} % confidence "
        "(Clopper–Pearson)."
    )
    if outcome.refuted:
        return f":red[:material/report:] The claim is refuted: {bound}"
    return f"{bound} This attack refutes nothing here, which proves nothing."


def _draw_invitation(opened: OpenClass) -> None:
    address = classes.link_for_phones(opened.code)
    if address:
        st.image(classes.qr_code(address), alt=f"QR code of {address}", width="stretch")
        st.caption(verbatim(address))
    else:
        network = classes.own_address() or "ADDRESS"
        st.markdown(
            ":material/wifi_off: Phones cannot reach this page: it listens on this machine alone. "
            "Start it with these options, and open it by that address. docs/serve.md says more."
        )
        st.code(
            f"--server.address 0.0.0.0\n--server.allowedHosts {network}",
            language=None,
            wrap_lines=True,
        )
    st.metric("Class code", opened.code)


class ClassNews(Watched):
    """What a session waits for: a phone for the next stage, the presenter for every guess."""

    name, seconds = "class", 2.0
    drawn: State = "running"

    def __init__(self, opened: OpenClass, is_host: bool) -> None:
        self._seen = opened
        self._is_host = is_host

    def state(self) -> State:
        return "running"

    def has_news(self) -> bool:
        now, seen = controls.seen(self._seen.code), self._seen
        if now is None:
            return True
        return now.news != seen.news if self._is_host else now.stage != seen.stage


def _draw_coin(choice: LearnChoice) -> None:
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
            guesses = figure.phones(opened.guesses)
            st.markdown(verbatim(f"{figure.deniability(opened.epsilon)} {guesses} guessed."))
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
            + verbatim(figure.deniability(epsilon))
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
    shown = figure.answers(estimate, made_up=truth, dark=on_dark(), large=choice.is_presented)
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
