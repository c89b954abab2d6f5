"""Draw the noise of every step, and heat maps of ε around the run."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting import grid
from dpcore.accounting.accountants import refusal
from dpcore.controls.plan import MAP
from dpcore.figures import schedule
from dpcore.questions.plan import map as figure
from dpcore.words import plain
from pages.plan.answer import Answer
from pages.shared.charts import download, on_dark, plot
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to


def show(answer: Answer) -> Waiting:
    """Draw the schedule, the chosen map and its numbers; returns its unfinished task."""
    training = answer.training
    plot(schedule.noise(training.schedule(), training.clip, dark=on_dark()), "schedule_figure")
    axis = drawn(MAP, width="content")
    if reason := refusal(training.event(), training.adjacency, "rdp"):
        st.markdown(reason)
        return []
    table, waiting = answer_to(
        "map", "Computing the map", (training, axis), lambda _: grid.table(training, axis)
    )
    if table is None:
        st.caption("The map comes here.")
    else:
        map_figure = figure.epsilon(
            table,
            axis,
            sigma=training.sigma,
            value=training.decay if axis == "decay" else training.rate,
            target=answer.budget,
            basis=f"Rényi · {training.adjacency} · δ = {plain(training.delta)}",
            dark=on_dark(),
        )
        plot(map_figure, "map_figure")
        st.caption(
            f"By Rényi accounting, {training.adjacency}, δ = {plain(training.delta)}, on a "
            "grid that rounds towards more ε. Steps stay as they are set. The target is the budget."
        )
        download(table, f"epsilon_over_sigma_and_{axis}", "ε of every setting on the map")
    return waiting
