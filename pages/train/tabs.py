"""Draw the tabs under Train's answer, each only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import TABS
from dpcore.datasets import images
from dpcore.evaluation.training import histories
from dpcore.evaluation.training.report import measured
from dpcore.figures import schedule
from dpcore.figures import training as figures
from dpcore.questions.comparison import arms
from dpcore.questions.comparison import figure as cost_figure
from dpcore.questions.training import figure
from dpcore.questions.training.told import command, snippet
from dpcore.words import at_most, capitalised, plain
from pages.shared import badges, work
from pages.shared.charts import download, on_dark, plot
from pages.shared.code import show_command, show_opacus, show_python
from pages.shared.work import Waiting
from pages.train import comparison as train_comparison
from pages.train import effects, trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

SCHEDULE = (
    "Whether the noise stays the same, or falls as training goes on (paper 003). Either way the "
    "whole run spends the same ε."
)
OWN_SETTINGS = "For the option `--set` and for `settings` of a study in Python; this page has none."


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
    """Draw the tabs; returns unfinished tasks."""
    content: tuple[Callable[[TrainChoice, CalibratedTraining], Waiting | None], ...] = (
        _schedule,
        _shapes,
        effects.show,
        _why,
        train_comparison.show,
        _numbers,
        _take_along,
    )
    tabs = st.tabs(TABS, key="train_view", on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(tabs, content, strict=True):
        if tab.open:
            with tab:
                waiting += draw(choice, calibrated) or []
    return waiting


def _schedule(_: TrainChoice, calibrated: CalibratedTraining) -> None:
    steps = schedule.noise(calibrated.schedule, calibrated.config.clip, dark=on_dark())
    epochs = figure.epsilon_schedule(
        calibrated.epsilon_schedule, "sigma", epochs=calibrated.config.epochs, dark=on_dark()
    )
    charts = (("Noise, step by step", steps), ("Noise, epoch by epoch", epochs))
    for number, (place, (title, chart)) in enumerate(
        zip(st.columns(2, border=True), charts, strict=True)
    ):
        with place:
            st.subheader(title, anchor=False, help=SCHEDULE)
            plot(chart, f"train_schedule_{number}")
    download(
        calibrated.epsilon_schedule,
        "noise_and_epsilon",
        "Noise and certified ε at the end of each epoch",
    )


def _shapes(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Compare shapes of noise at one ε; they are trained once the tab is opened."""
    study, column = choice.study, choice.metric
    constant = calibrated.configs.get("constant", calibrated.config)
    studies = arms.shapes(study, constant.sigma)
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
        table = histories.averaged(trainings.histories(studies))
        chart = figure.learning(table, column, epochs=study.config.epochs, dark=on_dark())
        plot(chart, "train_shapes")
        ends = histories.ends(table)
        if len(ends):
            _verdicts(ends, column)
        if len(ends) and is_final:
            download(
                ends.assign(claimed_epsilon=arms.claimed(studies, ends)),
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


def _why(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    study, column = choice.study, choice.metric
    studies = {
        "clipped": calibrated.studies["clipped"],
        "noisy": arms.noise_only(study, calibrated.config.sigma),
    }
    st.markdown(
        "Clipping makes gradients smaller and bends their sum; noise covers it. Each column is a "
        "training with these settings and only one of the two, or both. Each point is one "
        "repetition."
    )

    jobs = trainings.watched("why", study, studies, calibrated.records)

    def draw(is_final: bool) -> None:
        work.show(jobs)
        finished = {
            series: arm
            for series, arm in {**calibrated.studies, **studies}.items()
            if trainings.state(arm) == "done"
        }
        ends = histories.last(trainings.histories(finished))
        plot(cost_figure.ablation(ends, column, dark=on_dark()), "train_why")
        if len(ends) and is_final:
            download(ends, "why_accuracy_fell", "The end of each run, for each way of training")

    work.watch([jobs], draw=draw)


def _numbers(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    history = trainings.histories(calibrated.studies)
    if history.empty:
        st.caption("The rows come as it trains.")
        return
    st.caption(
        "Measured on the records: not private, and no ε speaks of it. How ε grows stands under "
        "“Noise schedule”."
    )
    download(measured(history), f"measures_{choice.study.dataset}", "Every run, epoch by epoch")


def _take_along(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    study, training = choice.study, calibrated.training
    show_command(command(study))
    _settings(study.dataset)
    show_python(snippet(study))
    if study.config.noise != "isotropic" or training is None:
        st.markdown("**Opacus**")
        st.markdown("Opacus adds the same noise to every weight, so it has no equal of this noise.")
    else:
        show_opacus(training)
        if study.config.sampling == "poisson":
            st.caption(
                "`model` is yours; the network of this page is built by the Python snippet above."
            )


def _settings(dataset: str) -> None:
    own = images.source(dataset).settings
    if own:
        with st.expander("Settings of this data set alone", icon=":material/tune:"):
            st.caption(OWN_SETTINGS)
            st.markdown("\n".join(f"- `{setting}`: {setting.help}" for setting in own))
