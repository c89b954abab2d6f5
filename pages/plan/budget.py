"""The budget that the account and the search for a setting share."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dpcore.controls.account import BUDGET, PEOPLE, YEAR_DELTA, YEAR_NEIGHBOUR
from dpcore.controls.common import ADJACENCIES
from dpcore.controls.control import Control
from dpcore.controls.plan import BY_RULE
from dpcore.errors import number, whole
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from pages.shared.session import control_value
from pages.shared.widgets import drawn

TOO_LARGE = 0.1 * (1.0 + 1e-9)


def typed(
    more: Iterable[Control] = (),
) -> tuple[PrivacyBudget, Adjacency, int, dict[str, float]]:
    """Draw ε, the number of people and further numbers, δ and the adjacency one click away.

    Call it in a horizontal container.

    Parameters
    ----------
    more : iterable of Control
        Numbers to draw beside them; their values are returned by key.

    Raises
    ------
    InvalidInput
        If ε is no number in range.
    """
    epsilon = drawn(BUDGET, width=110)
    people = drawn(PEOPLE, width=170)
    others = {control.key: drawn(control, width=140) for control in more}
    with st.popover("δ and what is protected", icon=":material/shield_person:"):
        stop = drawn(YEAR_DELTA)
        adjacency = Adjacency(drawn(YEAR_NEIGHBOUR))
    records = whole("people in the data", people, at_least=1)
    delta = default_delta(records) if stop == BY_RULE else stop
    return (
        PrivacyBudget(number("budget ε", epsilon, at_least=0.001, at_most=1000.0), delta),
        adjacency,
        records,
        others,
    )


def note(budget: PrivacyBudget, adjacency: Adjacency, people: int) -> None:
    """Say for which δ and neighbours all figures hold."""
    rule = "by the rule" if control_value(YEAR_DELTA.key) in (None, BY_RULE) else "as chosen"
    share = people * budget.delta
    large = " That is large: at δ = 1/n one record could be published." if share > TOO_LARGE else ""
    st.caption(
        f"δ = {plain(budget.delta)} {rule}, n·δ = {plain(share)}.{large} Protected: "
        f"{ADJACENCIES[str(adjacency)].lower()} ({adjacency})."
    )
