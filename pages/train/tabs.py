"""Draw the tabs under Train's answer, each only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import TABS
from dpcore.datasets import images
from dpcore.errors import InvalidInput
from dpcore.evaluation import effects
from dpcore.evaluation.effects import Effect
from dpcore.evaluation.training import measures
from dpcore.evaluation.training.report import measured
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions import told
from dpcore.questions.comparison import arms
from dpcore.questions.comparison import figure as cost_figure
from dpcore.questions.training import figure
from dpcore.questions.training.series import SERIES, shown
from dpcore.questions.training.told import command, snippet
from dpcore.questions.vary import figure as vary_figure
from dpcore.questions.vary.question import GIVES_WAY, SETTING, VaryQuestion
from dpcore.words import at_most, capitalised, counted, plain
from dpcore.work import jobs
from pages.shared import badges, work
from pages.shared.display import (
    download,
    on_dark,
    plot,
    show_command,
    show_conclusions,
    show_opacus,
    show_python,
)
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to
from pages.train import comparison as train_comparison
from pages.train import trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import DRAWN_ALONE, TrainChoice, paper_figures

if TYPE_CHECKING:
    import pandas as pd

SCHEDULE = (
    "Whether the noise stays the same, or falls as training goes on (paper 003). Either way the "
    "whole run spends the same ε."
)
OWN_SETTINGS = "For the option `--set` and for `settings` of a study in Python; this page has none."
PATIENCE = 0.3
PLACE = "effect"


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
    """Draw the tabs; returns unfinished tasks."""
    content: tuple[Callable[[TrainChoice, CalibratedTraining], Waiting | None], ...] = (
        _schedule,
        _shapes,
        _effects,
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
    steps = figure.noise(calibrated.schedule, calibrated.config.clip, dark=on_dark())
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
        calibrated.epsilon_schedule.rename(columns={"epsilon": "certified_epsilon"}),
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
        table = measures.averaged(trainings.histories(studies))
        chart = figure.learning(table, column, epochs=study.config.epochs, dark=on_dark())
        plot(chart, "train_shapes")
        ends = measures.ends(table)
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
        title = SERIES[row["series"]].title
        with grid.cell(), st.container(gap=None):
            st.metric(capitalised(title), shown(column)(row[column]))
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
        ends = measures.last(trainings.histories(finished))
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


def _effects(choice: TrainChoice, calibrated: CalibratedTraining) -> Waiting:
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
            _effect_charts(varied, metric, table, beside, is_final=is_final)
        if table is not None and state == "done":
            for paper in paper_figures(by_effect=True):
                from dpcore.reproduction import drawn as judging

                judged = judging.of_effect(paper, study, records, table, beside)
                show_conclusions(judged, DRAWN_ALONE)
            files = zip(questions.values(), ("", "isotropic.csv"), strict=False)
            show_command(*(told.command(question, name) for question, name in files))
            show_python(*map(told.snippet, questions.values()))

    work.watch([job], draw=draw)


def _ends(question: VaryQuestion | None) -> pd.DataFrame | None:
    if question is None:
        return None
    is_done = trainings.state(question) == "done"
    rows = work.result(question.key) if is_done else jobs.Job(question.key).partial()
    return None if rows is None or rows.empty else question.table(rows)


def _effect_charts(
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
            chart = vary_figure.effect(
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
            table = measures.gathered({"private": table, "constant": beside})
        download(table, f"effect_of_{setting.key}", VaryQuestion.table_is)
