"""A model of the survey at work: choose records, see its curve against ε, take it along."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.atlas import RUN
from dpcore.datasets import availability, entry
from dpcore.errors import InvalidInput
from dpcore.evaluation import jobs
from dpcore.evaluation.models import TRIVIAL, ModelStudy, curve, fits, summary, task
from dpcore.figures import models as figures
from dpcore.figures.words import percent, plain
from dpcore.guarantee import Edition, Status
from dpcore.models.model import Model, ModelCalibration, ModelNoise
from dpcore.models.register import model_named
from dpcore.systems.standings import CLAIM_UNCHECKED, OUR_FORM, SystemStanding
from pages.atlas.texts import HERE
from pages.shared import background, badges, downloads, shared_jobs
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.session import flag, lower_flag, raise_flag
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import Form

if TYPE_CHECKING:
    import pandas as pd

FEW = 1_000  # records, up to which a curve is there at once
NO_DELTA = "This model's promise never fails: δ = 0, whatever is asked for."
POLL_SECONDS = 0.7
PLACE = "model"
OTHERWISE = {"number": "a number", "classes": "one of several classes"}
LOOKED_AT = 1.0  # the ε that the answer and the proof are told for


def draw(model_key: str, verdict: SystemStanding | None = None) -> None:
    """The controls of one model and its curve, answer first.

    Parameters
    ----------
    model_key : str
        Key of `dpcore.models.register`.
    verdict : SystemStanding, optional
        On the system that runs as this model, where it is about this model.
    """
    try:
        model = model_named(model_key)
        study = _controls(model)
        calibration = study.calibrated(LOOKED_AT)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    shared_jobs.only(PLACE, [study.key])
    found = entry(study.dataset)
    if not fits(model, found):
        st.info(
            f"{model.title} learns to tell two classes apart, and {found.title} predicts "
            f"{OTHERWISE[found.predicts]}. Choose other data.",
            icon=":material/category:",
        )
        _promise(model, calibration, verdict)
        return
    where = availability(study.dataset)
    if where not in ("built in", "local"):
        _fetch(study.dataset, where)
        _promise(model, calibration, verdict)
        return
    rows, task = _rows(study)
    if rows is not None:
        _answer(study, model, summary(rows))
    elif task is None:
        _watch(study)
    _promise(model, calibration, verdict)
    if task is not None:
        background.watch(background.missing(f"model {model_key}", study.title, task, rows))


def _controls(model: Model) -> ModelStudy:
    form = Form(RUN)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.draw("run_data")
        form.draw("run_delta", help=NO_DELTA if model.pure else "", disabled=model.pure, width=170)
        form.draw("run_runs", width=110)
        form.draw("run_neighbour", among=[str(each) for each in model.adjacencies])
    fields = RUN.fields(form.said)
    return ModelStudy(model=model.key, **{**fields, "runs": int(fields["runs"])})


def _fetch(key: str, where: str) -> None:
    """Records that are not here: how to get them."""
    st.info(entry(key).how_to_get, icon=":material/download:")
    if where == "download" and st.button("Download it now", icon=":material/download:"):
        downloads.fetch(key)


def _rows(
    study: ModelStudy,
) -> tuple[pd.DataFrame | None, background.BackgroundTask[pd.DataFrame] | None]:
    """The rows where they are there, and the thread that few records are worked on by."""
    if entry(study.dataset).records <= FEW:
        task = background.ask(
            f"model {study.model}",
            study.key,
            lambda progress: curve(study, progress=progress),
            quick=True,
        )
        # A moment's wait spares the page from being drawn twice.
        return task.answer(wait=0.3), task
    job = jobs.find(study.key)
    return (_finished(study.key) if job is not None and job.state == "done" else None), None


@st.cache_data(max_entries=60, show_spinner=False)
def _finished(key: str) -> pd.DataFrame:
    return jobs.Job(key).result()


def _answer(study: ModelStudy, model: Model, table: pd.DataFrame) -> None:
    st.markdown(figures.answer(table, model, LOOKED_AT))
    if model.unlabelled:
        nothing = percent(figures.reference(table, TRIVIAL))
        st.caption(
            f"Only half of the test records judge here, the others serve as public records: the "
            f"{nothing} of {model.measure.trivial} are of this half, and differ from what models "
            "that are judged on all of them show."
        )
    plot(figures.curve(table, model, dark=on_dark()), f"model_{model.key}")
    st.caption(
        f"Mean of {study.runs} runs; the band holds 90 % of single runs. {_split(study, table)} "
        "Measured on real records: the curve itself is not private."
    )
    with st.container(horizontal=True):
        table_behind(table, f"{model.key}_{study.dataset}", f"{study.title}, one row per ε")
        with st.popover("Command line", icon=":material/terminal:", type="tertiary"):
            st.code(command(study), language="bash", wrap_lines=True)


def _split(study: ModelStudy, table: pd.DataFrame) -> str:
    """How many records taught and how many judged."""
    found, counts = entry(study.dataset), table.iloc[0]
    told = (
        f"On one split of {found.title}: learned from {counts['learned_from']:,} "
        f"{found.records_are}, judged on {counts['judged_on']:,}."
    )
    if any(column.missing_mark for column in found.used):
        told += " Unknown values are filled in from public values."
    return told


def command(study: ModelStudy) -> str:
    """The command line that gives the table on screen."""
    return (
        f"python -m dpcore model --model {study.model} --dataset {study.dataset} "
        f"--epsilon {' '.join(f'{epsilon:g}' for epsilon in study.epsilons)} "
        f"--delta {study.delta!r} --adjacency {study.adjacency} --runs {study.runs}"
    )


def _promise(model: Model, calibration: ModelCalibration, verdict: SystemStanding | None) -> None:
    """Claim and proof side by side, in words and at one ε, and by how much noise."""
    asked = f"When ε = {plain(LOOKED_AT)} is asked for"
    ours = model.edition is Edition.SOUND and calibration.status is Status.PROVED
    stated = badges.statement(calibration.proof)
    with st.container(border=True):
        badges.status(
            str(calibration.status),
            f"{stated} {HERE}" if ours else stated,
            name=OUR_FORM if ours else "",
        )
        claim, proof = st.columns(2)
        with claim:
            st.markdown(
                f"**Claim** ({model.source})  \n{verdict.claim if verdict else model.claim}"
            )
            if verdict is not None and verdict.claim_unchecked:
                st.markdown(CLAIM_UNCHECKED)
            if calibration.claim.epsilon is not None:
                st.markdown(f"{asked}, claimed: {badges.statement(calibration.claim)}")
        with proof:
            st.markdown(f"**Proof** (of what is run)  \n{model.proof}")
            if calibration.proof.epsilon is None:
                st.markdown(f"{asked}, nothing is proved. {calibration.proof.reason}")
            else:
                st.markdown(f"{asked}, proved: {stated}")
        badges.trust()
        badges.guarantee("model")
        with st.expander("Noise, sensitivity and conditions", icon=":material/tune:"):
            for noise in calibration.noises:
                st.markdown(f"- {_told(noise)}")
            for name, value in calibration.settings.items():
                st.markdown(f"- {name}: {plain(value)} (by a rule in public values)")
            badges.checked(calibration.conditions)
        for limit in model.limits:
            st.caption(f"Note: {limit}")


LAWS = {
    "gaussian": "Gaussian noise of σ = {scale} in each coordinate",
    "laplace": "noise of density ∝ exp(−‖z‖/b), b = {scale}",
    "wishart": "Wishart noise of scale c = {scale}",
    "exponential": "exponential mechanism, every score times {scale}",
}


def _told(noise: ModelNoise) -> str:
    """One kind of noise in a line."""
    often = f", {noise.times:,} times" if noise.times > 1 else ""
    law = LAWS[noise.law].format(scale=plain(noise.scale))
    moved = "range of a record's effect on the scores" if noise.law == "exponential" else "Δ"
    return f"{noise.query}: {law}{often}; {moved} {plain(noise.sensitivity)}"


def _watch(study: ModelStudy) -> None:
    """Send the job, show how far it is, and draw anew when it is done."""
    stopped = f"stopped_{study.key}"
    was = flag(stopped)

    @st.fragment(run_every=None if was else POLL_SECONDS)
    def look() -> None:
        job = jobs.find(study.key)
        if (job is not None and job.state == "done") or flag(stopped) != was:
            st.rerun()
        failed = job is not None and job.state == "failed"
        with st.container(horizontal=True, vertical_alignment="center"):
            if was or failed:
                st.caption(verbatim(job.message) if failed and job is not None else "Stopped.")
                st.button("Go on", on_click=_again, args=(study,), icon=":material/refresh:")
                return
            with suppress(jobs.QueueFull):  # there is room again at one of the next looks
                job = shared_jobs.submit(PLACE, task(study))
            share = min(1.0, max(0.0, job.progress)) if job is not None else 0.0
            message = verbatim(job.message) if job is not None else "waiting for room in the queue"
            st.progress(share, text=f"{study.title}: {message}")
            st.button("Stop", on_click=_stop, args=(study,), icon=":material/stop_circle:")

    look()


def _stop(study: ModelStudy) -> None:
    raise_flag(f"stopped_{study.key}")
    shared_jobs.stop(study.key)


def _again(study: ModelStudy) -> None:
    lower_flag(f"stopped_{study.key}")
    with suppress(jobs.QueueFull):
        shared_jobs.submit(PLACE, task(study))
