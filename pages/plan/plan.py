"""Show what a budget still affords, what one run costs, and the noise that releases need."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.account import ACCOUNT, ENTRIES, LADDER, LADDER_BUDGET, MODEL_DATA, QUESTION
from dpcore.controls.plan import CONTROLS, DETAIL
from pages.plan import account, budget, controls, entries, release, run
from pages.shared import query, view_link, work
from pages.shared.session import once
from pages.shared.widgets import drawn

ANSWERS = {"account": account.show, "run": run.show, "release": release.show}

query.tell(
    once(
        "plan_link",
        lambda: query.validate_link(
            (QUESTION, *ACCOUNT, MODEL_DATA, *LADDER, *CONTROLS, *DETAIL),
            others={ENTRIES: entries.check},
        ),
    )
)
view_link.title("What can I afford?")
question = drawn(QUESTION, width="content")
progress = st.container()
if question != "account":
    budget.keep(ACCOUNT, [control.default for control in ACCOUNT])
waiting = ANSWERS[question]()
if question != "run":
    controls.keep()
if question != "release":
    budget.keep(LADDER_BUDGET, budget.of_account())
with progress:
    work.watch(work.watched(waiting))
