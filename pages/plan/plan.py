"""Show what a budget still affords, what one run costs, and the noise that releases need."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.account import ACCOUNT, LADDER_BUDGET, QUESTION
from pages.plan import account, budget, controls, links, release, run
from pages.shared import query, view_link, work
from pages.shared.widgets import drawn

ANSWERS = {"account": account.show, "run": run.show, "release": release.show}

query.tell(links.validate_link())
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
