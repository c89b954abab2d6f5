"""The detail under Train's answer: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import TABS
from dpcore.evaluation import comparison
from dpcore.evaluation.training.report import measured
from dpcore.figures import training as figures
from dpcore.figures.plan import schedule
from pages.shared.background import BackgroundTask
from pages.shared.charts import download, on_dark, plot
from pages.train import comparison as train_comparison
from pages.train import effects, noise_shapes, take_along, texts, trainings
from pages.train.calibration import Settled
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd


Waiting = list[tuple[str, str, BackgroundTask[object]]]


def show(asked: TrainChoice, settled: Settled) -> Waiting:
    """The tabs; what they still wait for."""
    content: tuple[Callable[[TrainChoice, Settled], Waiting | None], ...] = (
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
                waiting += draw(asked, settled) or []
    return waiting


def _schedule(_: TrainChoice, settled: Settled) -> None:
    drawn = schedule.noise(settled.schedule, settled.config.clip, dark=on_dark())
    plot(drawn, "train_schedule")
    download(settled.course, "noise_and_epsilon", "Noise and certified ε at the end of each epoch")


def _why(asked: TrainChoice, settled: Settled) -> None:
    """Clipping only, noise only, both; trained once somebody looks."""
    study, column = asked.study, asked.metric
    alone = comparison.apart(study, settled.config.sigma)
    st.markdown(texts.WHY)

    def draw(states: dict[str, str], _: pd.DataFrame, still: bool) -> None:
        trainings.control("why", study, alone, states, settled.records)
        ended = {
            series: one
            for series, one in {**comparison.beside(study), **alone}.items()
            if trainings.state(one) == "done"
        }
        ends = comparison.last(trainings.histories(ended))
        plot(figures.why(ends, column, dark=on_dark()), "train_why")
        if len(ends) and still:
            download(ends, "why_accuracy_fell", "The end of each run, for each way of training")

    trainings.watch("why", alone, study, settled.records, draw)


def _numbers(asked: TrainChoice, _: Settled) -> None:
    """Every row of every run behind the charts."""
    history = trainings.histories(comparison.beside(asked.study))
    if history.empty:
        st.caption("The rows come as it trains.")
        return
    st.caption(texts.MEASURES)
    download(measured(history), f"measures_{asked.study.dataset}", "Every run, epoch by epoch")
