"""Training a study at once, or as a task for a worker.

All measures are on real records and not private; a row's ε is spent by the training itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.errors import Cancelled
from dpcore.evaluation.training.study import TrainingStudy, of_same_records
from dpcore.progress import Progress, silent, stoppable
from dpcore.work.task import JobContext, Outcome, StudyTask

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import Examples
    from dpcore.evaluation.training.trainer import Trainer

KEEP_EVERY_SECONDS = 30.0
"""Seconds between two saved states, in case the worker dies."""


def train(
    study: TrainingStudy,
    *,
    device: str = "auto",
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """The study's history: one row a run and epoch, columns `trainer.COLUMNS`.

    Raises
    ------
    Cancelled
        When stopped on request.
    """
    return sweep_training([study], device=device, progress=progress, cancelled=cancelled)[0]


def sweep_training(
    studies: Sequence[TrainingStudy],
    *,
    device: str = "auto",
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[pd.DataFrame]:
    """`train` for several studies of the same records; small networks are trained as one group."""
    trainer = begin(
        of_same_records(studies), device=device, progress=stoppable(progress, cancelled)
    )
    trainer.run(progress, cancelled=cancelled)
    rows = trainer.history()
    return [
        rows[rows["study"] == place].drop(columns="study").reset_index(drop=True)
        for place in range(len(studies))
    ]


def begin(
    studies: Sequence[TrainingStudy],
    *,
    device: str = "auto",
    progress: Progress = silent,
    records: Examples | None = None,
) -> Trainer:
    """A trainer for studies of the same records, before its first step."""
    # A page hands studies to workers, and needs no torch for that.
    from dpcore.deep.device import device as device_named
    from dpcore.evaluation.training.data import training_data
    from dpcore.evaluation.training.trainer import Trainer

    def preparing(share: float, message: str) -> None:
        progress(0.0, message)

    # Features may take minutes, so they have a bar of their own.
    data = training_data(studies[0], progress, records)
    return Trainer(studies, data, device_named(device), preparing)


def task(study: TrainingStudy, path: str = "") -> StudyTask:
    """The study as a task for a worker."""
    return StudyTask(study, trained, path, is_long=True)


def trained(study: TrainingStudy, context: JobContext) -> Outcome:
    """The history, ``weights.npz`` and ``settings.json`` of one study."""
    from dpcore.evaluation.training.report import outcome

    def partial(rows: pd.DataFrame) -> None:
        context.partial(rows.drop(columns="study"))

    return outcome(_to_the_end([study], replace(context, partial=partial)))


def swept(studies: Sequence[TrainingStudy], context: JobContext) -> Outcome:
    """The history of several studies of the same records; the rows have a column `study`."""
    return Outcome(_to_the_end(of_same_records(studies), context).history())


def _to_the_end(studies: Sequence[TrainingStudy], context: JobContext) -> Trainer:
    from dpcore.evaluation.training.checkpoint import pack, restore

    state = context.state

    def preparing(share: float, message: str) -> None:
        context.report(
            share, message if state is None else f"{message}, once more before it goes on"
        )

    trainer = begin(
        studies, progress=stoppable(preparing, context.cancelled), records=context.records
    )
    if state is not None and restore(trainer, state):
        context.partial(trainer.history())
    last_saved = time.monotonic()

    def partial(rows: pd.DataFrame) -> None:
        nonlocal last_saved
        context.partial(rows)
        if time.monotonic() - last_saved >= KEEP_EVERY_SECONDS:
            context.keep(pack(trainer))
            last_saved = time.monotonic()

    try:
        trainer.run(context.report, partial, context.cancelled)
    except Cancelled:
        context.keep(pack(trainer))
        raise
    return trainer
