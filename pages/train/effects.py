"""What one setting does while the budget stays the same: trained with several values of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import EFFECT, GIVES_WAY
from dpcore.errors import InvalidInput
from dpcore.evaluation import effects, jobs
from dpcore.evaluation.effects import Effect
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
from dpcore.export import train as export
from dpcore.figures import training as figures
from dpcore.figures.words import plain
from pages.shared import shared_jobs
from pages.shared.background import BackgroundTask, ask, missing
from pages.shared.charts import download, on_dark, plot
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn
from pages.train import texts, trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 0.3
PLACE = "effect"


@dataclass(frozen=True)
class Varied:
    """One setting's values, and the trainings with each.

    Parameters
    ----------
    effect : Effect
    way : str
        What gives way.
    values : tuple of float
    sweep : TrainingSweep
        A study a value.
    now : float
        The present value.
    """

    effect: Effect
    way: str
    values: tuple[float, ...]
    sweep: TrainingSweep
    now: float


def show(
    asked: TrainChoice, calibrated: CalibratedTraining
) -> list[tuple[str, str, BackgroundTask[object]]]:
    """Choose a setting, start, watch; what is still on its way."""
    study, records = asked.study, calibrated.records
    st.markdown(texts.EFFECT)
    with st.container(horizontal=True):
        effect = effects.effect(drawn(EFFECT))
        way = effect.gives_way[0]
        if len(effect.gives_way) > 1:
            way = drawn(GIVES_WAY, among=effect.gives_way)
    if reason := effect.why_not(study):
        st.info(reason, icon=":material/block:")
        return []
    key = (study.key, records, effect.key, way)
    task = ask("effect", key, lambda _: _varied(effect, way, study, records))
    try:
        varied = task.answer(PATIENCE)
    except InvalidInput as refusal:
        st.info(verbatim(str(refusal)), icon=":material/block:")
        return []
    if varied is None:
        st.caption("Solving for what each value affords.")
        return missing("effect", "Solving for what each value affords", task, varied)
    _watch(varied, asked.metric, study)
    return []


def _varied(effect: Effect, way: str, study: TrainingStudy, records: int) -> Varied:
    values = effect.values(study, records, way)
    sweep = effect.sweep(study, records, values, way)
    return Varied(effect, way, values, sweep, effect.present(study, records))


def _watch(varied: Varied, metric: str, study: TrainingStudy) -> None:
    """Draw what is there; again and again while it is trained."""
    sweep = varied.sweep
    shared_jobs.only(PLACE, [sweep.key])
    before = trainings.state(sweep)
    active = before in ("queued", "running")
    if active:
        shared_jobs.join(PLACE, sweep.key)

    @st.fragment(run_every=trainings.POLL_SECONDS if active else None)
    def look() -> None:
        state = trainings.state(sweep)
        if state != before and (active or state in ("queued", "running")):
            st.rerun()
        _line(varied, state, study)
        rows = _rows(sweep, state)
        table = None if rows is None else effects.ends(varied.effect, varied.values, sweep, rows)
        if table is not None and len(table):
            _charts(varied, metric, table, still=not active)
        if table is not None and state == "done":
            st.markdown("**Python**")
            st.code(snippet(varied, study), language="python", wrap_lines=True)

    look()


def _rows(sweep: TrainingSweep, state: str) -> pd.DataFrame | None:
    if state == "done":
        return trainings.result(sweep.key)
    return jobs.Job(sweep.key).partial()


def _line(varied: Varied, state: str, study: TrainingStudy) -> None:
    """How far it is, with a button for what can be done now."""
    job = jobs.find(varied.sweep.key)
    if state == "done":
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if state in ("queued", "running") and job is not None:
            share = min(1.0, max(0.0, job.progress))
            st.progress(
                share, text=f"Training with {len(varied.values)} values: {verbatim(job.message)}"
            )
            stop = st.button("Stop", key="effect_stop", icon=":material/stop_circle:")
            if stop:
                shared_jobs.stop(varied.sweep.key)
                st.rerun()
            return
        if state == "failed" and job is not None:
            st.caption(verbatim(job.message))
        values = ", ".join(plain(value, 4) for value in varied.values)
        name = varied.effect.symbol or varied.effect.title
        runs = "1 run" if study.runs == 1 else f"{study.runs:,} runs"
        st.caption(f"{name} = {values}; {runs} each. This is trained when you ask for it.")
        start = st.button(
            "Train with each value",
            key="effect_start",
            icon=":material/play_arrow:",
        )
        if start and _begin(varied.sweep):
            st.rerun()


def _begin(sweep: TrainingSweep) -> bool:
    """Hand it in, unless the queue is full."""
    try:
        trainings.submit(PLACE, sweep)
    except jobs.QueueFull as full:
        st.warning(str(full), icon=":material/hourglass:")
        return False
    return True


def _charts(varied: Varied, metric: str, table: pd.DataFrame, *, still: bool) -> None:
    gave = "epoch" if varied.way == effects.EPOCHS else "sigma"
    for place, column in zip(st.columns(2, border=True), (metric, gave), strict=True):
        with place:
            drawn = figures.effect(table, varied.effect, column, now=varied.now, dark=on_dark())
            plot(drawn, f"effect_{column}")
    if not still:
        st.caption(texts.SO_FAR)
    st.caption(texts.CHOOSING)
    if still:
        download(
            table, f"effect_of_{varied.effect.key}", "Where the training with each value ended"
        )


def snippet(varied: Varied, study: TrainingStudy) -> str:
    """Python that gives the table on screen."""
    return export.effect_snippet(study, varied.effect.key, varied.values, varied.way)
