"""Compare shapes of noise at one ε: isotropic, paper 004's as printed, the sound one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.evaluation import comparison
from dpcore.figures import training as figures
from dpcore.words import at_most, capitalised, plain
from pages.shared import badges, work
from pages.shared.charts import download, on_dark, plot
from pages.train import trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Draw the shapes; they are trained once the tab is opened."""
    study, column = choice.study, choice.metric
    constant = calibrated.configs.get("constant", calibrated.config)
    studies = comparison.shapes(study, constant.sigma)
    scaled = studies["scaled"]  # starts on its own: paper 004's noise may take hours
    st.markdown(
        "The same training with three shapes of noise, constant over time. **The same for every "
        "weight** and **scaled with the clipping** are certified at the ε that was asked for. "
        "**Paper 004** claims that ε for its noise, and nothing is certified for it. There the "
        "private gradient itself decides where the noise is small."
    )
    if "published" not in studies:
        st.caption(
            "Paper 004's claim is about batches drawn by chance, so its noise is left out here."
        )
    elif "bounded" not in studies:
        st.caption(
            "What does paper 004's shape cost at a *certified* ε? Take its noise, or scaled noise, "
            "with weights from records set aside as public (Expert, “Weights from”)."
        )

    jobs = trainings.watched("shapes", scaled, studies, calibrated.records)

    def draw(is_final: bool) -> None:
        work.show(jobs)
        table = comparison.averaged(trainings.histories(studies))
        chart = figures.learning(table, column, epochs=study.config.epochs, dark=on_dark())
        plot(chart, "train_shapes")
        ends = comparison.ends(table)
        if len(ends):
            _verdicts(ends, column)
        if len(ends) and is_final:
            download(
                ends.assign(claimed_epsilon=comparison.claimed(studies, ends)),
                "shapes_of_noise",
                "Where each shape of the noise ended",
            )

    work.watch([jobs], draw=draw)


def _verdicts(ends: pd.DataFrame, column: str) -> None:
    grid = st.grid(len(ends), min_column_width=220, gap="small", border=True)
    for row in ends.to_dict("records"):
        title = figures.SERIES[row["series"]].title
        with grid.cell(), st.container(gap=None):
            st.metric(capitalised(title), figures.shown(column)(row[column]))
            if row["series"] != "bounded":  # nobody claims it
                badges.status(row["status"])
            is_certified = row["epsilon"] == row["epsilon"]
            epsilon = (
                f"ε = {at_most(row['epsilon'])} certified" if is_certified else "no ε certified"
            )
            st.caption(
                f"{epsilon}, δ = {plain(row['delta'])}, {row['adjacency']}, {row['accountant']}; "
                f"σ = {plain(row['sigma'])}"
            )
