"""Heat maps around the run: ε over first noise and decay, and over first noise and batch."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import plan_words as words
from app_pages.parts.background import Task, ask, missing
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.plan_answer import FAST, PATIENCE, Answer, covered
from app_pages.parts.plan_controls import target
from dpcore.accounting import accountants, grid
from dpcore.figures.plan import maps

OVER = {"decay": "Noise and decay R", "rate": "Noise and sampling rate q"}
# What a link may ask for, in the form that `links` checks.
ALLOWED = {"map": ("the map", list(OVER.values()), "noise and decay")}


def show(answer: Answer) -> list[tuple[str, str, Task[object]]]:
    """The map that is chosen, its numbers, and what is still on its way."""
    training = answer.training
    over = st.segmented_control(
        "ε over",
        list(OVER),
        format_func=OVER.__getitem__,
        default="decay",
        required=True,
        key="map",
        bind="query-params",
        help=words.MAP,
    )
    if not covered(training, FAST):
        st.markdown(accountants.refusal(training.event(), training.adjacency, FAST))
        return []
    task = ask("map", (training, over), lambda _: grid.table(training, over or "decay"))
    table = task.answer(PATIENCE)
    if table is None:
        st.caption("The map comes here.")
    else:
        drawn = maps.epsilon(
            table,
            over,
            sigma=training.sigma,
            value=training.decay if over == "decay" else training.rate,
            target=target(),
            dark=on_dark(),
        )
        plot(drawn, "map_figure")
        st.caption(
            "By Rényi accounting, on a grid that rounds towards more ε. Steps stay as they are "
            "set. The target is the one of the question asked backwards."
        )
        download(table, f"epsilon_over_sigma_and_{over}", "ε of every setting on the map")
    return missing("map", "Computing the map", task, table)
