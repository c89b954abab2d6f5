"""Draw the budgets of the account and of releases: two, asked for alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.controls.account import ACCOUNT
from dpcore.controls.common import ADJACENCIES, PUBLIC_SIZE
from dpcore.controls.control import Control
from dpcore.controls.plan import BY_RULE
from dpcore.datasets.own.typed_numbers import meant
from dpcore.errors import number, whole
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from dpcore.words import plain
from pages.shared.session import control_value
from pages.shared.widgets import drawn, follows

ADD_REMOVE = str(Adjacency.ADD_REMOVE)
TOO_LARGE = 0.1 * (1.0 + 1e-9)


@dataclass(frozen=True)
class TypedBudget:
    """Hold what is typed."""

    limit: PrivacyBudget
    adjacency: Adjacency
    people: int
    others: dict[str, float]


def typed(
    controls: Sequence[Control] = ACCOUNT,
    usual: Sequence[Any] = (None,) * len(ACCOUNT),
    more: Iterable[Control] = (),
) -> TypedBudget:
    """Draw ε, the number of people and further numbers, δ and the adjacency one click away.

    Call it in a horizontal container; refuses an ε that is no number in range.
    """
    epsilon, stop, people, neighbour = controls
    epsilon_first, stop_first, people_first, neighbour_first = usual
    epsilon_text = drawn(epsilon, usual=epsilon_first, width=120)
    linked = st.query_params.get(neighbour.key) == neighbour.text(ADD_REMOVE)
    protected = control_value(neighbour.key) or (ADD_REMOVE if linked else neighbour_first)
    size = {"label": "Public size", "help": PUBLIC_SIZE} if protected == ADD_REMOVE else {}
    count = drawn(people, usual=people_first, width=150, **size)
    others = {control.key: drawn(control, width=130) for control in more}
    with st.popover("δ and what is protected", icon=":material/shield_person:"):
        chosen = drawn(stop, usual=stop_first)
        adjacency = Adjacency(drawn(neighbour, usual=neighbour_first))
    records = whole("people in the data", count, at_least=1)
    epsilon_typed = number(
        "budget ε", meant("budget ε", epsilon_text), at_least=0.001, at_most=1000.0
    )
    return TypedBudget(
        PrivacyBudget(epsilon_typed, _delta(chosen, records)), adjacency, records, others
    )


def _delta(stop: float, records: int) -> float:
    return default_delta(records) if stop == BY_RULE else stop


def of_account() -> list[Any]:
    """The values of the account's controls, in the order of `ACCOUNT`, drawn or not."""
    values = [control_value(control.key) for control in ACCOUNT]
    return [
        control.default if value is None else value
        for control, value in zip(ACCOUNT, values, strict=True)
    ]


def account_counts() -> tuple[float, Adjacency, int]:
    """Return δ, the adjacency and the number of people that the account counts with."""
    _, stop, people, neighbour = of_account()
    return _delta(stop, people), Adjacency(neighbour), people


def keep(controls: Sequence[Control], usual: Sequence[Any]) -> None:
    """Draw, unseen, the controls of another question that have been set.

    The address holds the values of drawn controls only, and each question has a budget of its own.
    """
    changed = [
        (control, first)
        for control, first in zip(controls, usual, strict=True)
        if _is_set(control, first)
    ]
    if changed:
        with st.container(key=f"unseen {controls[0].key}"):
            for control, first in changed:
                drawn(control, usual=first)


def _is_set(control: Control, usual: Any) -> bool:
    value = control_value(control.key)
    if value is None:
        return control.key in st.query_params
    return not (value == usual or follows(control))


def note(budget: PrivacyBudget, adjacency: Adjacency, people: int) -> None:
    """Say for which δ and neighbours all figures hold."""
    rule = "by the rule" if budget.delta == default_delta(people) else "as chosen"
    share = people * budget.delta
    large = " That is large: at δ = 1/n one record could be published." if share > TOO_LARGE else ""
    st.caption(
        f"δ = {plain(budget.delta)} {rule}, n·δ = {plain(share)}.{large} Protected: "
        f"{ADJACENCIES[str(adjacency)].lower()} ({adjacency})."
    )
