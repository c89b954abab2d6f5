"""Trainings as background jobs: begun, stopped, found again; their histories as one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets import images
from dpcore.evaluation import comparison, jobs
from dpcore.evaluation.task import StudyProtocol
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep
from dpcore.figures import training as figures
from pages.shared import shared_jobs
from pages.shared.session import flag, lower_flag, raise_flag, recall, remember
from pages.shared.verbatim import verbatim
from pages.train import upload

if TYPE_CHECKING:
    import pandas as pd

POLL_SECONDS = 0.4
PLACES = ("beside", "why", "effect")
LATE_LOOKS = 10
# Records seen over all epochs and runs up to which training begins by itself, with hidden layers of
# up to so many products.
AT_ONCE = 3_000_000
PRODUCTS = 10_000

Studies = Mapping[str, TrainingStudy]


def begins_by_itself(study: TrainingStudy, records: int) -> bool:
    """Whether training is a matter of seconds, on data that are here."""
    config = study.config
    seen = records * config.epochs * study.runs
    if config.network == "perceptron":
        products = sum(a * b for a, b in pairwise(config.widths))
        seen *= max(1.0, products / PRODUCTS)
    here = images.availability(study.dataset) in ("built in", "local") or bool(study.settings)
    return here and not config.convolutional and study.features == "raw" and seen <= AT_ONCE


def wanted(study: TrainingStudy, records: int) -> bool:
    """Whether it is to be trained: begun by the person, or by itself and not stopped."""
    if flag(_stopped(study)):
        return False
    return flag(_begun(study)) or begins_by_itself(study, records)


def learned(study: TrainingStudy) -> bool:
    """Whether any step of it has been taken and noted."""
    rows = jobs.Job(study.key).partial()
    return rows is not None and len(rows) > 0


def untouched(study: TrainingStudy, records: int) -> bool:
    """Whether it was stopped before its first step: then it has spent nothing."""
    job = jobs.find(study.key)
    return (
        job is not None
        and job.state == "cancelled"
        and not (job.stopping or job.resumable or learned(study))
        and not wanted(study, records)
    )


def take_up(study: TrainingStudy, studies: Studies) -> None:
    """Count as begun what is under way: the page may have been loaded anew, or be another one."""
    # Not because of a job that other settings have too.
    own = state(study) in ("queued", "running", "done")
    if own and not flag(_stopped(study)) and {"queued", "running"} & set(states(studies).values()):
        raise_flag(_begun(study))


def leave_all() -> None:
    """Wait for no training any more; what is shown with the new settings is joined again."""
    for name in PLACES:
        shared_jobs.only(name, ())


def state(study: StudyProtocol) -> str:
    """Of its job, as `shared_jobs.state`."""
    return shared_jobs.state(study.key)


def states(studies: Studies) -> dict[str, str]:
    """Of every job by series."""
    return {series: state(study) for series, study in studies.items()}


def begin(name: str, studies: Studies) -> None:
    """Hand in what is neither under way nor there, and wait for what is under way."""
    for study in studies.values():
        if state(study) in ("new", "cancelled"):
            with suppress(jobs.QueueFull):  # there is room again at one of the next looks
                submit(name, study)
        else:
            shared_jobs.join(name, study.key)


def submit(name: str, asked: TrainingStudy | TrainingSweep) -> None:
    """Hand it to the workers, with its records where these were uploaded.

    Raises
    ------
    QueueFull
    """
    upload.submit(name, asked)


def start(name: str, study: TrainingStudy, studies: Studies) -> None:
    """Begin because the person said so; also what failed before."""
    lower_flag(_stopped(study))
    raise_flag(_begun(study))
    for one in studies.values():
        if state(one) in ("cancelled", "failed"):
            try:
                submit(name, one)
            except jobs.QueueFull as full:
                st.toast(str(full), icon=":material/hourglass:")


def progress(study: StudyProtocol) -> tuple[float, str]:
    """The share that is done, and what is being done."""
    job = jobs.find(study.key)
    if job is None:
        return 0.0, "waiting for room in the queue" if jobs.full() else "starting"
    return min(1.0, max(0.0, job.progress)), verbatim(job.message)


def stop(study: TrainingStudy, studies: Studies) -> None:
    """Stop them all; what they have learned so far stays on screen."""
    raise_flag(_stopped(study))
    lower_flag(_begun(study))
    for one in studies.values():
        shared_jobs.stop(one.key)


def _begun(study: TrainingStudy) -> str:
    return f"train begun {study.key}"


def _stopped(study: TrainingStudy) -> str:
    return f"train stopped {study.key}"


@st.cache_data(max_entries=60, show_spinner=False)
def result(key: str) -> pd.DataFrame:
    """The rows of a job that is done."""
    return jobs.Job(key).result()


@st.cache_data(max_entries=60, show_spinner=False)
def _settings(key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(jobs.Job(key).file("settings.json") or b"{}")
    return found


def device(study: TrainingStudy) -> str:
    """What it was trained on; empty while it is trained."""
    return str(_settings(study.key).get("device", "")) if state(study) == "done" else ""


def histories(studies: Studies) -> pd.DataFrame:
    """All rows there are so far, with the name of their series."""
    found = {}
    for series, study in studies.items():
        job = jobs.find(study.key)
        if job is not None:
            rows = result(study.key) if job.state == "done" else job.partial()
            if rows is not None:
                found[series] = rows
        else:
            rows = jobs.Job(study.key).partial()
            if rows is not None:
                found[series] = rows
    return comparison.gathered(found)


def control(
    name: str, study: TrainingStudy, studies: Studies, found: Mapping[str, str], records: int
) -> None:
    """One line on what is under way or why it is not, with a button for what can be done now.

    Parameters
    ----------
    name : str
        As in `watch`.
    study : TrainingStudy
        The one that starting and stopping is about.
    studies : mapping of str to TrainingStudy
    found : mapping of str to str
        Their states.
    records : int
        n.
    """
    running = [series for series, each in found.items() if each in ("queued", "running")]
    failed = [series for series, each in found.items() if each == "failed"]
    if running or failed:
        series = (running or failed)[0]
        title = figures.SERIES[series].title
        who = f"Training, {title}" if running else title[0].upper() + title[1:]
        said = f"{who}: {progress(studies[series])[1]}"
    elif wanted(study, records) or all(each == "done" for each in found.values()):
        return
    else:
        stopped = "cancelled" in found.values()
        said = "Stopped." if stopped else "This takes longer than a few seconds, so it waits."
    label, icon, key = "Train these", ":material/play_arrow:", f"{name}_start"
    act, given = start, (name, study, studies)
    if running:
        label, icon, key = "Stop", ":material/stop_circle:", f"{name}_stop"
        act, given = stop, (study, studies)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said)
        st.button(label, key=key, icon=icon, on_click=act, args=given)


def watch(
    name: str,
    studies: Studies,
    study: TrainingStudy,
    records: int,
    draw: Callable[[dict[str, str], pd.DataFrame, bool], None],
) -> None:
    """Draw what is there; again and again while something is being trained.

    Parameters
    ----------
    name : str
        Of this group of trainings.
    studies : mapping of str to TrainingStudy
        By series.
    study : TrainingStudy
        The one that starting and stopping is about.
    records : int
        n.
    draw : callable
        Given the state of each series, the rows so far, and whether they stay as they are: while
        it is drawn again and again, a table's file would be gone before it is fetched.
    """
    before = states(studies)
    on = wanted(study, records)
    shared_jobs.only(name, [one.key for one in studies.values()] if on else ())
    active = on and any(each not in ("done", "failed") for each in before.values())
    look_again = f"train look {' '.join(one.key for one in studies.values())}"

    # What a stopped worker leaves comes when it has noticed; one stopped before its first epoch
    # leaves nothing.
    looks = f"train looks {' '.join(one.key for one in studies.values())}"

    def comes() -> bool:
        return (recall(looks) or 0) < LATE_LOOKS or any(
            jobs.Job(one.key).stopping for one in studies.values()
        )

    late = "cancelled" in before.values() and comes()
    remember(looks, 0 if active else (recall(looks) or 0))

    @st.fragment(run_every=POLL_SECONDS if active or late else None)
    def look() -> None:
        # A button in here runs nothing but this fragment.
        if wanted(study, records) != on:
            st.rerun()
        remember(looks, (recall(looks) or 0) + 1)
        if late and not active and not comes():
            st.rerun()
        # Begun by the second look, not while the page is first drawn: a worker that imports its
        # libraries then would take the processor from the browser.
        if active and flag(look_again):
            begin(name, studies)
        raise_flag(look_again)
        now = states(studies)
        if active and all(each in ("done", "failed") for each in now.values()):
            st.rerun()
        draw(now, histories(studies), not (active or late))

    look()
