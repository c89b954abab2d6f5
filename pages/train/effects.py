"""Show one setting's effect at the same budget: trainings with several values of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import EFFECT, GIVES_WAY
from dpcore.errors import InvalidInput
from dpcore.evaluation import comparison, effects
from dpcore.evaluation.effects import Effect
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
from dpcore.export import train as export
from dpcore.figures import training as figures
from dpcore.words import counted, plain
from dpcore.work import jobs
from pages.shared import work
from pages.shared.charts import download, on_dark, plot
from pages.shared.code import show_python
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to
from pages.train import paper_figure, trainings, upload
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
    plain: TrainingStudy | None  # with constant isotropic noise, where paper 004's is chosen
    plain_sweep: TrainingSweep | None

    @property
    def sweeps(self) -> dict[str, TrainingSweep]:
        """Each with what it does, the chosen noise first."""
        named = {f"Training with {len(self.values)} values": self.sweep}
        if self.plain_sweep is not None:
            named["Training them with isotropic noise"] = self.plain_sweep
        return named

    @property
    def state(self) -> str:
        """State of the first one that is not done, or “done” if all are."""
        states = map(trainings.state, self.sweeps.values())
        return next((state for state in states if state != "done"), "done")


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
        _watch(varied, choice.metric, study, records)
    return waiting


def _varied(effect: Effect, way: str, study: TrainingStudy, records: int) -> Varied:
    values = effect.values(study, records, way)
    plain = plain_sweep = None
    if study.config.noise == comparison.PUBLISHED:
        plain = comparison.comparison_arms(study)["constant"]
        plain_sweep = effect.sweep(plain, records, values, way)
    sweep, now = effect.sweep(study, records, values, way), effect.present(study, records)
    return Varied(effect, way, values, sweep, now, plain, plain_sweep)


def _watch(varied: Varied, metric: str, study: TrainingStudy, records: int) -> None:
    sweeps = varied.sweeps
    work.only(PLACE, [sweep.key for sweep in sweeps.values()])
    job = work.WatchedJobs(
        PLACE,
        PLACE,
        sweeps,
        upload.submit,
        seconds=trainings.POLL_SECONDS,
        should_run=lambda: any(
            trainings.state(sweep) in ("queued", "running") for sweep in sweeps.values()
        ),
        begin="Train with each value",
        idle=lambda _: "This is trained when you ask for it.",
    )

    def draw(is_final: bool) -> None:
        state = varied.state
        if state not in ("queued", "running", "done"):
            values = ", ".join(plain(value, 4) for value in varied.values)
            name = varied.effect.symbol or varied.effect.title
            st.caption(f"{name} = {values}; {counted(study.runs, 'repetition')} each.")
        work.show(job)
        table, beside = _ends(varied, varied.sweep), _ends(varied, varied.plain_sweep)
        if table is not None:
            _charts(varied, metric, table, beside, is_final=is_final)
        if table is not None and state == "done":
            paper_figure.of_effect(study, records, table, beside)
            described = [each for each in (study, varied.plain) if each is not None]
            key, way = varied.effect.key, varied.way
            show_python(*(export.effect_snippet(one, key, varied.values, way) for one in described))

    work.watch([job], draw=draw)


def _ends(varied: Varied, sweep: TrainingSweep | None) -> pd.DataFrame | None:
    """Where the trainings of a sweep have ended so far; None before the first row."""
    if sweep is None:
        return None
    is_done = trainings.state(sweep) == "done"
    rows = work.result(sweep.key) if is_done else jobs.Job(sweep.key).partial()
    if rows is None or rows.empty:
        return None
    return effects.ends(varied.effect, varied.values, sweep, rows)


def _charts(
    varied: Varied,
    metric: str,
    table: pd.DataFrame,
    beside: pd.DataFrame | None,
    *,
    is_final: bool,
) -> None:
    given_column = "epoch" if varied.way == effects.EPOCHS else "sigma"
    for place, column in zip(st.columns(2, border=True), (metric, given_column), strict=True):
        with place:
            chart = figures.effect(
                table, varied.effect, column, now=varied.now, beside=beside, dark=on_dark()
            )
            plot(chart, f"effect_{column}")
    if not is_final:
        st.caption("It is still being trained: these are the values so far.")
    st.caption(
        "To choose the best of several values is itself a look at the records. ε does not cover it."
    )
    if is_final:
        if beside is not None:
            table = comparison.gathered({"private": table, "constant": beside})
        download(
            table, f"effect_of_{varied.effect.key}", "Where the training with each value ended"
        )
