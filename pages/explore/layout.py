"""The places on Explore, in reading order; different parts of a run fill them."""

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
    """Places on the page.

    Parameters
    ----------
    answer, training : containers
    tab : str
        The open one.
    controls, contents : places for one element or container each
        Of the open tab: what stands outside the fragment of ε, and what moves with it.
    """

    answer: DeltaGenerator
    training: DeltaGenerator
    tab: str
    controls: DeltaGenerator
    contents: DeltaGenerator


def layout(start: Start) -> Slots:
    """Create the places for everything under the heading, top to bottom.

    Streamlit's own tabs would show half of as many at once, and cost the browser a place for each
    closed one at every move of ε.
    """
    answer, training = st.container(), st.container()
    tab = drawn(VIEW, among=tabs_for(start.entry))
    # A place that is empty costs next to nothing, and keeps what follows where it is: else the
    # contents of two tabs would be on the page while one is left for the other.
    return Slots(answer, training, tab, st.empty(), st.empty())
