"""Draw the five steps, each in a row that says how far it is."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.release import CONTROLS, DEMONSTRATION
from pages.release import budget, final_step, look, person, table, texts, twin
from pages.release.account import PayingAccount
from pages.release.steps import FIRST, ICONS, ReleaseStep, current
from pages.shared import view_link
from pages.shared.session import store, stored
from pages.shared.widgets import ControlForm

STEPS, ACCOUNT = "release steps", "release account"


def draw() -> None:
    """Draw the steps; the first that is not done is open."""
    view_link.title("May it leave?")
    with st.sidebar:
        st.page_link("predict/predict.py", label=texts.PREDICT, icon=":material/person_search:")
    introduction = st.empty()
    form = ControlForm(CONTROLS)
    # A row is headed before its controls are drawn: by what they were last.
    headed: tuple[ReleaseStep, ...] = stored(STEPS) or FIRST
    opened = current(headed)
    # The browser keeps a row open or closed by its key; one whose turn comes or goes is another.
    rows = [
        st.expander(
            step.label(number),
            expanded=number == opened or step.stays_open,
            icon=ICONS[step.state],
            key=f"release_step_{number}" + ("_now" if number == opened or step.stays_open else ""),
        )
        for number, step in enumerate(headed, 1)
    ]
    account: PayingAccount | None = stored(ACCOUNT)
    with rows[0]:
        is_busy = final_step.under_way(account) is not None or twin.under_way(account) is not None
        records, first = table.draw(form, is_busy=is_busy)
    is_own = form.values["release_table"] != DEMONSTRATION
    introduction.markdown(texts.INTRODUCTION if is_own else texts.DEMONSTRATION)
    with rows[1]:
        second = person.draw(form, records, is_own=is_own)
    with rows[2]:
        look.draw(form)
    with rows[3]:
        paid_from, fourth = budget.draw(form, records)
    with rows[2]:
        third = look.show(form, records, paid_from, second, fourth)
    store(ACCOUNT, paid_from.account)
    before = (first, second, third, fourth)
    with rows[4]:
        fifth = final_step.draw(form, records, paid_from, before)
    steps = (*before, fifth)
    store(STEPS, steps)
    if steps != headed:
        st.rerun()
