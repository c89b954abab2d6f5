"""The run as code, to copy."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.training_plan import TrainingPlan
from dpcore.controls.plan import SOLVED
from dpcore.export.plan import command, plan_command, snippet
from pages.plan.answer import CERTIFIED, FAST, Answer, covered
from pages.plan.controls import target
from pages.shared.opacus import show_opacus
from pages.shared.session import control_text


def _accountant(training: TrainingPlan) -> str:
    return CERTIFIED if covered(training, CERTIFIED) else FAST


def show(answer: Answer) -> None:
    """Show the command line, Python and Opacus code, each to copy."""
    training = answer.training
    accountant = _accountant(training)
    st.markdown("**Command line**")
    st.code(command(training, accountant), language="bash", wrap_lines=True)
    unknown = control_text("solve")
    is_solving = unknown in SOLVED and unknown != "epsilon"
    if is_solving:
        st.code(
            plan_command(training, unknown, target(), accountant), language="bash", wrap_lines=True
        )
    st.markdown("**Python**")
    st.code(snippet(training, accountant), language="python", wrap_lines=True)
    if is_solving:
        st.code(
            snippet(training, accountant, unknown, target()), language="python", wrap_lines=True
        )
    show_opacus(training)
