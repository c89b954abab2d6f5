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
from pages.shared import badges
from pages.shared.session import keep, kept
from pages.shared.verbatim import verbatim
from pages.train import texts
from pages.train import trainings as train_trainings
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

POLL_SECONDS = 0.7
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
    running = any(_state(each) in ("queued", "running", "new") for each in releases)
    st.button(
        "Train one more for keeping" if releases else "Train for keeping",
        key="train_keep",
        icon=":material/lock:",
        disabled=running,
        on_click=_begin,
        args=(asked.study, calibrated),
    )
    if releases:
        _watch(releases, running)


def _begin(study: TrainingStudy, calibrated: CalibratedTraining) -> None:
    one = replace(study, release=new_release(), runs=1, models=1)
    release = StartedTraining(one, calibrated.training)
    try:
        train_trainings.submit("keep", one)
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


def _state(release: StartedTraining) -> str:
    return train_trainings.state(release.study)


def _watch(releases: list[StartedTraining], running: bool) -> None:
    @st.fragment(run_every=POLL_SECONDS if running else None)
    def look() -> None:
        if running and _state(releases[-1]) not in ("queued", "running", "new"):
            st.rerun()
        for number, each in enumerate(releases, start=1):
            _one(number, each)
        if len(releases) > 1:
            st.markdown(_together(releases))

    look()


def _one(number: int, release: StartedTraining) -> None:
    state, job = _state(release), jobs.find(release.study.key)
    name = f"Model {number}"
    if job is None or state in ("queued", "running", "new"):
        share, message = train_trainings.progress(release.study)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(share, text=f"{name}: {message}")
            st.button(
                "Stop", key=f"keep_stop_{number}", icon=":material/stop_circle:", on_click=_stop,
                args=(release,),
            )  # fmt: skip
        return
    contents = job.file("settings.json")
    if state != "done" or contents is None:
        said = verbatim(job.message) if state == "failed" else "stopped; nothing was kept."
        st.caption(f"{name}: {said}")
        return
    found = json.loads(contents)["conclusion"]
    badges.status(found["status"], found["reason"], name=name)
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


def _stop(release: StartedTraining) -> None:
    job = jobs.find(release.study.key)
    if job is not None:
        job.cancel()


def _together(releases: list[StartedTraining]) -> str:
    """What all of them cost, those that were stopped included: their measures were seen."""
    trainings = [each.training for each in releases if each.training is not None]
    if len(trainings) < len(releases):
        return texts.KEPT_UNKNOWN
    found = together(trainings, ACCOUNTANT)
    return f"**All {len(releases)} together**: {badges.statement(found)}"
