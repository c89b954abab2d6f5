"""How long trainings will take: a few steps of each real configuration, timed on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import MAX_ROWS, PICTURES, TrainingStudy
from dpcore.progress import stoppable
from dpcore.work.task import JobContext, Outcome, StudyTask, digest

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import Examples
    from dpcore.evaluation.training.data import TrainingData

TIMED_SECONDS = 1.0
"""Seconds that the steps of each training are timed for."""
DIFFERENT, TESTED = 64, 1_024
"""Different records, and records measured: the others repeat them."""
STEPS = 12
"""Steps that the timed training has at least; it need not take them all."""
FASTER, SLOWER = 0.8, 1.6
"""The range around the estimate, where the timed steps themselves do not spread more."""
COLUMNS = ("study", "step", "step_low", "step_high", "batches", "measuring", "features", "loading")


@dataclass(frozen=True)
class Trial:
    """Describe trainings of the same records (`timed_as`) whose time is to be told."""

    studies: tuple[TrainingStudy, ...]

    @property
    def key(self) -> str:
        return digest(["training time", [study.description for study in self.studies]])

    @property
    def title(self) -> str:
        return f"{images.entry(self.studies[0].dataset).title}, timing"


@dataclass(frozen=True)
class Duration:
    """Seconds that trainings will take together: the estimate and its range."""

    seconds: float
    low: float
    high: float


def timed_as(study: TrainingStudy) -> TrainingStudy:
    """The study with everything that takes no time at its default: one timing serves many."""
    config, usual = study.config, TrainingConfig()
    timed = replace(
        config,
        **{name: getattr(usual, name) for name in ("decay", "decay_every", "delta", "seed")},
        **{name: getattr(usual, name) for name in ("adjacency", "public_size", "clip", "epochs")},
        learning_rate=0.01,
        sigma=float(config.sigma > 0.0),
    )
    return replace(
        study, config=timed, epsilon=None, budget=None, release="", models=1, solved=None
    )


def trial(studies: Iterable[TrainingStudy]) -> Trial:
    """A trial that tells the time of all these studies of the same records."""
    return Trial(tuple(dict.fromkeys(map(timed_as, studies))))


def task(trial: Trial) -> StudyTask:
    return StudyTask(trial, measured)


def measured(trial: Trial, context: JobContext) -> Outcome:
    """Time each study; one row each, columns `COLUMNS`, in seconds."""
    import pandas as pd

    from dpcore.deep.device import device
    from dpcore.evaluation.training.trainer import LOSS_RECORDS, Trainer

    progress = stoppable(context.report, context.cancelled)
    progress(0.0, "measuring how long it takes")
    start = time.perf_counter()
    examples = images.load(trial.studies[0].dataset)
    loading, rows = time.perf_counter() - start, []
    few, seconds_an_image = _features(trial.studies[0], examples)
    for number, study in enumerate(trial.studies, start=1):
        data = _records(study, examples, few)
        size = len(data.inputs)
        epochs = math.ceil(STEPS / study.config.steps_an_epoch(size))
        longer = replace(study, config=replace(study.config, epochs=epochs))
        timing = Trainer([longer], data, device("auto"), progress).timed(TIMED_SECONDS)
        # Some steps look at every record, of which only `size` are here.
        weighed = study.config.uneven and study.config.source == "private"
        every = study.config.sampling == "none" or weighed
        scale = study.trained_on(examples.records) / size if every else 1.0
        steps = scale * np.array(timing.steps)
        spread = float(np.median(steps)), float(steps.min()), float(steps.max())
        tested = len(examples.test_inputs)
        measuring = timing.measuring * (tested + min(examples.records, LOSS_RECORDS))
        features = seconds_an_image * (examples.records + tested)
        rows.append((study.key, *spread, timing.batches, measuring, features, loading))
        progress(number / len(trial.studies), "measuring how long it takes")
    return Outcome(pd.DataFrame(rows, columns=list(COLUMNS)))


def _features(study: TrainingStudy, examples: Examples) -> tuple[NDArray[Any], float]:
    """Inputs made of a few records, and the seconds that those of one image will take."""
    few, seconds = examples.train_inputs[:DIFFERENT], 0.0
    if study.features == "deskewed":
        from dpcore.deep.scattering import deskewed

        start = time.perf_counter()
        few = deskewed(few)
        seconds = (time.perf_counter() - start) / len(few)
    elif study.features not in PICTURES:
        from dpcore.deep import scattering
        from dpcore.deep.scattering import WHITE_DIRECTIONS

        every = examples.train_inputs
        scattering.features(few[:1])  # filters are made once
        start = time.perf_counter()
        few = scattering.features(few)
        if not (examples.published and scattering.is_cached(every)):
            seconds = (time.perf_counter() - start) / len(few)
        if study.features == "whitened":
            few = few[:, :WHITE_DIRECTIONS]
    return few, seconds


def _records(study: TrainingStudy, examples: Examples, few: NDArray[Any]) -> TrainingData:
    """Records of the study's shape: a few, repeated."""
    from dpcore.evaluation.training.data import TrainingData

    least = STEPS * study.config.batch
    size = min(study.trained_on(examples.records), max(least, TESTED))
    targets = examples.train_targets[:DIFFERENT]
    inputs, labels = _repeated(few, size), _repeated(targets, size)
    tested = slice(0, min(TESTED, len(examples.test_inputs), size))
    public = (inputs[: study.public], labels[: study.public]) if study.public else None
    return TrainingData(
        inputs, labels, inputs[tested], labels[tested], public, examples.outputs, examples.task
    )


def _repeated(records: NDArray[Any], size: int) -> NDArray[Any]:
    return np.resize(records, (size, *records.shape[1:]))


def duration(rows: pd.DataFrame, studies: Sequence[TrainingStudy], records: int) -> Duration:
    """The time of these studies, trained one after the other."""
    by_key: Mapping[str, pd.Series] = {row["study"]: row for _, row in rows.iterrows()}
    total = np.zeros(3)
    for number, study in enumerate(studies):
        row, config = by_key[timed_as(study).key], study.config
        steps = np.array([row["step"], row["step_low"], row["step_high"]])
        measuring = min(config.epochs, MAX_ROWS) * row["measuring"]
        total += row["batches"] * (config.steps(records) * steps + measuring) + row["loading"]
        if number == 0:  # later ones find the features
            total += row["features"]
    seconds, low, high = total
    return Duration(
        float(seconds), float(min(low, FASTER * seconds)), float(max(high, SLOWER * seconds))
    )


def remaining(history: pd.DataFrame, series: Iterable[str], epochs: int) -> float | None:
    """Seconds that trainings beside each other still take, at the pace of their epochs so far."""
    pace, reached = {}, {}
    for name, rows in history.groupby("series") if len(history) else ():
        runs = rows.groupby("run")
        reached[name] = int(runs["epoch"].max().min())
        pace[name] = float(runs["seconds"].max().sum()) / max(1, reached[name])
    if not pace:
        return None
    usual = float(np.mean(list(pace.values())))
    return sum(pace.get(name, usual) * (epochs - reached.get(name, 0)) for name in series)
