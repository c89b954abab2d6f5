"""An attack on a model of the survey: its release before any post-processing, on neighbours.

They are drawn by the models' own learning functions; post-processing could only hide more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target
from dpcore.audit.neighbours import table
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.models.model import ModelCalibration, ModelTraining, generator, with_noise
from dpcore.models.records import Records, RecordShape, encode
from dpcore.models.register import model_named

Array = NDArray[np.float64]
Score = Callable[[ModelCalibration, Records, int, int], Array]
"""(calibration, records, runs, seed) -> one score for each independent release; larger for the
first data set."""
RowValues = tuple[float, int, int] | None
BLANKED: RowValues = None
"""The record in the neighbour under zero-out: an empty row."""


@dataclass(frozen=True)
class ModelSetting(Power):
    model: str
    adjacency: Adjacency
    neighbours: tuple[Records, Records]
    score: Score
    about: str
    # The proof, or that of the one choice that the score shows.
    promise: Callable[[ModelCalibration], Guarantee] = attrgetter("proof")


def attack(setting: ModelSetting) -> Attack:
    """The attack that a setting describes."""

    def aim(epsilon: float, delta: float) -> Target:
        model = model_named(setting.model)
        first, second = setting.neighbours
        calibration = model.calibrate(first.shape, [epsilon], delta, setting.adjacency)[0]
        if calibration.proof.epsilon is None:
            raise InvalidInput(
                f"{model.title} proves nothing, but an attack needs a promise to test: "
                f"{calibration.proof.reason}"
            )

        def scores(share: float, runs: int, seed: int) -> tuple[Array, Array]:
            copy = with_noise(calibration, share)
            return (
                setting.score(copy, first, runs, 2 * seed),
                setting.score(copy, second, runs, 2 * seed + 1),
            )

        return Target(setting.promise(calibration), scores)

    return setting.attack(setting.model, model_named(setting.model).edition, setting.about, aim)


def records(shape: RecordShape, rows: Sequence[RowValues]) -> Records:
    """Prepare rows of (x, c, label) or `BLANKED` as training records of a user's own table."""
    levels = [f"l{level}" for level in range(max((2, *shape.levels)))]
    columns = [f"x{index}: -1 to 1" for index in range(shape.numbers)]
    columns += [
        f"c{index}: one of {', '.join(levels[:count])}" for index, count in enumerate(shape.levels)
    ]

    def fields(row: RowValues) -> list[str]:
        if row is None:
            return []
        x, c, label = row
        return [*shape.numbers * [repr(x)], *len(shape.levels) * [levels[c]], str(label)]

    train, _ = encode(table(columns, "label: one of 0, 1", [fields(row) for row in rows]))
    return replace(train, shape=shape)


def of_runs(score: Callable[[np.random.Generator], float], runs: int, seed: int) -> Array:
    """The score of each run, from its own generator."""
    return np.array([score(generator(seed, run)) for run in range(runs)], float)


def training(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> ModelTraining:
    """What a model learns from in an attack: these records, and none without labels."""
    return ModelTraining(data, data[:0], [calibration], runs, seed)


def choice_alone(index: int) -> Callable[[ModelCalibration], Guarantee]:
    """The guarantee of one choice of the exponential mechanism by itself."""

    def one_choice(calibration: ModelCalibration) -> Guarantee:
        noise = calibration.noises[index]
        return Guarantee(
            noise.scale * noise.sensitivity,
            0.0,
            calibration.adjacency,
            f"exponential mechanism (McSherry and Talwar 2007), {noise.query} alone",
        )

    return one_choice
