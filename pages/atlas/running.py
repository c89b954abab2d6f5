"""Run a model of the survey: choose records, see its curve against ε, copy the command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.atlas import RUN
from dpcore.datasets import availability, entry
from dpcore.errors import InvalidInput
from dpcore.evaluation.models import TRIVIAL, ModelStudy, fits
from dpcore.figures.bands import in_band
from dpcore.guarantee import Edition, Status
from dpcore.models.model import Model, ModelCalibration, ModelNoise
from dpcore.models.systems import model_named
from dpcore.questions.model import figure
from dpcore.questions.model.question import ModelQuestion
from dpcore.questions.question import ask, task
from dpcore.questions.told import command, snippet
from dpcore.systems.standings import CLAIM_UNCHECKED, OUR_FORM, SystemStanding
from dpcore.words import percent, plain, spaced
from pages.shared import badges, work
from pages.shared.display import on_dark, plot, table_behind
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm

if TYPE_CHECKING:
    import pandas as pd

HERE = (
    "This is about our corrected version, which runs here. Whether the authors' own claim holds "
    "was not checked."
)
FEW = 1_000  # records; up to these a curve is computed at once
NO_DELTA = "This model's promise never fails: δ = 0, whatever is asked for."
PLACE = "model"
OTHERWISE = {"number": "a number", "classes": "one of several classes"}
LOOKED_AT = 1.0  # the ε of the answer and the proof


def draw(model_key: str, verdict: SystemStanding | None = None) -> None:
    """Draw the controls of one model and its curve, answer first.

    `verdict` is that on the system that runs as this model.
    """
    try:
        model = model_named(model_key)
        study = _controls(model)
        calibration = study.calibrated(LOOKED_AT)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    question = ModelQuestion(study)
    work.only(PLACE, [question.key])
    dataset = entry(study.dataset)
    if not fits(model, dataset):
        st.info(
            f"{model.title} learns to tell two classes apart, and {dataset.title} predicts "
            f"{OTHERWISE[dataset.predicts]}. Choose other data.",
            icon=":material/category:",
        )
        _promise(model, calibration, verdict)
        return
    place = availability(study.dataset)
    if place not in ("built in", "local"):
        _show_source(study.dataset, place)
        _promise(model, calibration, verdict)
        return
    table, waiting = _table(question)
    if table is not None:
        _answer(question, model, table, calibration.proof.statement)
    work.watch(waiting)
    _promise(model, calibration, verdict)


def _controls(model: Model) -> ModelStudy:
    form = ControlForm(RUN)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.draw("run_data")
        form.draw("run_delta", help=NO_DELTA if model.pure else "", disabled=model.pure, width=170)
        form.draw("run_runs", width=110)
        if len(model.adjacencies) > 1:
            form.draw("run_neighbour", among=[str(adjacency) for adjacency in model.adjacencies])
    fields = RUN.fields(form.values)
    if len(model.adjacencies) == 1:
        # Not a choice, so that other pages keep the one that was made there.
        (fields["adjacency"],) = model.adjacencies
        st.caption(ONE_ADJACENCY.format(only=model.adjacencies[0]))
    return ModelStudy(model=model.key, **{**fields, "runs": int(fields["runs"])})


def _show_source(key: str, place: str) -> None:
    st.info(entry(key).how_to_get, icon=":material/download:")
    if place == "download" and st.button("Download it now", icon=":material/download:"):
        work.download(key)


def _table(
    question: ModelQuestion,
) -> tuple[pd.DataFrame | None, Sequence[work.Watched]]:
    study = question.study
    if entry(study.dataset).records <= FEW:
        rows, waiting = work.answer_to(
            f"model {study.model}",
            study.title,
            question.key,
            lambda progress: ask(question, progress=progress),
            wait=0.3,  # avoids drawing the page twice
            quick=True,
        )
        return rows, work.watched(waiting)
    job = work.WatchedJobs(PLACE, PLACE, {study.title: question}, _submit)
    if job.drawn != "done":
        return None, [job]
    return question.table(work.result(question.key)), []


def _submit(place: str, question: ModelQuestion) -> None:
    work.submit(place, task(question))


def _answer(question: ModelQuestion, model: Model, table: pd.DataFrame, proof: str) -> None:
    study = question.study
    st.markdown(figure.answer(table, model, LOOKED_AT), help=proof)
    if model.unlabelled:
        baseline = percent(figure.reference(table, TRIVIAL))
        st.caption(
            f"Only half of the test records judge here, the others serve as public records. The "
            f"{baseline} of {model.measure.trivial} are of this half. Models that are judged on "
            "all of them show another share."
        )
    plot(figure.curve(table, model, dark=on_dark()), f"model_{model.key}")
    st.caption(
        f"{in_band(study.runs)} {_split(study, table)} "
        "Measured on real records: the curve itself is not private."
    )
    name, about = f"{model.key}_{study.dataset}", f"{study.title}, one row per ε"
    table_behind(table, name, about, lambda: (command(question), snippet(question)))


def _split(study: ModelStudy, table: pd.DataFrame) -> str:
    dataset, row = entry(study.dataset), table.iloc[0]
    sentence = (
        f"On one split of {dataset.title}: learned from {spaced(row['learned_from'])} "
        f"{dataset.records_are}, judged on {spaced(row['judged_on'])}."
    )
    if any(column.missing_marks for column in dataset.used):
        sentence += " Unknown values are filled in from public values."
    return sentence


def _promise(model: Model, calibration: ModelCalibration, verdict: SystemStanding | None) -> None:
    condition = f"When ε = {plain(LOOKED_AT)} is asked for"
    is_sound_form = model.edition is Edition.SOUND and calibration.status is Status.PROVED
    stated = calibration.proof.statement
    with st.container(border=True):
        badges.status(
            str(calibration.status),
            f"{stated} {HERE}" if is_sound_form else stated,
            name=OUR_FORM.capitalize() if is_sound_form else "",
        )
        claim, proof = st.columns(2)
        with claim:
            st.markdown(
                f"**Claim** ({model.paper})  \n{verdict.claim if verdict else model.standing.claim}"
            )
            if verdict is not None and verdict.claim_unchecked:
                st.markdown(CLAIM_UNCHECKED)
            if calibration.claim.epsilon is not None:
                st.markdown(f"{condition}, claimed: {calibration.claim.statement}")
        with proof:
            st.markdown(f"**Proof** (of what is run)  \n{model.standing.proof}")
            if calibration.proof.epsilon is None:
                st.markdown(f"{condition}, nothing is proved. {calibration.proof.reason}")
            else:
                st.markdown(f"{condition}, proved: {stated}")
        badges.trust()
        badges.guarantee("model")
        with st.expander("Noise, sensitivity and conditions", icon=":material/tune:"):
            for noise in calibration.noises:
                st.markdown(f"- {_noise_text(noise)}")
            for name, value in calibration.settings.items():
                st.markdown(f"- {name}: {plain(value)} (by a rule in public values)")
            badges.checked(calibration.conditions)
        for limit in model.limits:
            st.caption(f"Note: {limit}")


ONE_ADJACENCY = (
    "Worked out under {only} alone, so it is not comparable with what is shown under another."
)
LAWS = {
    "gaussian": "Gaussian noise of σ = {scale} in each coordinate",
    "laplace": "noise of density ∝ exp(−‖z‖/b), b = {scale}",
    "wishart": "Wishart noise of scale c = {scale}",
    "exponential": "exponential mechanism, every score times {scale}",
}


def _noise_text(noise: ModelNoise) -> str:
    repetitions = f", {spaced(noise.times)} times" if noise.times > 1 else ""
    law = LAWS[noise.law].format(scale=plain(noise.scale))
    sensitivity_name = (
        "range of a record's effect on the scores" if noise.law == "exponential" else "Δ"
    )
    return f"{noise.query}: {law}{repetitions}; {sensitivity_name} {plain(noise.sensitivity)}"
