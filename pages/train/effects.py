"""Show one setting's effect at the same budget: trainings with several values of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.evaluation import effects
from dpcore.evaluation.effects import Effect
from dpcore.evaluation.training import histories
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.comparison import arms
from dpcore.questions.told import command, snippet
from dpcore.questions.vary import figure
from dpcore.questions.vary.question import GIVES_WAY, SETTING, VaryQuestion
from dpcore.words import counted, plain
from dpcore.work import jobs
from pages.shared import verdicts, work
from pages.shared.charts import download, on_dark, plot
from pages.shared.code import show_command, show_python
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to
from pages.train import trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import DRAWN_ALONE, TrainChoice, paper_figures

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 0.3
PLACE = "effect"


@dataclass(frozen=True)
class Varied:
    question: VaryQuestion
    now: float
    plain: VaryQuestion | None  # with constant isotropic noise, where paper 004's is chosen

    @property
    def questions(self) -> dict[str, VaryQuestion]:
        """Each with what it does, the chosen noise first."""
        named = {f"Training with {len(self.question.values)} values": self.question}
        if self.plain is not None:
            named["Training them with isotropic noise"] = self.plain
        return named

    @property
    def state(self) -> str:
        """State of the first one that is not done, or “done” if all are."""
        states = map(trainings.state, self.questions.values())
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
        effect = effects.effect(drawn(SETTING))
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
    plain = None
    if study.config.noise == arms.PUBLISHED:
        constant = arms.comparison_arms(study)["constant"]
        plain = VaryQuestion(constant, effect.key, values, way)
    question = VaryQuestion(study, effect.key, values, way)
    for each in (question, plain):
        if each is not None:
            each.studies(records)  # refuses what ε does not afford
    return Varied(question, effect.present(study, records), plain)


def _watch(varied: Varied, metric: str, study: TrainingStudy, records: int) -> None:
    questions = varied.questions
    work.only(PLACE, [question.key for question in questions.values()])
    job = work.WatchedJobs(
        PLACE,
        PLACE,
        questions,
        trainings.submit,
        seconds=trainings.POLL_SECONDS,
        should_run=lambda: any(
            trainings.state(question) in ("queued", "running") for question in questions.values()
        ),
        begin="Train with each value",
        idle=lambda _: "This is trained when you ask for it.",
    )

    def draw(is_final: bool) -> None:
        state = varied.state
        if state not in ("queued", "running", "done"):
            values = ", ".join(plain(value, 4) for value in varied.question.values)
            name = varied.question.effect.symbol or varied.question.effect.title
            st.caption(f"{name} = {values}; {counted(study.runs, 'repetition')} each.")
        work.show(job)
        table, beside = _ends(varied.question), _ends(varied.plain)
        if table is not None:
            _charts(varied, metric, table, beside, is_final=is_final)
        if table is not None and state == "done":
            for paper in paper_figures(by_effect=True):
                from dpcore.reproduction import drawn as judging

                judged = judging.of_effect(paper, study, records, table, beside)
                verdicts.show(judged, DRAWN_ALONE)
            files = zip(questions.values(), ("", "isotropic.csv"), strict=False)
            show_command(*(command(question, name) for question, name in files))
            show_python(*map(snippet, questions.values()))

    work.watch([job], draw=draw)


def _ends(question: VaryQuestion | None) -> pd.DataFrame | None:
    """Where the trainings have ended so far; None before the first row."""
    if question is None:
        return None
    is_done = trainings.state(question) == "done"
    rows = work.result(question.key) if is_done else jobs.Job(question.key).partial()
    return None if rows is None or rows.empty else question.table(rows)


def _charts(
    varied: Varied,
    metric: str,
    table: pd.DataFrame,
    beside: pd.DataFrame | None,
    *,
    is_final: bool,
) -> None:
    setting = varied.question.effect
    given_column = "epoch" if varied.question.gives_way == effects.EPOCHS else "sigma"
    for place, column in zip(st.columns(2, border=True), (metric, given_column), strict=True):
        with place:
            chart = figure.effect(
                table, setting, column, now=varied.now, beside=beside, dark=on_dark()
            )
            plot(chart, f"effect_{column}")
    if not is_final:
        st.caption("It is still being trained: these are the values so far.")
    st.caption(
        "To choose the best of several values is itself a look at the records. ε does not cover it."
    )
    if is_final:
        if beside is not None:
            table = histories.gathered({"private": table, "constant": beside})
        download(table, f"effect_of_{setting.key}", VaryQuestion.table_is)
