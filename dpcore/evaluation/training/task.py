"""Training what a study describes: at once, or as the work of a worker.

Everything measured here is measured on real records, training loss included, and is not private;
the ε of a row is what the training itself has spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.errors import Cancelled
from dpcore.evaluation.task import JobContext, Outcome, Report, StudyTask
from dpcore.evaluation.training.study import TrainingStudy, TrainingSweep

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import Examples
    from dpcore.evaluation.training.trainer import Trainer

KEEP_EVERY_SECONDS = 30.0
"""Between two states that are kept in case the worker dies."""


def train(
    study: TrainingStudy,
    *,
    device: str = "auto",
    progress: Report = lambda share, message: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """The study's history: one row a run and epoch, columns `trainer.COLUMNS`.

    Raises
    ------
    Cancelled
        When asked to stop.
    """
    return sweep_training([study], device=device, progress=progress, cancelled=cancelled)[0]


def sweep_training(
    studies: Sequence[TrainingStudy],
    *,
    device: str = "auto",
    progress: Report = lambda share, message: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[pd.DataFrame]:
    """`train` for several studies of the same records; small networks are trained as one batch.

    Runs that differ in seed and σ only share every matrix product, so that 20 runs × 5 ε cost
    little more than one. A run's random draws hang on what it is trained beside.
    """
    studies = TrainingSweep(tuple(studies)).studies
    trainer = begin(studies, device=device, progress=_or_stop(progress, cancelled))
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
    progress: Report = lambda share, message: None,
    records: Examples | None = None,
) -> Trainer:
    """A trainer for studies of the same records, before its first step.

    Parameters
    ----------
    studies : sequence of TrainingStudy
    device : str
        As for `dpcore.deep.device.device`.
    progress : callable
        Told that nothing is trained yet, and why; whatever it raises ends the work.
    records : Examples, optional
        Where they lie in no file that can be loaded here.

    Raises
    ------
    InvalidInput
        If a study can't be run.
    """
    # A page hands studies to workers, and needs no torch for that.
    from dpcore.deep.device import device as device_named
    from dpcore.evaluation.training.data import training_data
    from dpcore.evaluation.training.trainer import Trainer

    def preparing(share: float, message: str) -> None:
        progress(0.0, message)

    where = device_named(device)
    return Trainer(studies, training_data(studies[0], preparing, records), where, preparing)


def task(study: TrainingStudy | TrainingSweep, path: str = "") -> StudyTask:
    """The study as work for a worker.

    Parameters
    ----------
    study : TrainingStudy or TrainingSweep
    path : str
        Where its records wait, if they come from an upload.
    """
    return StudyTask(study, trained if isinstance(study, TrainingStudy) else swept, path)


def trained(study: TrainingStudy, context: JobContext) -> Outcome:
    """The history, ``weights.npz`` and ``settings.json`` of one study."""
    from dpcore.evaluation.training.report import outcome

    def partial(rows: pd.DataFrame) -> None:
        context.partial(rows.drop(columns="study"))

    return outcome(_to_the_end([study], replace(context, partial=partial)))


def swept(sweep: TrainingSweep, context: JobContext) -> Outcome:
    """The history of several studies; their rows have a column `study`."""
    return Outcome(_to_the_end(sweep.studies, context).history())


def _to_the_end(studies: Sequence[TrainingStudy], context: JobContext) -> Trainer:
    """A trainer at its end, from a state where there is one of just these studies."""
    from dpcore.evaluation.training.checkpoint import pack, take_up

    state = context.state

    def preparing(share: float, message: str) -> None:
        context.report(
            share, message if state is None else f"{message}, once more before it goes on"
        )

    trainer = begin(
        studies, progress=_or_stop(preparing, context.cancelled), records=context.records
    )
    if state is not None and take_up(trainer, state):
        context.partial(trainer.history())
    kept = time.monotonic()

    def told(rows: pd.DataFrame) -> None:
        nonlocal kept
        context.partial(rows)
        if time.monotonic() - kept >= KEEP_EVERY_SECONDS:
            context.keep(pack(trainer))
            kept = time.monotonic()

    try:
        trainer.run(context.report, told, context.cancelled)
    except Cancelled:
        context.keep(pack(trainer))
        raise
    return trainer


def _or_stop(report: Report, cancelled: Callable[[], bool]) -> Report:
    def report_or_stop(share: float, message: str) -> None:
        if cancelled():
            raise Cancelled
        report(share, message)

    return report_or_stop
