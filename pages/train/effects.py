"""Show one setting's effect at the same budget: trainings with several values of it."""

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
from dpcore.figures.words import counted, plain
from pages.shared import job_panel, shared_jobs
from pages.shared.background import Waiting, answer_to
from pages.shared.charts import download, on_dark, plot
from pages.shared.code import show_python
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn
from pages.train import trainings, upload
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 0.3
PLACE = "effect"


@dataclass(frozen=True)
class Varied:
    effect: Effect
    way: str
    values: tuple[float, ...]
    sweep: TrainingSweep
    now: float


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
    """Draw the choice of a setting and its trainings; returns unfinished tasks."""
    study, records = choice.study, calibrated.records
    st.markdown(
        "The same training with other values of one setting, all within the same ε at the same δ. "
        "Something has to give way. Either the noise is solved anew, or only so many epochs are "
        "run as the same noise affords."
    )
    with st.container(horizontal=True):
        effect = effects.effect(drawn(EFFECT))
        way = effect.gives_way[0]
        if len(effect.gives_way) > 1:
            way = drawn(GIVES_WAY, among=effect.gives_way)
    if reason := effect.why_not(study):
        st.info(reason, icon=":material/block:")
        return []
    key = (study.key, records, effect.key, way)
    words = "Solving for what each value affords"
    try:
        varied, waiting = answer_to(
            "effect", words, key, lambda _: _varied(effect, way, study, records), wait=PATIENCE
        )
    except InvalidInput as refusal:
        st.info(verbatim(str(refusal)), icon=":material/block:")
        return []
    if varied is None:
        st.caption(f"{words}.")
    else:
        _watch(varied, choice.metric, study)
    return waiting


def _varied(effect: Effect, way: str, study: TrainingStudy, records: int) -> Varied:
    values = effect.values(study, records, way)
    sweep = effect.sweep(study, records, values, way)
    return Varied(effect, way, values, sweep, effect.present(study, records))


def _watch(varied: Varied, metric: str, study: TrainingStudy) -> None:
    sweep = varied.sweep
    shared_jobs.only(PLACE, [sweep.key])
    job = shared_jobs.WatchedJobs(
        PLACE,
        PLACE,
        {f"Training with {len(varied.values)} values": sweep},
        upload.submit,
        seconds=trainings.POLL_SECONDS,
        should_run=lambda: trainings.state(sweep) in ("queued", "running"),
        begin="Train with each value",
        idle=lambda _: "This is trained when you ask for it.",
    )

    def draw(is_final: bool) -> None:
        state = trainings.state(sweep)
        if state not in ("queued", "running", "done"):
            values = ", ".join(plain(value, 4) for value in varied.values)
            name = varied.effect.symbol or varied.effect.title
            st.caption(f"{name} = {values}; {counted(study.runs, 'repetition')} each.")
        job_panel.show(job)
        rows = shared_jobs.result(sweep.key) if state == "done" else jobs.Job(sweep.key).partial()
        table = None if rows is None else effects.ends(varied.effect, varied.values, sweep, rows)
        if table is not None and len(table):
            _charts(varied, metric, table, is_final=is_final)
        if table is not None and state == "done":
            key, way = varied.effect.key, varied.way
            show_python(export.effect_snippet(study, key, varied.values, way))

    job_panel.watch([job], draw=draw)


def _charts(varied: Varied, metric: str, table: pd.DataFrame, *, is_final: bool) -> None:
    given_column = "epoch" if varied.way == effects.EPOCHS else "sigma"
    for place, column in zip(st.columns(2, border=True), (metric, given_column), strict=True):
        with place:
            chart = figures.effect(table, varied.effect, column, now=varied.now, dark=on_dark())
            plot(chart, f"effect_{column}")
    if not is_final:
        st.caption("It is still being trained: these are the values so far.")
    st.caption(
        "To choose the best of several values is itself a look at the records. ε does not cover it."
    )
    if is_final:
        download(
            table, f"effect_of_{varied.effect.key}", "Where the training with each value ended"
        )
