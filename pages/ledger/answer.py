"""Show what is left of a data set, its history, and whether the chain is whole."""

from __future__ import annotations

import streamlit as st

from dpcore.figures import ledger as figures
from dpcore.release.ledger import Ledger
from dpcore.release.ledger.chain import history_rows
from dpcore.words import at_least, at_most, plain, spaced
from pages.ledger import texts
from pages.shared import composition_note
from pages.shared.charts import download, on_dark, plot
from pages.shared.numbers import draw_numbers
from pages.shared.verbatim import verbatim

LATEST = 100
"""Most entries that are read and drawn."""


def chosen(ledger: Ledger) -> str | None:
    """Draw the choice of a data set; ``None`` where there is none."""
    names = list(ledger.data_sets())
    with st.sidebar:
        name = st.selectbox("Data set", names, key="ledger_data_set", placeholder="none yet")
    if name is None:
        st.markdown("The ledger has no data set yet: `python -m dpcore ledger create` begins one.")
    return name


def show(ledger: Ledger, data_set: str) -> None:
    """Draw the answer for one data set; refuses a ledger that cannot be read or was changed."""
    left = ledger.left(data_set)
    epsilon, delta = left.cap
    st.markdown(f"#### {verbatim(data_set)}: {verbatim(left.words())}")
    adjacency = str(left.account.terms.adjacency)
    about = f"δ = {plain(delta)} · {adjacency}"
    draw_numbers(
        (
            ("ε taken", at_most(left.epsilon_spent), "by the filter", f"{texts.SPENT} {about}."),
            ("ε left", at_least(left.shown), f"of {plain(epsilon)}", f"{texts.LEFT} {left.basis}"),
            ("Cap", plain(epsilon), about, texts.CAP),
        ),
        across=3,
    )
    composition_note.draw()
    rows = history_rows(ledger.history(data_set, latest=LATEST))
    plot(figures.spending(rows, adjacency, dark=on_dark()), "ledger_figure")
    with st.container(horizontal=True):
        verified = st.button("Check the chain", icon=":material/link:", key="ledger_verify")
    if verified:
        _verify(ledger)
    count = ledger.count(data_set)
    if count > len(rows):
        st.caption(f"The latest {len(rows)} of {spaced(count)} entries.")
    download(rows[::-1], "ledger_history", "The history of the data set, the newest entry first")


def _verify(ledger: Ledger) -> None:
    problems = ledger.verify()
    for problem in problems:
        st.error(verbatim(problem), icon=":material/link_off:")
    if not problems:
        st.success(texts.WHOLE.format(count=spaced(ledger.count())), icon=":material/link:")
        st.caption(texts.COPY)
