"""Time the trainings before anybody starts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.datasets import images
from dpcore.evaluation.training import duration
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.figures import training as figures
from dpcore.words import lasting
from pages.shared import work
from pages.shared.work import WatchedJobs
from pages.train import texts, trainings
from pages.train.calibration import CalibratedTraining

if TYPE_CHECKING:
    import pandas as pd

PLACE = "time"


def watched(study: TrainingStudy, calibrated: CalibratedTraining) -> list[WatchedJobs]:
    """Return the trial that times the trainings while they wait for the reader, or none.

    An uploaded file is not handed to a worker only for this.
    """
    is_here = images.availability(study.dataset) in ("built in", "local")
    is_new = trainings.state(study) == "new"
    waits = is_new and not trainings.should_train(study, calibrated.records)
    if not (waits and is_here) or study.settings:
        work.only(PLACE, ())
        return []
    trial = duration.trial(calibrated.studies.values())
    work.only(PLACE, [trial.key])
    return [
        WatchedJobs(
            PLACE,
            PLACE,
            {"Timing": trial},
            _submit,
            seconds=trainings.POLL_SECONDS,
            should_run=lambda: work.state(trial.key) != "failed",
        )
    ]


def _submit(place: str, trial: duration.Trial) -> None:
    work.submit(place, duration.task(trial))


def left(study: TrainingStudy, calibrated: CalibratedTraining, history: pd.DataFrame) -> str:
    """Say that nobody has to press Start, where it is short, and about how long it still takes."""
    sentences = []
    if trainings.starts_automatically(study, calibrated.records):
        sentences.append(texts.BY_ITSELF)
    seconds = duration.remaining(history, calibrated.studies, study.config.epochs)
    if seconds is not None:
        sentences.append(f"About {lasting(seconds)} left.")
    return " ".join(sentences)


def in_words(calibrated: CalibratedTraining, trial: WatchedJobs | None) -> str:
    """What Start will take, as "Press Start (about 4 min, between 3 and 7 min)."."""
    if trial is None or trial.state() == "failed":
        return "Press Start."
    if trial.state() != "done":
        return "Press Start; how long it takes is being measured."
    unfinished = [
        study for study in calibrated.studies.values() if trainings.state(study) != "done"
    ]
    rows = work.result(trial.keys[0])
    time = duration.duration(rows, unfinished, calibrated.records)
    return f"Press Start ({figures.in_time(time)})."
