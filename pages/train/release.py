"""Offer the files of what was trained, and training for keeping, with noise from the system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from dpcore.accounting.events import TrainingPlan
from dpcore.deep.config import together
from dpcore.evaluation.training.study import ACCOUNTANT, TrainingStudy, new_release
from dpcore.words import at_most, plain
from dpcore.work import jobs
from pages.shared import badges, work
from pages.shared.display import draw_file
from pages.shared.session import store, stored
from pages.shared.work import WatchedJobs
from pages.train import trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

PLACE = "keep"
FILES = {
    "weights.npz": "the model",
    "settings.json": "its settings and ε",
    "measures.json": "measures, not private",
}


@dataclass(frozen=True)
class StartedTraining:
    study: TrainingStudy
    training: TrainingPlan | None


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Draw the files of what is trained here, and training for keeping."""
    with st.container(border=True):
        st.subheader("Keep the model", anchor=False)
        st.markdown(
            "What this page trains is **exploration**. Its noise comes from the seed, and whoever "
            "has the seed takes it off again. A model that may leave the house is trained once "
            "more, with batches and noise from the operating system. Each such training spends ε "
            "anew."
        )
        job = jobs.Job(choice.study.key)
        if job.state != "new":
            labels = {name: f"Exploration: {name}" for name in FILES}
            offer(job, labels, "file", "exploration-")
        _for_keeping(choice, calibrated)


def _for_keeping(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    releases = _releases(choice.study)
    watched = [_watched(number, release) for number, release in enumerate(releases, start=1)]
    st.button(
        "Train one more for keeping" if releases else "Train for keeping",
        key="train_keep",
        icon=":material/lock:",
        disabled=any(job.drawn == "running" for job in watched),
        on_click=_begin,
        args=(choice.study, calibrated),
    )

    def draw(_: bool) -> None:
        for number, (job, release) in enumerate(zip(watched, releases, strict=True), start=1):
            _show_release(number, job, release)
        if len(releases) > 1:
            st.markdown(_together(releases))

    work.watch(watched, draw=draw)


def _begin(study: TrainingStudy, calibrated: CalibratedTraining) -> None:
    new_study = replace(study, release=new_release(), runs=1, models=1)
    release = StartedTraining(new_study, calibrated.training)
    try:
        trainings.submit(PLACE, new_study)
    except jobs.QueueFull as refusal:
        work.tell_full(refusal)
        return
    store("train releases", [*(stored("train releases") or []), release])


def _releases(study: TrainingStudy) -> list[StartedTraining]:
    return [
        release
        for release in stored("train releases") or []
        if (release.study.dataset, release.study.settings) == (study.dataset, study.settings)
    ]


def _watched(number: int, release: StartedTraining) -> WatchedJobs:
    return WatchedJobs(
        f"keep_{number}",
        PLACE,
        {f"Model {number}": release.study},
        submit=None,  # each start is a release of its own, and spends ε
        should_run=lambda: work.state(release.study.key) in ("queued", "running"),
        idle=lambda _: f"Model {number}: stopped; nothing was kept.",
    )


def _show_release(number: int, watched: WatchedJobs, release: StartedTraining) -> None:
    work.show(watched)
    job = jobs.Job(release.study.key)
    contents = job.file("settings.json")
    if job.state != "done" or contents is None:
        return
    conclusion = json.loads(contents)["conclusion"]
    badges.status(conclusion["status"], conclusion["reason"], name=f"Model {number}")
    if conclusion["epsilon"] is not None:
        st.caption(
            f"ε = {at_most(conclusion['epsilon'])}, δ = {plain(conclusion['delta'])} · "
            f"{conclusion['neighbours']} · {conclusion['accountant']}. {conclusion['not_covered']}"
        )
    st.caption(
        "**May leave the house**: weights and settings, of which the ε speaks. **Stays within "
        "it**: measures, which are computed from real records and are not private."
    )
    labels = {file: f"{file}: {meaning}" for file, meaning in FILES.items()}
    offer(job, labels, f"keep {number}")


def offer(job: jobs.Job, labels: Mapping[str, str], key: str, prefix: str = "") -> None:
    """Draw a button for each file that the job has, by the labels."""
    with st.container(horizontal=True):
        for file, label in labels.items():
            data = job.file(file)
            if data is not None:
                draw_file(label, partial(bytes, data), f"{prefix}{file}", key=f"{key} {file}")


def _together(releases: list[StartedTraining]) -> str:
    """Joint ε of all of them, stopped ones included: their measures were seen."""
    trainings = [release.training for release in releases if release.training is not None]
    if len(trainings) < len(releases):
        return "What they cost together is not known: nothing is certified for the noise of one."
    guarantee = together(trainings, ACCOUNTANT)
    return f"**All {len(releases)} together**: {guarantee.statement}"
