"""The detail under Plan's answer: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from app_pages.parts import plan_calendar, plan_code, plan_ladder, plan_maps, plan_presets
from app_pages.parts import plan_words as words
from app_pages.parts.background import Progress, Task, ask, missing
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.plan_answer import PATIENCE, Answer
from dpcore.accounting import accountants, planner
from dpcore.accounting.planner import Training
from dpcore.figures.plan import schedule

Waiting = list[tuple[str, str, Task[object]]]


def show(answer: Answer) -> Waiting:
    """The tabs; what the open one still waits for."""
    opened = st.tabs(list(CONTENT), key="plan_view", on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(opened, CONTENT.values(), strict=True):
        if tab.open:
            with tab:
                waiting += draw(answer) or []
    return waiting


def _schedule(answer: Answer) -> None:
    training = answer.training
    drawn = schedule.noise(training.schedule(), training.clip, dark=on_dark())
    plot(drawn, "schedule_figure")


def _accountants(answer: Answer) -> Waiting:
    training = answer.training
    st.markdown(words.ACCOUNTANTS)
    task = ask("every accountant", training, lambda progress: _every(training, progress))
    rows = task.answer(PATIENCE)
    if rows is None:
        st.caption("The table comes here.")
    else:
        download(pd.DataFrame(rows), "accountants", "ε of the run by every accountant")
    st.markdown("**What each covers, for Gaussian noise**")
    st.dataframe(
        pd.DataFrame(accountants.coverage()),
        hide_index=True,
        alt="Which accountant covers which sampling and adjacency",
    )
    st.caption("What is not covered is refused: no number is shown for it.")
    return missing("every accountant", "Asking every accountant", task, rows)


def _every(training: Training, progress: Progress) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for place, (key, accountant) in enumerate(accountants.ACCOUNTANTS.items()):
        progress(place / len(accountants.ACCOUNTANTS), accountant.title)
        found = planner.spent(training, key)
        rows.append(
            {
                "accountant": accountant.title,
                "ε": found.epsilon,
                "δ": training.delta,
                "adjacency": str(found.adjacency),
                "why not": found.reason,
                "source": accountant.source,
            }
        )
    return rows


CONTENT: dict[str, Callable[[Answer], Waiting | None]] = {
    "Noise schedule": _schedule,
    "Heat maps": plan_maps.show,
    "Paper 003": lambda _: plan_presets.show(),
    "Release calendar": plan_calendar.show,
    "σ ladder": plan_ladder.show,
    "Accountants": _accountants,
    "Take along": plan_code.show,
}
# What a link may ask for, in the form that `links` checks.
ALLOWED = {"plan_view": ("the tab", list(CONTENT), next(iter(CONTENT)))}
