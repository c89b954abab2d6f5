"""The detail under the main figure: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages.parts import badges, takeaway
from app_pages.parts.answer import Slots, plot
from app_pages.parts.view import figure
from dpcore.figures import chosen

if TYPE_CHECKING:
    import pandas as pd

    from app_pages.parts.view import View


def at_chosen_epsilon(view: View, rows: pd.DataFrame, epsilon: float, slots: Slots) -> None:
    """The tabs that move with ε; called from the fragment."""
    if slots.tabs["Per 1,000"].open:
        with slots.tabs["Per 1,000"]:
            _per_thousand(view, rows)
    if slots.tabs["Claim and proof"].open:
        with slots.tabs["Claim and proof"]:
            badges.claims_and_proofs(view.calibrations_at(epsilon))


def _per_thousand(view: View, rows: pd.DataFrame) -> None:
    found = view.split.entry
    plot(
        chosen.patients(
            rows,
            view.without_privacy,
            titles=view.titles,
            positive=found.positive,
            negative=found.negative,
            records_are=view.people,
            ill=view.ill_per_1000,
            dark=view.dark,
        ),
        "patients_figure",
    )


def tabs(view: View, slots: Slots) -> None:
    """The detail, each tab drawn only while it is open."""
    for kind, name in (("objective", "Objective"), ("sigma", "Noise σ"), ("excess", "Excess risk")):
        if slots.tabs[name].open:
            with slots.tabs[name]:
                plot(figure(kind, view), f"{kind}_figure")
    if slots.tabs["Take along"].open:
        with slots.tabs["Take along"]:
            takeaway.show(view)
    if slots.tabs["About the data"].open:
        with slots.tabs["About the data"]:
            _about(view)


def _about(view: View) -> None:
    found = view.split.entry
    st.markdown(f"**Source:** {found.source}")
    st.markdown(f"**Licence:** {found.licence}")
    st.markdown(f"**Cite:** {found.citation}")
    for note in (*view.split.notes, *found.traps):
        st.markdown(f"- {note}")
