"""Go from a table to a model that may leave: five steps, each in a row that says how far it is."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.release import CONTROLS, DEMONSTRATION
from pages.release import budget, final_step, look, steps, table
from pages.release.account import PayingAccount
from pages.release.steps import ReleaseStep
from pages.shared import address, frame
from pages.shared.session import store, stored
from pages.shared.widgets import ControlForm

HEADED, ACCOUNT = "release steps", "release account"
OF_DEMONSTRATION = (
    "**Demonstration: nothing real is spent.** Patients and ledger are made up. All is filled in: "
    "press Release."
)
INTRODUCTION = (
    "A private model of your table is trained once, paid from the ledger, and leaves with its "
    "certificate."
)

address.check_once("release", steps.validate_link)
frame.title("May it leave?")
with st.sidebar:
    st.page_link(
        "predict/predict.py", label="Predict with a released model", icon=":material/person_search:"
    )
introduction = st.empty()
form = ControlForm(CONTROLS)

# A row is headed before its controls are drawn: by what they were last.
headed: tuple[ReleaseStep, ...] = stored(HEADED) or steps.FIRST
current = steps.current(headed)
rows = []
for number, step in enumerate(headed, 1):
    is_open = number == current or step.stays_open
    # The browser keeps a row open or closed by its key; one whose turn comes or goes is another.
    key = f"release_step_{number}" + ("_now" if is_open else "")
    icon = steps.ICONS[step.state]
    rows.append(st.expander(step.label(number), expanded=is_open, icon=icon, key=key))

account: PayingAccount | None = stored(ACCOUNT)
is_busy = any(
    under_way(account)
    for under_way in (final_step.under_way, look.twin_under_way, final_step.table_under_way)
)
with rows[0]:
    records, first = table.draw_table(form, is_busy=is_busy)
is_own = form.values["release_table"] != DEMONSTRATION
introduction.markdown(INTRODUCTION if is_own else OF_DEMONSTRATION)
with rows[1]:
    second = table.draw_person(form, records, is_own=is_own)
with rows[2]:
    look.draw(form)
with rows[3]:
    paid_from, fourth = budget.draw(form, records)
with rows[2]:
    third = look.show(form, records, paid_from, second, fourth)
store(ACCOUNT, paid_from.account)
with rows[4]:
    fifth = final_step.draw(form, records, paid_from, (first, second, third, fourth))
reached = (first, second, third, fourth, fifth)
store(HEADED, reached)
if reached != headed:
    st.rerun()
