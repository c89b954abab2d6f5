"""The σ ladder: the noise one release needs for the same promise, by every mechanism."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app_pages.parts import plan_words as words
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.plan_answer import Answer
from app_pages.parts.verbatim import refuse
from dpcore.accounting.answers import ladder
from dpcore.errors import InvalidInput
from dpcore.figures.plan import ladder as figures
from dpcore.figures.words import plain

TITLES = {
    "classical": "Classical Gaussian",
    "analytic": "Analytic Gaussian",
    "zcdp": "zCDP",
    "tcdp": "tCDP",
    "rdp": "Rényi",
    "pld": "PLD",
}
EPSILONS, SENSITIVITIES = (0.001, 100.0), (1e-6, 1e6)
# What a link may ask for, in the form that `links` checks.
NUMBERS = [
    ("ladder_epsilon", "an ε of a release of", *EPSILONS),
    ("ladder_sensitivity", "a sensitivity Δ of", *SENSITIVITIES),
]


@st.cache_data(max_entries=100, show_spinner=False)
def rungs(epsilon: float, delta: float, sensitivity: float) -> pd.DataFrame:
    """One row per mechanism, from the most noise to the least."""
    return pd.DataFrame(
        {
            "title": TITLES[row["mechanism"]],
            "sigma": row["claim"]["sigma"],
            "status": "proved" if row["sigma"] is not None else "conditions not met",
            "reason": " ".join(each["why"] for each in row["conditions"] if not each["met"]),
            "epsilon": epsilon,
            "delta": delta,
            "certified_epsilon": row["certified_epsilon"],
            "by": row["theorem"],
        }
        for row in ladder(epsilon, delta, sensitivity)
    )


def show(answer: Answer) -> None:
    """The controls of one release, the bars and their numbers."""
    delta = answer.training.delta
    st.markdown(
        "One release without sampling: how much noise each theorem asks for, for the same ε and "
        f"δ = {plain(delta)} (the one of the controls)."
    )
    with st.container(horizontal=True):
        epsilon = st.number_input(
            "ε of the release",
            *EPSILONS,
            1.0,
            step=0.1,
            format="%.6g",
            key="ladder_epsilon",
            bind="query-params",
            help=words.LADDER_EPSILON,
            width=200,
        )
        sensitivity = st.number_input(
            "Sensitivity Δ",
            *SENSITIVITIES,
            1.0,
            step=0.1,
            format="%.6g",
            key="ladder_sensitivity",
            bind="query-params",
            help=words.SENSITIVITY,
            width=200,
        )
    try:
        table = rungs(epsilon, delta, sensitivity)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    plot(figures.sigmas(table, dark=on_dark()), "ladder_figure")
    for reason in table.loc[table["reason"] != "", "reason"]:
        st.markdown(f":red[:material/close:] {reason}")
    download(table, "sigma_ladder", "Noise of every mechanism for the same ε and δ")
