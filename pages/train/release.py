"""Train for keeping: one model with noise from the system, and what all kept ones cost together."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import streamlit as st

from dpcore.accounting.planner import TrainingPlan
from dpcore.deep.guarantee import together
from dpcore.evaluation import jobs
from dpcore.evaluation.training.spending import ACCOUNTANT
from dpcore.evaluation.training.study import TrainingStudy, new_release
from dpcore.figures.words import at_most, plain
from pages.shared import badges, job_panel, shared_jobs
from pages.shared.session import keep, kept
from pages.shared.shared_jobs import WatchedJobs
from pages.train import texts, upload
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
    """One training for keeping that this session began.

    Parameters
    ----------
    study : TrainingStudy
    training : TrainingPlan or None
        As accountants read it; ``None`` where nothing is known of its noise.
    """

    study: TrainingStudy
    training: TrainingPlan | None


def show(asked: TrainChoice, calibrated: CalibratedTraining) -> None:
    """The button, how far it is, and the files."""
    st.markdown("**For keeping**")
    st.markdown(texts.KEEPING)
    releases = _releases(asked.study)
    watched = [_watched(number, each) for number, each in enumerate(releases, start=1)]
    st.button(
        "Train one more for keeping" if releases else "Train for keeping",
        key="train_keep",
        icon=":material/lock:",
        disabled=any(each.drawn == "running" for each in watched),
        on_click=_begin,
        args=(asked.study, calibrated),
    )

    def draw(_: bool) -> None:
        for number, (one, release) in enumerate(zip(watched, releases, strict=True), start=1):
            _one(number, one, release)
        if len(releases) > 1:
            st.markdown(_together(releases))

    job_panel.watch(watched, draw)


def _begin(study: TrainingStudy, calibrated: CalibratedTraining) -> None:
    one = replace(study, release=new_release(), runs=1, models=1)
    release = StartedTraining(one, calibrated.training)
    try:
        upload.submit(PLACE, one)
    except jobs.QueueFull as full:
        st.toast(str(full), icon=":material/hourglass:")
        return
    keep("train releases", [*(kept("train releases") or []), release])


def _releases(study: TrainingStudy) -> list[StartedTraining]:
    """Those of the same records, in the order they were begun."""
    return [
        each
        for each in kept("train releases") or []
        if (each.study.dataset, each.study.settings) == (study.dataset, study.settings)
    ]


def _watched(number: int, release: StartedTraining) -> WatchedJobs:
    return WatchedJobs(
        f"keep_{number}",
        PLACE,
        {f"Model {number}": release.study},
        submit=None,  # each start is a release of its own, and spends ε
        should_run=lambda: shared_jobs.state(release.study.key) in ("queued", "running"),
        idle=lambda _: f"Model {number}: stopped; nothing was kept.",
    )


def _one(number: int, watched: WatchedJobs, release: StartedTraining) -> None:
    """How far it is, or its files and what holds for them."""
    job_panel.show(watched)
    job = jobs.Job(release.study.key)
    contents = job.file("settings.json")
    if job.state != "done" or contents is None:
        return
    found = json.loads(contents)["conclusion"]
    badges.status(found["status"], found["reason"], name=f"Model {number}")
    if found["epsilon"] is not None:
        st.caption(
            f"ε = {at_most(found['epsilon'])}, δ = {plain(found['delta'])} · "
            f"{found['neighbours']} · {found['accountant']}. {found['not_covered']}"
        )
    st.caption(texts.WHO_MAY_HAVE)
    with st.container(horizontal=True):
        for file, meaning in FILES.items():
            held = job.file(file)
            if held is not None:
                st.download_button(
                    f"{file}: {meaning}",
                    held,
                    file_name=file,
                    icon=":material/download:",
                    on_click="ignore",
                    key=f"keep {number} {file}",
                )


def _together(releases: list[StartedTraining]) -> str:
    """What all of them cost, those that were stopped included: their measures were seen."""
    trainings = [each.training for each in releases if each.training is not None]
    if len(trainings) < len(releases):
        return texts.KEPT_UNKNOWN
    found = together(trainings, ACCOUNTANT)
    return f"**All {len(releases)} together**: {badges.statement(found)}"
