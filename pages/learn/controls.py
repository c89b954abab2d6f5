"""Draw Learn's sidebar, and keep guesses and answers: in the session, or in an open class."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from dpcore.controls.explore import SEED
from dpcore.controls.learn import CHANGES, CLASS, CLASS_CODE, LESSON, PRESENTER
from dpcore.errors import InvalidInput
from dpcore.lessons import LESSONS
from dpcore.lessons.figure import NO_GUESS, Guess, at
from dpcore.lessons.lesson import Lesson
from pages.learn.classes import CLASSES, OpenClass
from pages.shared import address
from pages.shared.session import control_value, follow, once, set_controls, store, stored
from pages.shared.widgets import drawn


@dataclass(frozen=True)
class LearnChoice:
    """Hold which lesson is given, and how."""

    number: int
    seed: int
    is_class: bool
    is_presented: bool
    opened: OpenClass | None  # the class whose code is given
    refusal: str  # why there is none

    @property
    def is_host(self) -> bool:
        """Whether the class is presented here."""
        return self.opened is not None and self.opened.is_presenter and self.is_presented

    @property
    def is_joined(self) -> bool:
        """Whether one takes part in a class that somebody else presents."""
        return self.opened is not None and not self.is_host

    @property
    def guess(self) -> Guess | None:
        """The guess, empty where the curve is shown without one; ``None`` before."""
        if self.opened is None:
            return guess(self.number)
        return (self.opened.mine or NO_GUESS) if self.opened.is_shown else self.opened.mine

    @property
    def is_shown(self) -> bool:
        """Whether the curve is shown."""
        return self.opened.is_shown if self.opened is not None else self.guess is not None


@dataclass(frozen=True)
class SentAnswer:
    """Hold what the coin has sent of this session, and the coin's ε."""

    is_yes: bool
    epsilon: float


def sidebar() -> LearnChoice:
    with st.sidebar:
        top = st.container()
        is_class = bool(drawn(CLASS))
        is_presented = bool(drawn(PRESENTER))
        code = str(drawn(CLASS_CODE) or "").strip().upper()
        opened = seen(code) if code else None
        is_host = opened is not None and opened.is_presenter and is_presented
        is_led = opened is not None and not is_host
        if opened is not None and is_led:
            follow(LESSON.key, str(opened.lesson))
            follow(SEED.key, opened.seed)
        with top:
            fixed = is_led or (is_class and not is_host)
            number = int(drawn(LESSON, disabled=fixed))
            seed = int(drawn(SEED, disabled=fixed) or 0)
        if is_host:
            CLASSES.turn_to(code, visitor(), number, seed)
            opened = seen(code)
            st.button("End the class", key="learn_end", on_click=end_class, args=(code,))
        elif opened is None:
            st.button(
                "Open a class",
                key="learn_open",
                icon=":material/groups:",
                help="Shows a code to join by. Guesses come to this screen without names, and are "
                "gone when the lesson ends.",
                on_click=open_class,
                args=(number, seed),
            )
    refusal = stored("learn refusal") or ""
    store("learn refusal", None)
    if code and opened is None:
        refusal = f"No class has the code {address.quoted(code)}: it is mistyped, or it has ended."
    return LearnChoice(number, seed, is_class, is_presented, opened, refusal)


def visitor() -> str:
    """Return what tells this browser from others: a random number, of its cookie."""
    token, _ = decode_xsrf_token_string(st.context.cookies.get(XSRF_COOKIE_NAME, ""))
    return token.hex() if token else once("learn visitor", lambda: secrets.token_hex(16))


def open_class(number: int, seed: int) -> None:
    """Open a class and present it; use in a callback."""
    try:
        code = CLASSES.open(visitor(), number, seed, coin())
    except InvalidInput as refusal:
        store("learn refusal", f"{refusal}.")
        return
    set_controls({CLASS_CODE.key: code, PRESENTER.key: True})


def end_class(code: str) -> None:
    """End the class; use in a callback."""
    CLASSES.end(code, visitor())
    set_controls({CLASS_CODE.key: ""})


def seen(code: str) -> OpenClass | None:
    """Return the class as it is now."""
    return CLASSES.see(code, visitor())


def coin() -> float:
    """Return ε of the coin that is chosen."""
    control = CHANGES["learn_coin"]
    return float(control_value(control.key) or control.default)


def toss_by(choice: LearnChoice, epsilon: float) -> None:
    """Have the class toss by this coin, if one is presented here."""
    if choice.opened is not None:
        CLASSES.toss_by(choice.opened.code, visitor(), epsilon)


def answer() -> SentAnswer | None:
    """Return what the coin has sent outside of a class."""
    sent: SentAnswer | None = stored("learn answer")
    return sent


def take_answer(code: str, epsilon: float, is_yes: bool) -> None:
    """Keep what the coin has sent, in the class or in the session; use in a callback."""
    if code:
        CLASSES.answer(code, visitor(), epsilon, is_yes)
    else:
        store("learn answer", SentAnswer(is_yes, epsilon))


def guess(number: int) -> Guess | None:
    """Return the guess, empty where the curve was shown without one; ``None`` before."""
    values: Guess | None = stored(f"learn guess {number}")
    return values


def reveal(choice: LearnChoice, values: Guess) -> None:
    """Keep the guess, and show the curve unless a class waits for it; use in a callback.

    Others see a class's guesses: what no slider gives is left out.
    """
    if choice.opened is None:
        store(f"learn guess {choice.number}", values)
    elif choice.is_host:
        CLASSES.show(choice.opened.code, visitor())
    else:
        least, most = LESSONS[choice.number - 1].limits
        values = {x: value for x, value in values.items() if least <= value <= most}
        CLASSES.guess(choice.opened.code, visitor(), choice.number, values)


def restart(choice: LearnChoice) -> None:
    """Hide the curve again; use in a callback."""
    if choice.opened is not None:
        CLASSES.restart(choice.opened.code, visitor())
    else:
        store(f"learn guess {choice.number}", None)


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
