"""Shapes of the noise side by side at one ε: isotropic, paper 004's as printed, the sound one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.evaluation import comparison
from dpcore.figures import training as figures
from dpcore.figures.words import at_most, plain
from pages.shared import badges, job_panel
from pages.shared.charts import download, on_dark, plot
from pages.train import texts, trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd


def show(asked: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Trained once somebody looks."""
    study, column = asked.study, asked.metric
    even = calibrated.configs.get("constant", calibrated.config)
    sides = comparison.shapes(study, even.sigma)
    scaled = sides["scaled"]  # begun for itself: paper 004's noise may take hours
    st.markdown(texts.SHAPES)
    if "published" not in sides:
        st.caption(texts.SHAPES_POISSON)
    elif "bounded" not in sides:
        st.caption(texts.SHAPES_PUBLIC)

    watched = trainings.watched("shapes", scaled, sides, calibrated.records)

    def draw(still: bool) -> None:
        job_panel.show(watched)
        table = comparison.averaged(trainings.histories(sides))
        drawn = figures.learning(table, column, epochs=study.config.epochs, dark=on_dark())
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

    job_panel.watch([watched], draw)


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
