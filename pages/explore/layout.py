"""Place the parts of Explore in reading order; different parts of a run fill them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import VIEW
from pages.explore.controls import Start, tabs_for
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


@dataclass(frozen=True)
class Slots:
    answer: DeltaGenerator
    training: DeltaGenerator
    tab: str
    contents: DeltaGenerator


def layout(start: Start) -> Slots:
    """Create the places for everything under the heading, top to bottom.

    Streamlit's own tabs would show half of as many at once, and cost the browser a place for each
    closed one at every move of ε.
    """
    answer, training = st.container(), st.container()
    tab = drawn(VIEW, among=tabs_for(start.entry))
    # What a container holds stays until it is drawn anew: no place collapses meanwhile.
    return Slots(answer, training, tab, st.container(key="open_tab"))
