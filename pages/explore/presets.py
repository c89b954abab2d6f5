"""Offer presets of Explore: the settings behind a paper's figures."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.explore import CONTROLS, DETAIL, PRESETS
from dpcore.controls.network_figures import FIGURES
from pages.explore import texts
from pages.shared import presets
from pages.shared.session import control_value, on_leaving, set_controls, store, stored

CONTROL = {control.key: control for control in (*CONTROLS, *DETAIL)}
OPENED = {control.key for control in DETAIL}
"""What a preset opens: looking elsewhere does not leave it."""
TO_OPEN = "figure to open on Train"
# Moving the slider does not leave the preset.
EPSILON = {"epsilon": 1.0}
# A preset shows what it sets.
OPEN = {"expert": True}


def matching() -> str | None:
    """Title of the preset that the controls match, or None."""
    for title, values in PRESETS.items():
        settings = {key: value for key, value in values.items() if key not in OPENED}
        if all(_is_same(control_value(key), value) for key, value in settings.items()):
            return title
    return None


def _is_same(current: object, expected: object) -> bool:
    """Whether a control has this value; a choice of several has no order."""
    if isinstance(current, list) and isinstance(expected, tuple):
        return sorted(current) == sorted(expected)
    return current == expected


def start_from() -> None:
    """Draw the drop-down; a figure that is drawn on Train opens that page."""
    if title := stored(TO_OPEN):
        _open_on_train(title)
    presets.start_from(
        "start_from",
        {title: title for title in (*PRESETS, *FIGURES)},
        matching(),
        _load,
        placeholder="Choose one",
        help=texts.START_FROM,
    )


def _load(title: str) -> None:
    if title in FIGURES:
        store(TO_OPEN, title)
        # A run that the browser asks for meanwhile may replace the switch: then it switches.
        on_leaving(TO_OPEN, lambda: store(TO_OPEN, None))
        return
    values = PRESETS[title]
    address = {
        key: CONTROL[key].text(value)
        for key, value in values.items()
        if value != CONTROL[key].default
    }
    presets.hold("explore", {**values, **EPSILON, **OPEN}, address)


def _open_on_train(title: str) -> None:
    from dpcore.controls import train, train_presets  # slow to load
    from dpcore.controls.control import Page
    from dpcore.controls.link import address
    from dpcore.questions.vary.question import VaryQuestion

    # The link names no default: what an earlier visit has left does not stay.
    set_controls(train_presets.PRESETS[title])
    _, settings = FIGURES[title]
    link = address(Page(*train.CONTROLS, *train.DETAIL, *VaryQuestion.controls()), settings)
    st.switch_page("train/train.py", query_params=link)
