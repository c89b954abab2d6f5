"""Draw the tabs under Plan's answer, each only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.accounting import accountants, planner
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.controls.plan import TABS, VIEW
from dpcore.errors import InvalidInput
from dpcore.figures.plan import schedule
from dpcore.progress import Progress
from pages.plan import ladder, maps, presets, take_along
from pages.plan.answer import Answer
from pages.shared.background import Waiting, answer_to
from pages.shared.charts import download, on_dark, plot
from pages.shared.verbatim import refuse


def show(answer: Answer) -> Waiting:
    """Draw the tabs; returns unfinished tasks of the open one."""
    content: tuple[Callable[[Answer], Waiting | None], ...] = (
        _schedule,
        maps.show,
        lambda _: presets.show(),
        ladder.show,
        _accountants,
        take_along.show,
    )
    tabs = st.tabs(TABS, key=VIEW.key, on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(tabs, content, strict=True):
        if tab.open:
            with tab:
                try:
                    waiting += draw(answer) or []
                except InvalidInput as refusal:
                    refuse(refusal)
    return waiting


def _schedule(answer: Answer) -> None:
    training = answer.training
    noise_figure = schedule.noise(training.schedule(), training.clip, dark=on_dark())
    plot(noise_figure, "schedule_figure")


def _accountants(answer: Answer) -> Waiting:
    training = answer.training
    st.markdown(
        "Every way of adding up that this page knows, for the run as it is set. The later ones are "
        "older and looser. All of them are upper bounds that hold for the adjacency of the "
        "controls."
    )
    rows, waiting = answer_to(
        "every accountant", "Asking every accountant", training, partial(_all_guarantees, training)
    )
    if rows is None:
        st.caption("The table comes here.")
    else:
        download(pd.DataFrame(rows), "accountants", "ε of the run by every accountant")
        for row in rows:
            if row["why not"]:
                st.caption(f"No ε by {row['accountant']}: {row['why not']}")
    st.markdown("**What each covers, for Gaussian noise**")
    st.dataframe(
        pd.DataFrame(accountants.coverage()),
        hide_index=True,
        alt="Which accountant covers which sampling and adjacency",
    )
    st.caption("What is not covered is refused: no number is shown for it.")
    return waiting


def _all_guarantees(training: TrainingPlan, progress: Progress) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for position, (key, accountant) in enumerate(accountants.ACCOUNTANTS.items()):
        progress(position / len(accountants.ACCOUNTANTS), accountant.title)
        guarantee = planner.spent(training, key)
        rows.append(
            {
                "accountant": accountant.title,
                "ε": guarantee.epsilon,
                "δ": training.delta,
                "adjacency": str(guarantee.adjacency),
                "why not": guarantee.reason,
                "source": accountant.source,
            }
        )
    return rows
