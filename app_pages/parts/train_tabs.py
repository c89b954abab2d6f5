"""The detail under Train's answer: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from app_pages.parts import train_code, train_compare, train_effects, train_runs, train_shapes
from app_pages.parts import train_words as words
from app_pages.parts.background import Task
from app_pages.parts.drawing import download, on_dark, plot
from app_pages.parts.train_controls import TABS, Asked
from app_pages.parts.train_plan import Settled
from dpcore.evaluation import comparison
from dpcore.evaluation.artefacts import measured
from dpcore.figures import training as figures
from dpcore.figures.plan import schedule

if TYPE_CHECKING:
    import pandas as pd


Waiting = list[tuple[str, str, Task[object]]]


def show(asked: Asked, settled: Settled) -> Waiting:
    """The tabs; what they still wait for."""
    content: tuple[Callable[[Asked, Settled], Waiting | None], ...] = (
        _schedule,
        train_shapes.show,
        train_effects.show,
        _why,
        train_compare.show,
        _numbers,
        train_code.show,
    )
    opened = st.tabs(TABS, key="train_view", on_change="rerun", bind="query-params")
    waiting: Waiting = []
    for tab, draw in zip(opened, content, strict=True):
        if tab.open:
            with tab:
                waiting += draw(asked, settled) or []
    return waiting


def _schedule(_: Asked, settled: Settled) -> None:
    drawn = schedule.noise(settled.schedule, settled.recipe.clip, dark=on_dark())
    plot(drawn, "train_schedule")
    download(settled.course, "noise_and_epsilon", "Noise and certified ε at the end of each epoch")


def _why(asked: Asked, settled: Settled) -> None:
    """Clipping only, noise only, both; trained once somebody looks."""
    study, column = asked.study, asked.metric
    alone = comparison.apart(study, settled.recipe.sigma)
    st.markdown(words.WHY)

    def draw(states: dict[str, str], _: pd.DataFrame, still: bool) -> None:
        train_runs.control("why", study, alone, states, settled.records)
        ended = {
            series: one
            for series, one in {**comparison.beside(study), **alone}.items()
            if train_runs.state(one) == "done"
        }
        ends = comparison.last(train_runs.histories(ended))
        plot(figures.why(ends, column, dark=on_dark()), "train_why")
        if len(ends) and still:
            download(ends, "why_accuracy_fell", "The end of each run, for each way of training")

    train_runs.watch("why", alone, study, settled.records, draw)


def _numbers(asked: Asked, _: Settled) -> None:
    """Every row of every run behind the charts."""
    history = train_runs.histories(comparison.beside(asked.study))
    if history.empty:
        st.caption("The rows come as it trains.")
        return
    st.caption(words.MEASURES)
    download(measured(history), f"measures_{asked.study.dataset}", "Every run, epoch by epoch")
