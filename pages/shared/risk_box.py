"""Let the ε of a box be said as a risk: right guesses of 100, or members found of 100."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.accounting.risk_target import KeptRisk, RiskTarget, kept_by_gaussian
from dpcore.controls.common import FOUND, FOUND_AT, RIGHT, SAID_AS_RISK
from dpcore.controls.control import Control, Number
from dpcore.datasets.own.typed_numbers import meant
from dpcore.errors import InvalidInput, number
from dpcore.words import lowered, plain
from pages.shared.session import set_controls
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn, drawn_aside

DIGITS = 4
TITLE, ICON = "As a risk", ":material/person_search:"
FIELD = 160
NO_EPSILON = "No ε of this box keeps that."


@dataclass(frozen=True)
class Way:
    """Settings that keep the risk: what is said of them, and the button that sets them."""

    sentence: str
    label: str = ""
    values: Mapping[str, object] | None = None


def epsilon_way(control: Control, kept: KeptRisk) -> Way:
    """The way to set a control of ε to the largest that keeps the risk."""
    assert isinstance(control.kind, Number)
    epsilon = min(lowered(kept.epsilon, DIGITS), control.kind.most)
    if epsilon < control.kind.least:
        return Way(NO_EPSILON)
    return Way(kept.sentence, f"Set ε = {plain(epsilon, DIGITS)}", {control.key: epsilon})


def target(said_as: str | None, draw: Callable[..., Any] = drawn) -> RiskTarget:
    """Draw the fields of a risk."""
    if said_as == "found":
        found = draw(FOUND, width=FIELD)
        rate = draw(FOUND_AT, width="content")
        return RiskTarget(number("found of 100", meant("found of 100", found)), rate)
    right = draw(RIGHT, width=FIELD)
    return RiskTarget(number("right of 100", meant("right of 100", right)))


def draw(control: Control, ways: Callable[[RiskTarget], Iterable[Way]]) -> None:
    """Draw the ways to keep a risk in place of an ε, which are asked for while it is open."""
    place = st.popover(
        TITLE,
        icon=ICON,
        key=f"{control.key} as a risk",
        on_change="rerun",
    )
    if not place.open:
        return
    with place:
        try:
            said_as = drawn_aside(SAID_AS_RISK, control.key)
            risk = target(said_as, lambda field, **more: drawn_aside(field, control.key, **more))
            for way in ways(risk):
                _draw_way(way)
        except InvalidInput as refused:
            refuse(refused)


def draw_gaussian(control: Control, delta: float) -> None:
    """Draw the way to keep a risk by Gaussian noise without sampling."""
    draw(control, lambda risk: (epsilon_way(control, kept_by_gaussian(risk, delta)),))


def _draw_way(way: Way) -> None:
    st.caption(way.sentence)
    if way.values is not None:
        st.button(way.label, icon=":material/check:", on_click=set_controls, args=(way.values,))
