"""Models and the probabilities that they give to test records: private ones, and the reference.

What a measure of the clinic begins with. The margin of a logistic model is the log-odds of the
condition, so the probability is its sigmoid; of boosted trees likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets import Split, Table
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array, Calibration
from dpcore.evaluation.baselines import usual, without_privacy
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import calibrations_for, delta_for, fitting, problem_for
from dpcore.evaluation.sweep import trainings
from dpcore.progress import Progress, section


@dataclass(frozen=True, eq=False)
class Judged:
    """Models of one kind and the records that each is judged on.

    Parameters
    ----------
    weights : list of (runs, d) array
        One entry a split.
    splits : list of Split
        Only their test records are read.
    calibration : Calibration or None
        Of a private model.
    title : str
        Of a model without privacy.
    """

    weights: list[Array]
    splits: list[Split]
    calibration: Calibration | None = None
    title: str = ""

    @property
    def risks(self) -> list[tuple[Array, NDArray[np.bool_]]]:
        """Probabilities (runs, m), and who has the condition (m,), of each split. Not private."""
        return [
            (expit(weights @ split.x_test.T), split.y_test > 0)
            for weights, split in zip(self.weights, self.splits, strict=True)
        ]


def released(study: ClinicStudy, parts: Sequence[Split], progress: Progress) -> list[Judged]:
    """All private models: of each method and ε as many as there are runs, over the splits.

    Parameters
    ----------
    study : ClinicStudy
    parts : sequence of Split
        As `dpcore.evaluation.splits.splits` gives them; run r takes place r, counted round.
    progress : callable
        Called with (fraction done, message).
    """
    explored = study.study
    if parts[0].maps:
        return _with_each_map(study, parts, progress)
    parts = parts[: explored.runs]
    progress(0.0, "calibrating the noise")
    noises = calibrations_for(
        explored, problem_for(explored, parts[0]), delta_for(explored, parts[0])
    )
    steps = len(explored.methods) * len(parts)
    models: list[Judged] = []
    tests: list[Split] = []
    for number, method in enumerate(explored.methods):
        alone = replace(explored, methods=(method,))
        weights = []
        for place, split in enumerate(parts):
            if number == 0:
                tests.append(_tests_of(split))
            fits = fitting(alone, problem_for(alone, split), split, {method: noises[method]})
            runs = len(range(place, explored.runs, len(parts)))
            ((release, training),) = trainings(alone, split, place, runs, fits)
            step = (number * len(parts) + place) / steps
            training = replace(training, progress=section(progress, step, 1.0 / steps))
            weights.append(one_vs_rest.release(release, training))
        models += [
            Judged([part[at] for part in weights], tests, calibration)
            for at, calibration in enumerate(noises[method])
        ]
    return models


def _with_each_map(study: ClinicStudy, parts: Sequence[Split], progress: Progress) -> list[Judged]:
    """`released` where the features are by rule: each ε with its own map."""
    explored = study.study
    maps = by_map(explored, parts)
    found: dict[tuple[str, float], Judged] = {}
    for place, (one, rows) in enumerate(maps):
        report = section(progress, place / len(maps), 1.0 / len(maps))
        models = released(replace(study, study=one), rows, report)
        pairs = [(method, epsilon) for method in one.methods for epsilon in one.epsilons]
        found.update(zip(pairs, models, strict=True))
    return [found[method, epsilon] for method in explored.methods for epsilon in explored.epsilons]


def reference(study: ClinicStudy, records: Table, progress: Progress) -> Judged:
    """The model without privacy of `dpcore.evaluation.baselines`, linear or boosted trees."""
    found = without_privacy(splits(records, usual(study.study.preparation)), records, progress)
    judging = [(_tests_of(split), np.atleast_2d(weights)) for split, weights in found.judging]
    parts, weights = ([*part] for part in zip(*judging, strict=True))
    return Judged(weights, parts, title=found.model)


def _tests_of(split: Split) -> Split:
    """The split without its training records, which would take their room many times over."""
    emptied = {name: getattr(split, name)[:0].copy() for name in ("x_train", "y_train", "blank")}
    tests = {name: getattr(split, name).copy() for name in ("x_test", "y_test")}
    return replace(split, **emptied, **tests)
