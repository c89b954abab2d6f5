"""Show what a budget still affords, what one run costs, and the noise that releases need."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.plan import (
    ACCOUNT,
    CONTROLS,
    DETAIL,
    ENTRIES,
    LADDER,
    LADDER_BUDGET,
    MODEL_DATA,
    QUESTION,
)
from pages.plan import account, controls, entries, release, run
from pages.shared import address, frame, work
from pages.shared.widgets import drawn

ANSWERS = {"account": account.show, "run": run.show, "release": release.show}

every_control = (QUESTION, *ACCOUNT, MODEL_DATA, *LADDER, *CONTROLS, *DETAIL)
others = {ENTRIES: entries.check}
address.check_once("plan", lambda: address.validate_link(every_control, others=others))
frame.title("What can I afford?")
question = drawn(QUESTION, width="content")
progress = st.container()
if question != "account":
    controls.keep_controls(ACCOUNT, [control.default for control in ACCOUNT])
waiting = ANSWERS[question]()
if question != "run":
    controls.keep_run()
if question != "release":
    controls.keep_controls(LADDER_BUDGET, controls.of_account())
with progress:
    work.watch(work.watched(waiting))
