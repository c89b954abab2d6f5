"""Show code to copy: command lines, Python, and the same training with Opacus."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.training_plan import TrainingPlan
from dpcore.guarantee import SAME_FIGURE
from dpcore.questions.plan.told import opacus
from dpcore.words import spaced

OPACUS = (
    "Opacus counts noise in multiples of C and its decay in σ: γ = √R. Its own figure is by Rényi "
    "accounting, one record more or less. It is an upper bound like the one above. "
    f"{SAME_FIGURE}"
)
NO_OPACUS = (
    "Opacus has no accountant for batches of fixed size: it draws Poisson samples, or accounts as "
    "if it did. There is no equivalent call."
)


def show_command(*commands: str) -> None:
    """Show command lines."""
    st.markdown("**Command line**")
    for command in commands:
        st.code(command, language="bash", wrap_lines=True)


def show_python(*snippets: str) -> None:
    """Show Python code."""
    st.markdown("**Python**")
    for snippet in snippets:
        st.code(snippet, language="python", wrap_lines=True)


def show_opacus(training: TrainingPlan) -> None:
    """Show the same training with Opacus and its differences, or that there is none."""
    st.markdown("**Opacus**")
    if training.sampling != "poisson":
        st.markdown(NO_OPACUS)
        return
    st.code(opacus(training), language="python", wrap_lines=True)
    st.caption(OPACUS)
    if training.records % training.batch:
        st.caption(
            f"The batch size does not divide n: Opacus would sample 1 in "
            f"{spaced(-(-training.records // training.batch))} records, slightly fewer than here."
        )
