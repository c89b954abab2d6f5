"""Trainings as background jobs: begun, found again; their histories as one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets import images
from dpcore.evaluation import comparison, jobs
from dpcore.evaluation.task import StudyProtocol
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.figures import training as figures
from pages.shared import shared_jobs
from pages.shared.job_panel import State
from pages.shared.shared_jobs import WatchedJobs
from pages.train import upload

if TYPE_CHECKING:
    import pandas as pd

POLL_SECONDS = 0.4
PLACES = ("train", "why", "shapes", "effect")
# Records seen over all epochs and runs up to which training begins by itself, with hidden layers of
# up to so many products.
AT_ONCE = 3_000_000
PRODUCTS = 10_000

IDLE: Mapping[State, str] = {
    "new": "This takes longer than a few seconds, so it waits.",
    "stopping": "Stopped.",
    "stopped": "Stopped.",
}
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
    if shared_jobs.stopped(study.key):
        return False
    return shared_jobs.begun(study.key) or begins_by_itself(study, records)


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
    under_way = {"queued", "running"} & set(states(studies).values())
    if own and under_way and not shared_jobs.stopped(study.key):
        shared_jobs.begin(study.key)


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


@st.cache_data(max_entries=60, show_spinner=False)
def _settings(key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(jobs.Job(key).file("settings.json") or b"{}")
    return found


def device(study: TrainingStudy) -> str:
    """What it was trained on; empty while it is trained."""
    return str(_settings(study.key).get("device", "")) if state(study) == "done" else ""


def histories(studies: Studies) -> pd.DataFrame:
    """All rows there are so far, with the name of their series."""
    histories = {}
    for series, study in studies.items():
        job = jobs.Job(study.key)
        rows = shared_jobs.result(study.key) if job.state == "done" else job.partial()
        if rows is not None:
            histories[series] = rows
    return comparison.gathered(histories)


def watched(
    name: str,
    study: TrainingStudy,
    studies: Studies,
    records: int,
    *,
    idle: Callable[[State], str] = IDLE.__getitem__,
    begin: str = "Train these",
) -> WatchedJobs:
    """Trainings for the job panel; they are left where they are not to be trained.

    Parameters
    ----------
    name : str
        Of this group of trainings.
    study : TrainingStudy
        The one that starting and stopping is about.
    studies : mapping of str to TrainingStudy
        By series.
    records : int
        n.
    idle : callable
        What is said where they are new, or stopped.
    begin : str
        What has them trained where they are new.
    """
    keys = [one.key for one in studies.values()]
    shared_jobs.only(name, keys if wanted(study, records) else ())
    return WatchedJobs(
        name,
        name,
        {f"Training, {figures.SERIES[series].title}": one for series, one in studies.items()},
        upload.submit,
        seconds=POLL_SECONDS,
        should_run=lambda: wanted(study, records),
        about=study.key,
        begin=begin,
        idle=idle,
        late=True,
    )
