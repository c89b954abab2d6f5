"""The detail under Train's answer: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpcore.controls.train import TABS
from dpcore.evaluation import comparison
from dpcore.evaluation.training.report import measured
from dpcore.figures import training as figures
from dpcore.figures.plan import schedule
from pages.shared import job_panel
from pages.shared.background import Waiting
from pages.shared.charts import download, on_dark, plot
from pages.train import comparison as train_comparison
from pages.train import effects, noise_shapes, take_along, texts, trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice


def show(asked: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
    """The tabs; what they still wait for."""
    content: tuple[Callable[[TrainChoice, CalibratedTraining], Waiting | None], ...] = (
        _schedule,
        noise_shapes.show,
        effects.show,
        _why,
        train_comparison.show,
        _numbers,
        take_along.show,
    )
    opened = st.tabs(TABS, key="train_view", on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(opened, content, strict=True):
        if tab.open:
            with tab:
                waiting += draw(asked, calibrated) or []
    return waiting


def _schedule(_: TrainChoice, calibrated: CalibratedTraining) -> None:
    drawn = schedule.noise(calibrated.schedule, calibrated.config.clip, dark=on_dark())
    plot(drawn, "train_schedule")
    download(
        calibrated.epsilon_schedule,
        "noise_and_epsilon",
        "Noise and certified ε at the end of each epoch",
    )


def _why(asked: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Clipping only, noise only, both; trained once somebody looks."""
    study, column = asked.study, asked.metric
    alone = comparison.ablations(study, calibrated.config.sigma)
    st.markdown(texts.WHY)

    watched = trainings.watched("why", study, alone, calibrated.records)

    def draw(still: bool) -> None:
        job_panel.show(watched)
        ended = {
            series: one
            for series, one in {**calibrated.studies, **alone}.items()
            if trainings.state(one) == "done"
        }
        ends = comparison.last(trainings.histories(ended))
        plot(figures.why(ends, column, dark=on_dark()), "train_why")
        if len(ends) and still:
            download(ends, "why_accuracy_fell", "The end of each run, for each way of training")

    job_panel.watch([watched], draw)


def _numbers(asked: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Every row of every run behind the charts."""
    history = trainings.histories(calibrated.studies)
    if history.empty:
        st.caption("The rows come as it trains.")
        return
    st.caption(texts.MEASURES)
    download(measured(history), f"measures_{asked.study.dataset}", "Every run, epoch by epoch")
