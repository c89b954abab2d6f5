"""Draw the noise that each mechanism needs for one release at the same (ε, δ)."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpcore.accounting.answers import ladder
from dpcore.controls.plan import LADDER_EPSILON, LADDER_SENSITIVITY
from dpcore.errors import InvalidInput
from dpcore.figures.plan import ladder as figures
from dpcore.figures.words import plain
from pages.plan.answer import Answer
from pages.shared.charts import download, on_dark, plot
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn

TITLES = {
    "classical": "Classical Gaussian",
    "analytic": "Analytic Gaussian",
    "zcdp": "zCDP",
    "tcdp": "tCDP",
    "rdp": "Rényi",
    "pld": "PLD",
}


@st.cache_data(max_entries=100, show_spinner=False)
def rungs(epsilon: float, delta: float, sensitivity: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "title": TITLES[row["mechanism"]],
            "sigma": row["claim"]["sigma"],
            "status": "proved" if row["sigma"] is not None else "conditions not met",
            "reason": " ".join(
                condition["why"] for condition in row["conditions"] if not condition["met"]
            ),
            "epsilon": epsilon,
            "delta": delta,
            "certified_epsilon": row["certified_epsilon"],
            "by": row["theorem"],
        }
        for row in ladder(epsilon, delta, sensitivity)
    )


def show(answer: Answer) -> None:
    """Draw the controls of one release, the bars and their numbers."""
    delta = answer.training.delta
    st.markdown(
        "The noise that each theorem asks for in one release without sampling. All are for the "
        f"same ε and δ = {plain(delta)}, the one of the controls."
    )
    with st.container(horizontal=True):
        epsilon = drawn(LADDER_EPSILON, width=200)
        sensitivity = drawn(LADDER_SENSITIVITY, width=200)
    try:
        table = rungs(epsilon, delta, sensitivity)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    plot(figures.sigmas(table, dark=on_dark()), "ladder_figure")
    for reason in table.loc[table["reason"] != "", "reason"]:
        st.markdown(f":red[:material/close:] {reason}")
    download(table, "sigma_ladder", "Noise of every mechanism for the same ε and δ")
