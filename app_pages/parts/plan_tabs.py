"""The detail under Plan's answer: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from app_pages.parts import plan_presets
from app_pages.parts.background import Task
from app_pages.parts.drawing import on_dark, plot
from app_pages.parts.plan_answer import Answer
from dpcore.accounting import accountants
from dpcore.figures.plan import schedule

Waiting = list[tuple[str, str, Task[object]]]


def show(answer: Answer) -> Waiting:
    """The tabs; what the open one still waits for."""
    content: dict[str, Callable[[Answer], Waiting | None]] = {
        "Noise schedule": _schedule,
        "Paper 003": lambda _: plan_presets.show(),
        "Accountants": _accountants,
    }
    opened = st.tabs(list(content), key="plan_view", on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(opened, content.values(), strict=True):
        if tab.open:
            with tab:
                waiting += draw(answer) or []
    return waiting


def _schedule(answer: Answer) -> None:
    training = answer.training
    drawn = schedule.noise(training.schedule(), training.clip, dark=on_dark())
    plot(drawn, "schedule_figure")


def _accountants(answer: Answer) -> None:
    st.dataframe(
        pd.DataFrame(accountants.coverage()),
        hide_index=True,
        alt="Which accountant covers which sampling and adjacency",
    )
    st.caption("What is not covered is refused: no number is shown for it.")
