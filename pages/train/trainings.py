"""Start trainings as background jobs, find them again, and join their histories."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets import images
from dpcore.evaluation.training import duration
from dpcore.evaluation.training.measures import gathered
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import task
from dpcore.questions import question
from dpcore.questions.training import before
from dpcore.questions.training.series import SERIES
from dpcore.questions.vary.question import VaryQuestion
from dpcore.words import lasting
from dpcore.work import jobs
from dpcore.work.task import StudyProtocol
from pages.shared import uploads, work
from pages.shared.work import State, WatchedJobs
from pages.train.calibration import CalibratedTraining
from pages.train.controls import OWN_FEATURES

if TYPE_CHECKING:
    import pandas as pd

POLL_SECONDS = 1.0
TIMING = "time"
PLACES = ("train", "why", "shapes", "effect", TIMING)
# Training starts automatically below these limits: records over all epochs and runs, and products
# in a hidden layer.
AT_ONCE = 3_000_000
PRODUCTS = 10_000

IDLE: Mapping[State, str] = {
    "new": "This takes longer than a few seconds, so it waits.",
    "stopping": "Stopped.",
    "stopped": "Stopped.",
}
BY_ITSELF = "Short, so it starts by itself."
Studies = Mapping[str, TrainingStudy]


def starts_automatically(study: TrainingStudy, records: int) -> bool:
    """Whether training takes only seconds, on available data."""
    config = study.config
    cost = float(records * config.epochs * study.runs)
    if config.network == "perceptron":
        products = sum(a * b for a, b in pairwise(config.widths))
        cost *= max(1.0, products / PRODUCTS)
    is_available = images.availability(study.dataset) in ("built in", "local") or bool(
        study.settings
    )
    return is_available and not config.convolutional and study.features == "raw" and cost <= AT_ONCE


def should_train(study: TrainingStudy, records: int) -> bool:
    """Whether it should be trained: started by the person or automatically, and not stopped."""
    if work.stopped(study.key):
        return False
    return work.begun(study.key) or starts_automatically(study, records)


def has_learned(study: TrainingStudy) -> bool:
    """Whether any step has been taken and recorded."""
    rows = jobs.Job(study.key).partial()
    return rows is not None and len(rows) > 0


def is_untouched(study: TrainingStudy, records: int) -> bool:
    """Whether it was stopped before its first step, so that it has spent nothing."""
    job = jobs.Job(study.key)
    return (
        job.state == "cancelled"
        and not (job.stopping or job.resumable or has_learned(study))
        and not should_train(study, records)
    )


def mark_started(study: TrainingStudy, studies: Studies) -> None:
    """Mark a running training as started: the page may be reloaded, or another one."""
    # A job that other settings share does not count.
    has_own_job = state(study) in ("queued", "running", "done")
    running = {"queued", "running"} & set(states(studies).values())
    if has_own_job and running and not work.stopped(study.key):
        work.begin(study.key)


def leave_all() -> None:
    """Leave all trainings; those shown with the new settings are joined again."""
    for name in PLACES:
        work.only(name, ())


def state(study: StudyProtocol) -> str:
    """State of its job, as in `work.state`."""
    return work.state(study.key)


def states(studies: Studies) -> dict[str, str]:
    return {series: state(study) for series, study in studies.items()}


@st.cache_data(max_entries=60, show_spinner=False)
def _settings(key: str) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(jobs.Job(key).file("settings.json") or b"{}")
    return settings


def device(study: TrainingStudy) -> str:
    """Device it was trained on; empty until it is done."""
    return str(_settings(study.key).get("device", "")) if state(study) == "done" else ""


def histories(studies: Studies) -> pd.DataFrame:
    """All rows so far, with the name of their series."""
    histories = {}
    for series, study in studies.items():
        job = jobs.Job(study.key)
        rows = work.result(study.key) if job.state == "done" else job.partial()
        if rows is not None:
            histories[series] = rows
    return gathered(histories)


def watched(
    name: str,
    study: TrainingStudy,
    studies: Studies,
    records: int,
    *,
    idle: Callable[[State], str] = IDLE.__getitem__,
    begin: str = "Train these",
) -> WatchedJobs:
    """Hand the trainings to the job panel; the session leaves those that should not run."""
    keys = [arm.key for arm in studies.values()]
    work.only(name, keys if should_train(study, records) else ())
    return WatchedJobs(
        name,
        name,
        {f"Training, {SERIES[series].title}": arm for series, arm in studies.items()},
        submit,
        seconds=POLL_SECONDS,
        should_run=lambda: should_train(study, records),
        about=study.key,
        begin=begin,
        idle=idle,
    )


def submit(place: str, study: TrainingStudy | VaryQuestion) -> None:
    """Submit it to the workers, with its records if these were uploaded and are still there."""
    is_sweep = isinstance(study, VaryQuestion)
    if isinstance(study, VaryQuestion):
        described, made = study.study, partial(question.task, study)
    else:
        described, made = study, partial(task, study)
    if described.dataset == OWN_FEATURES:
        name = str(dict(described.settings).get("file", ""))
        uploads.train(place, made, study.key, name, is_sweep=is_sweep)
    else:
        work.submit(place, made(), is_sweep=is_sweep)


def timing(study: TrainingStudy, calibrated: CalibratedTraining) -> list[WatchedJobs]:
    """Return the trial that times the trainings while they wait for the reader, or none.

    An uploaded file is not handed to a worker only for this.
    """
    is_here = images.availability(study.dataset) in ("built in", "local")
    is_new = state(study) == "new"
    waits = is_new and not should_train(study, calibrated.records)
    if not (waits and is_here) or study.settings:
        work.only(TIMING, ())
        return []
    trial = duration.trial(calibrated.studies.values())
    work.only(TIMING, [trial.key])
    return [
        WatchedJobs(
            TIMING,
            TIMING,
            {"Timing": trial},
            _submit_timing,
            seconds=POLL_SECONDS,
            should_run=lambda: work.state(trial.key) != "failed",
        )
    ]


def _submit_timing(place: str, trial: duration.Trial) -> None:
    work.submit(place, duration.task(trial))


def time_left(study: TrainingStudy, calibrated: CalibratedTraining, history: pd.DataFrame) -> str:
    """Say that nobody has to press Start, where it is short, and about how long it still takes."""
    sentences = []
    if starts_automatically(study, calibrated.records):
        sentences.append(BY_ITSELF)
    seconds = duration.remaining(history, calibrated.studies, study.config.epochs)
    if seconds is not None:
        sentences.append(f"About {lasting(seconds)} left.")
    return " ".join(sentences)


def time_to_take(calibrated: CalibratedTraining, trial: WatchedJobs | None) -> str:
    """What Start will take, as "Press Start (about 4 min, between 3 and 7 min)."."""
    if trial is None or trial.state() == "failed":
        return "Press Start."
    if trial.state() != "done":
        return "Press Start; how long it takes is being measured."
    unfinished = [study for study in calibrated.studies.values() if state(study) != "done"]
    rows = work.result(trial.keys[0])
    time = duration.duration(rows, unfinished, calibrated.records)
    return f"Press Start ({before.in_time(time)})."
