"""The attacks on PATE: on its votes, and on what its student says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpcore.audit.model_setting import BLANKED, Array, ModelSetting, of_runs, records
from dpcore.guarantee import Adjacency
from dpcore.models import teachers
from dpcore.models.model import ModelCalibration, ModelTraining
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import pate


def votes(shape: RecordShape) -> tuple[Records, Records, Callable[[Records], Array]]:
    """Teachers evenly split; one of those for label 0 votes 1 where its only record is present."""
    groups = teachers.teachers(shape)
    base = [(1.0, 0, 1)] * (groups // 2)
    query = teachers.inputs(records(shape, [(1.0, 0, 0)]))

    def counted(data: Records) -> Array:
        """(1, 2): the same on every query, each record being a teacher's only one."""
        return teachers.votes(data, np.arange(len(data)), groups, query)

    return records(shape, [*base, (1.0, 0, 1)]), records(shape, [*base, BLANKED]), counted


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    split, few = RecordShape(42, 1, ()), RecordShape(10, 1, ())
    more, fewer, counted = votes(split)

    def labels(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noise.times, axis=0)
        return of_runs(
            lambda draw: pate.answers(counts, [calibration], draw)[0][1].sum(), runs, seed
        )

    # Teachers without records vote 0. Of three, the one with the record votes 1, whichever it is;
    # with one query the promise is tight where the odds of a 1 are then the highest.
    query = records(few, [(1.0, 0, 0)])

    def student(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        weights = pate.MODEL.learn(ModelTraining(data, query, [calibration], runs, seed))[0]
        return np.asarray(weights @ teachers.inputs(query)[0])

    return (
        ModelSetting(
            pate.MODEL.key,
            Adjacency.ZERO_OUT,
            (more, fewer),
            labels,
            "Teachers evenly split, and one whose only record is there or blank; how many queries "
            "get its label.",
            epsilon=2.0,
            delta=0.05,
            gaussian=False,
            runs=12_000,
        ),
        ModelSetting(
            pate.MODEL.key,
            Adjacency.ZERO_OUT,
            (records(few, [(1.0, 0, 1)]), records(few, [BLANKED])),
            student,
            "One record, or a blank; what the student of one query says.",
            epsilon=1.5,
            delta=0.1,
            gaussian=False,
            runs=4_000,
        ),
    )
