"""Show what a budget still affords, which setting keeps it, and what one run costs."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.account import ACCOUNT, FIND_BUDGET, QUESTION
from pages.plan import account, budget, links, run, setting
from pages.shared import background, job_panel, query, view_link
from pages.shared.widgets import drawn

ANSWERS = {"account": account.show, "setting": setting.show, "run": run.show}

query.tell(links.validate_link())
view_link.title("What can I afford?")
question = drawn(QUESTION, width="content")
progress = st.container()
if question != "account":
    budget.keep(ACCOUNT, [control.default for control in ACCOUNT])
waiting = ANSWERS[question]()
if question != "setting":
    budget.keep(FIND_BUDGET, budget.of_account())
with progress:
    job_panel.watch(background.watched(waiting))
