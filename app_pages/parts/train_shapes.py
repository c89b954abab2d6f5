"""Shapes of the noise side by side at one ε: isotropic, paper 004's as printed, the sound one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages.parts import badges, train_runs
from app_pages.parts import train_words as words
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.train_controls import Asked
from app_pages.parts.train_plan import Settled
from dpcore.evaluation import comparison
from dpcore.figures import training as figures
from dpcore.figures.words import at_most, plain

if TYPE_CHECKING:
    import pandas as pd


def show(asked: Asked, settled: Settled) -> None:
    """Trained once somebody looks."""
    study, column = asked.study, asked.metric
    even = settled.recipes.get("constant", settled.recipe)
    sides = comparison.shapes(study, even.sigma)
    scaled = sides["scaled"]  # begun for itself: paper 004's noise may take hours
    st.markdown(words.SHAPES)
    if "published" not in sides:
        st.caption(words.SHAPES_POISSON)
    elif "bounded" not in sides:
        st.caption(words.SHAPES_PUBLIC)

    def draw(states: dict[str, str], history: pd.DataFrame, still: bool) -> None:
        train_runs.control("shapes", scaled, sides, states, settled.records)
        table = comparison.averaged(history)
        drawn = figures.learning(table, column, epochs=study.recipe.epochs, dark=on_dark())
        plot(drawn, "train_shapes")
        ends = comparison.ends(table)
        if len(ends):
            _verdicts(ends, column)
        if len(ends) and still:
            download(
                ends.assign(claimed_epsilon=comparison.claimed(sides, ends)),
                "shapes_of_noise",
                "Where each shape of the noise ended",
            )

    train_runs.watch("shapes", sides, scaled, settled.records, draw)


def _verdicts(ends: pd.DataFrame, column: str) -> None:
    """Each shape with what is certified for it."""
    grid = st.grid(len(ends), min_column_width=220, gap="small", border=True)
    for row in ends.to_dict("records"):
        title = figures.SERIES[row["series"]].title
        with grid.cell(), st.container(gap=None):
            st.metric(title[0].upper() + title[1:], figures.shown(column)(row[column]))
            if row["series"] != "bounded":  # it is no one's claim
                badges.status(row["status"])
            certified = row["epsilon"] == row["epsilon"]
            spent = f"ε = {at_most(row['epsilon'])} certified" if certified else "no ε certified"
            st.caption(
                f"{spent}, δ = {plain(row['delta'])}, {row['adjacency']}, {row['accountant']}; "
                f"σ = {plain(row['sigma'])}"
            )
