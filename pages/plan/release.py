"""Find the noise of releases within a budget, by every mechanism."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.answers import split
from dpcore.accounting.entries import MAX_COUNT, AccountEntry
from dpcore.controls.plan import LADDER_BUDGET, LADDER_RELEASES, LADDER_SENSITIVITY
from dpcore.errors import InvalidInput, whole
from dpcore.questions.split import figure
from dpcore.words import at_most, plain, raised
from pages.plan import controls, entries
from pages.shared.display import (
    NARROW,
    draw_numbers,
    on_dark,
    plot,
    show_command,
    show_python,
    table_behind,
)
from pages.shared.verbatim import refuse
from pages.shared.work import Waiting

NOISE = (
    "σ is the standard deviation of the Gaussian noise on every released number. It holds if one "
    "person's data move a release by at most Δ."
)
curve = st.cache_data(max_entries=100, show_spinner=False)(figure.ladder_curve)


def show() -> Waiting:
    """Draw the budget and the noise that keeps it; nothing is left to compute."""
    place = st.container(horizontal=True, vertical_alignment="bottom")
    try:
        with place:
            more = LADDER_SENSITIVITY, LADDER_RELEASES
            typed = controls.typed_budget(LADDER_BUDGET, controls.of_account(), more)
        _answer(typed)
    except InvalidInput as refusal:
        refuse(refusal)
    return []


def _answer(typed: controls.TypedBudget) -> None:
    limit, adjacency, people = typed.limit, typed.adjacency, typed.people
    sensitivity = typed.others[LADDER_SENSITIVITY.key]
    count = whole("releases", typed.others[LADDER_RELEASES.key], at_least=1, at_most=10_000)
    shared = split(limit, count, "pld", sensitivity)
    table = curve(limit.epsilon, limit.delta, sensitivity, count)
    st.markdown(f"#### {figure.releases(shared, limit)}", help=NOISE)
    here = table[table["epsilon"] == limit.epsilon]
    (classical,) = here[here["mechanism"] == "classical"].to_dict("records")
    is_met = not classical["reason"]
    draw_numbers(
        (
            (
                "Noise σ",
                at_most(shared.portions[0].sigma, figure.DIGITS),
                f"proved · Gaussian DP, exact · Δ = {plain(sensitivity)}",
                "The least noise that keeps the budget, by the exact curve of Gaussian noise.",
            ),
            (
                "ε spent",
                at_most(shared.certified_epsilon, figure.DIGITS),
                f"of {plain(limit.epsilon)} · δ = {plain(limit.delta)} · {adjacency}",
                "What all these releases spend together, exactly.",
            ),
            (
                "Classical σ",
                at_most(classical["sigma"], figure.DIGITS) if is_met else "none",
                "proved" if is_met else "conditions not met",
                f"What the classical formula asks for: {classical['by']}",
            ),
        ),
        across=3,
        width=NARROW,
    )
    plot(figure.sigmas(table, limit.epsilon, dark=on_dark()), "ladder_figure")
    if not is_met:
        st.markdown(f":red[:material/close:] {classical['reason']}")
    table_behind(table, "sigma_ladder", "Noise of every mechanism over ε")
    controls.note_budget(limit, adjacency, people)
    if count <= MAX_COUNT:
        noise = raised(shared.portions[0].noise_multiplier, 5)
        entry = AccountEntry("release", count=count, noise=noise)
        entries.offer(entry, limit.delta, adjacency, people)
    with st.expander("Take along: command line, Python", icon=":material/file_save:"):
        show_command(figure.command(limit, count, sensitivity))
        show_python(figure.snippet(limit, count, sensitivity))
