"""Show what could be published of a table, and how wrong each number would be."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.questions.survival.question import SurvivalQuestion
from pages.describe import answer, controls, survival
from pages.shared import address, frame, work

address.check_once("describe", controls.validate_link)
frame.title("What can I publish?")
table = controls.table()
place, jobs = st.empty(), []
try:
    if table.source in ("built in", "local"):
        question = controls.question(table)
        answer.heading(question, place)
        if isinstance(question, SurvivalQuestion):
            jobs = survival.show(question)
        else:
            jobs = answer.show(question)
        answer.warnings(table)
    else:
        answer.how_to_get(table)
except InvalidInput as refusal:
    answer.show_refusal(table, refusal)
work.only(work.CURVES, [key for job in jobs for key in job.keys])
work.watch(jobs)
