"""Place the parts of Explore in reading order; different parts of a run fill them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import CLOSER, PER_1000, VIEW
from pages.explore.controls import Start, tabs_for
from pages.shared.session import control_text, control_value, follow, set_controls
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

CHIP = "look_closer"


@dataclass(frozen=True)
class Places:
    """Hold the places of the answer, which are the same before it is there."""

    answer: DeltaGenerator
    warnings: DeltaGenerator
    training: DeltaGenerator


@dataclass(frozen=True)
class Slots(Places):
    tab: str
    contents: DeltaGenerator
    notes: DeltaGenerator
    leave: DeltaGenerator


def places() -> Places:
    """Create the places under the heading, top to bottom."""
    return Places(*(st.container() for _ in range(3)))


def layout(start: Start, above: Places) -> Slots:
    """Create the places under those of the answer.

    Streamlit's own tabs would cost the browser a place for each closed one at every move of ε.
    """
    tab = _open_tab(start)
    # What a container holds stays until it is drawn anew: no place collapses meanwhile.
    return Slots(
        **vars(above),
        tab=tab,
        contents=st.container(key="open_tab"),
        notes=st.container(),
        leave=st.container(),
    )


def _open_tab(start: Start) -> str:
    offered = tabs_for(start.entry)
    chips = {chip: [tab for tab in tabs if tab in offered] for chip, tabs in CLOSER.items()}
    chips = {chip: tabs for chip, tabs in chips.items() if tabs}
    named = control_text(VIEW.key) or st.query_params.get(VIEW.key, VIEW.default)
    chip = next((chip for chip, tabs in chips.items() if named in tabs), next(iter(chips)))
    people = start.entry.records_are
    follow(CHIP, chip)
    st.segmented_control(
        "Look closer",
        chips,
        format_func=lambda name: f"For the {people}" if PER_1000 in CLOSER[name] else name,
        default=chip,
        required=True,
        key=CHIP,
        label_visibility="collapsed",
        on_change=lambda: _open(chips),
    )
    tabs = chips[chip]
    # A tab alone is not shown, but drawn, as it holds its part of the address.
    follow(VIEW.key, named if named in tabs else tabs[0])
    with st.container(key="tabs" if len(tabs) > 1 else "only_tab"):
        return str(drawn(VIEW, among=tabs))


def _open(chips: dict[str, list[str]]) -> None:
    set_controls({VIEW.key: chips[control_value(CHIP)][0]})
