"""Show every accountant's ε of the run side by side, and what paper 003 claims for it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.accounting import accountants, epsilon_curve, planner
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.controls.plan import PAPER
from dpcore.progress import Progress
from dpcore.questions.plan import words
from dpcore.questions.plan.accountants import spending
from pages.plan import paper, texts
from pages.plan.answer import Answer
from pages.shared import badges
from pages.shared.charts import download, on_dark, plot, table_behind
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to

POINTS, FEW_POINTS, MANY_LEVELS = 24, 6, 50


def show(answer: Answer) -> Waiting:
    """Draw a table and ε against steps by every accountant; the paper's claim where asked for."""
    training = answer.training
    rows, waiting = answer_to(
        "every accountant", "Asking every accountant", training, partial(_all_guarantees, training)
    )
    badges.guarantee("plan")
    if rows is None:
        st.caption("The table comes here.")
    else:
        download(pd.DataFrame(rows), "accountants", "ε of the run by every accountant")
    waiting += _by_renyi(answer)
    is_compared = drawn(PAPER)
    waiting += _chart(training, is_compared)
    if is_compared:
        waiting += paper.show(training)
    st.markdown("**What each covers, for Gaussian noise**")
    st.dataframe(
        pd.DataFrame(accountants.coverage()),
        hide_index=True,
        alt="Which accountant covers which sampling and adjacency",
    )
    st.caption("What is not covered is refused: no number is shown for it.")
    return waiting


def _chart(training: TrainingPlan, is_compared: bool) -> Waiting:
    # Its first step decides whether there is a theorem. That of tCDP is about fixed-size batches.
    first = replace(training, steps=1).event()
    kinds = [
        kind
        for kind in epsilon_curve.CURVES
        if (
            is_compared
            if kind == "printed"
            else not accountants.refusal(first, training.adjacency, kind)
        )
    ]
    if not kinds:
        st.caption("No accountant here covers this run.")
        return []
    points = FEW_POINTS if training.levels > MANY_LEVELS else POINTS
    table, waiting = answer_to(
        "curve",
        "Accounting along the run",
        (training, is_compared),
        partial(epsilon_curve.epsilon_curve, training, kinds, points),
        quick=True,
    )
    if table is None:
        st.caption("The lines come here.")
        return waiting
    plot(spending(table, dark=on_dark()), "spending_figure")
    st.caption(texts.CHART)
    table_behind(table, "epsilon_against_steps", "Every number behind the chart of ε against steps")
    return waiting


def _by_renyi(answer: Answer) -> Waiting:
    """Say what Rényi accounting answers to the same question: it adds up less tightly."""
    unknown, start, budget = answer.plan.unknown, answer.start, answer.budget
    plan, waiting = answer_to(
        "renyi",
        "Solving by Rényi",
        (unknown, start, budget),
        partial(planner.solve, unknown, start, budget, "rdp"),
        quick=True,
    )
    if plan is None:
        st.caption("The answer by Rényi comes here.")
    else:
        said = words.spends(plan, start, budget)
        st.markdown(f"By Rényi: {said}", help=f"{texts.RDP} {badges.statement(plan.guarantee)}")
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
