"""The places on Explore, in reading order; different parts of a run fill them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.explore import VIEW
from pages.explore.controls import Start, tabs_for

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


@dataclass(frozen=True)
class Slots:
    """Places on the page."""

    answer: DeltaGenerator
    training: DeltaGenerator
    notes: DeltaGenerator
    tabs: Mapping[str, Any]


def layout(start: Start) -> Slots:
    """Create the places for everything under the heading, top to bottom."""
    answer, training = st.container(), st.container()
    tabs = tabs_for(start.entry)
    tab_places = st.tabs(tabs, key=VIEW.key, on_change="rerun", bind="query-params")
    places = dict(zip(tabs, tab_places, strict=True))
    notes = st.container()
    return Slots(answer, training, notes, places)
