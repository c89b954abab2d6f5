"""Draw the tabs under Train's answer, each only while it is open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpcore.controls.train import TABS
from dpcore.evaluation import comparison
from dpcore.evaluation.training.report import measured
from dpcore.figures import schedule
from dpcore.figures import training as figures
from pages.shared import work
from pages.shared.charts import download, on_dark, plot
from pages.shared.work import Waiting
from pages.train import comparison as train_comparison
from pages.train import effects, noise_shapes, take_along, texts, trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
    """Draw the tabs; returns unfinished tasks."""
    content: tuple[Callable[[TrainChoice, CalibratedTraining], Waiting | None], ...] = (
        _schedule,
        noise_shapes.show,
        effects.show,
        _why,
        train_comparison.show,
        _numbers,
        take_along.show,
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
    epochs = figures.epsilon_schedule(
        calibrated.epsilon_schedule, "sigma", epochs=calibrated.config.epochs, dark=on_dark()
    )
    charts = (("Noise, step by step", steps), ("Noise, epoch by epoch", epochs))
    for number, (place, (title, chart)) in enumerate(
        zip(st.columns(2, border=True), charts, strict=True)
    ):
        with place:
            st.subheader(title, anchor=False, help=texts.SCHEDULE)
            plot(chart, f"train_schedule_{number}")
    download(
        calibrated.epsilon_schedule,
        "noise_and_epsilon",
        "Noise and certified ε at the end of each epoch",
    )


def _why(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    study, column = choice.study, choice.metric
    studies = {
        "clipped": calibrated.studies["clipped"],
        "noisy": comparison.noise_only(study, calibrated.config.sigma),
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
        ends = comparison.last(trainings.histories(finished))
        plot(figures.ablation(ends, column, dark=on_dark()), "train_why")
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
