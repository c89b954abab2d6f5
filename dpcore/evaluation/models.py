"""The curve of a survey's model on a table: its measure against ε, run by run, as a task."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import OWN, Entry, Table, described, entry, load
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.evaluation.scoring import Array, spread
from dpcore.evaluation.study import MAX_RUNS, checked_epsilons
from dpcore.guarantee import Adjacency, default_delta
from dpcore.models.model import Model, ModelCalibration, ModelTraining, noiseless
from dpcore.models.records import Records, encode, shape_of
from dpcore.models.systems import model_named
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
PRIVATE, WITHOUT_NOISE, TRIVIAL = "private", "without noise", "trivial"
MAX_FITS = 10_000
NEXT_TO_NO_PRIVACY = 1e3
"""ε that stands for "without noise" where a model's settings depend on ε."""

COLUMNS = (
    "model",
    "dataset",
    "series",
    "epsilon",
    "delta",
    "adjacency",
    "status",
    "accountant",
    "run",
    "measure",
    "value",
    "learned_from",
    "judged_on",
)
"""Columns of `curve`; of the last two the first counts blank records too, and so is public, and the
second only those that are judged."""

SUMMARY = (
    *("series", "epsilon", "delta", "adjacency", "status", "accountant", "measure"),
    *("value", "value_low", "value_high", "runs", "learned_from", "judged_on"),
)


@dataclass(frozen=True)
class ModelStudy:
    """A model of the survey on a table, at several ε.

    Parameters
    ----------
    model : str
        Key of `dpcore.models.systems`.
    dataset : str
        Key of a catalogue entry; its label has two classes unless the model uses none.
    epsilons : tuple of float
        Requested total ε, each above 0.
    delta : float, optional
        Requested δ; ``None`` for the rule in the number of training records.
    adjacency : str
        One that the model's proof covers; "" for its first.
    runs : int
        Independent draws of the noise on one split of the records.
    seed : int
        Seed of the noise and of the split.
    records : int, optional
        For the user's own table: its number of records, blank ones included, which is public.
    upload : str
        Digest of the file when the records were uploaded; "" otherwise.
    columns : str
        Allowed values of the user's own table's columns (`dpcore.datasets.own.description`).

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    model: str = "naive-bayes"
    dataset: str = "breast_cancer"
    epsilons: tuple[float, ...] = EPSILONS
    delta: float | None = None
    adjacency: str = ""
    runs: int = 20
    seed: int = 0
    records: int | None = None
    upload: str = ""
    columns: str = ""

    def __post_init__(self) -> None:
        covered = self.what.adjacencies
        if self.dataset != OWN and self.columns:
            raise InvalidInput(f"columns are described, but only {OWN} takes a description.")
        # Default rules use the published size of a catalogue set, whatever the file holds.
        size = whole("records", self.records, at_least=1) if self.dataset == OWN else None
        object.__setattr__(self, "records", size)
        epsilons = checked_epsilons(self.epsilons, at_least=1e-6)
        runs = whole("runs", self.runs, at_least=1, at_most=MAX_RUNS)
        if runs * len(self.epsilons) > MAX_FITS:
            raise InvalidInput(
                f"runs is {spaced(runs)} at {len(self.epsilons)} values of epsilon, but together "
                f"they must be at most {spaced(MAX_FITS)} models."
            )
        delta = default_delta(shape_of(self.entry).size) if self.delta is None else self.delta
        checked = {
            "epsilons": tuple(sorted(set(epsilons))),
            "delta": number("delta", delta, at_least=1e-300, at_most=0.5),
            "adjacency": one_of("adjacency", self.adjacency or str(covered[0]), covered),
            "runs": runs,
            "seed": whole("seed", self.seed, at_least=0, at_most=2**32 - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def what(self) -> Model:
        return model_named(self.model)

    @property
    def entry(self) -> Entry:
        """The public facts about the records."""
        if self.dataset != OWN:
            return entry(self.dataset)
        return replace(described(self.columns), records=self.records or 0)

    @property
    def title(self) -> str:
        return f"{self.what.title} on {self.entry.title}"

    def calibrations(self) -> list[ModelCalibration]:
        """One per ε, from public values alone; no data are read."""
        return self._calibrated(self.epsilons)

    def calibrated(self, epsilon: float) -> ModelCalibration:
        """The calibration at any ε."""
        return self._calibrated([epsilon])[0]

    def _calibrated(self, epsilons: Sequence[float]) -> list[ModelCalibration]:
        assert self.delta is not None  # set by __post_init__
        shape = shape_of(self.entry)
        return self.what.calibrate(shape, epsilons, self.delta, Adjacency(self.adjacency))


def fits(model: Model, dataset: Entry) -> bool:
    """Whether the model can be run on the data set; one that uses labels needs two classes."""
    return not model.uses_labels or dataset.predicts == "class"


def curve(
    study: ModelStudy,
    *,
    table: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Learn `study.runs` models at every ε and judge each on test records. Not private.

    One row per (series, ε, run), columns `COLUMNS`; the rows are a function of the study. Series:
    the private model, the same one without noise, and one that learns nothing. Values are nan where
    there is nothing to judge by (`why_unjudged`).
    """
    import pandas as pd

    report = stoppable(progress, cancelled)
    report(0.0, "loading the data")
    model, private = study.what, study.calibrations()
    train, unlabelled, test = _parts(model, table or load(study.dataset), study.seed)
    unlabelled, test = unlabelled.known, test.known
    counts = len(train), len(test)
    training = ModelTraining(
        train, unlabelled, private, study.runs, study.seed, section(report, 0.05, 0.75)
    )
    values = _judged(model, training, test)
    silenced = noiseless(study.calibrated(NEXT_TO_NO_PRIVACY))
    still = replace(training, calibrations=[silenced], progress=section(report, 0.85, 0.13))
    plain = _judged(model, still, test)
    judged = [(PRIVATE, *each) for each in zip(private, values, strict=True)]
    trivial = model.measure.of_trivial(train, test) if len(test) else math.nan
    judged.append((WITHOUT_NOISE, silenced, plain[0]))
    judged.append((TRIVIAL, silenced, np.array([trivial])))
    rows = [(*row, *counts) for each in judged for row in _rows(study, *each)]
    report(1.0, "done")
    return pd.DataFrame(rows, columns=list(COLUMNS))


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per (series, ε): mean over runs, 5 % and 95 % quantile of a single run."""
    import pandas as pd

    result = []
    for (series, epsilon), part in rows.groupby(["series", "epsilon"], sort=False, dropna=False):
        first, values = part.iloc[0], part["value"].to_numpy(dtype=float)
        shared = [first[name] for name in SUMMARY[2:7]]
        counts = len(values), first["learned_from"], first["judged_on"]
        result.append((series, epsilon, *shared, *map(float, spread(values)), *counts))
    return pd.DataFrame(result, columns=list(SUMMARY))


def why_unjudged(rows: pd.DataFrame) -> str:
    """Why `curve` has no values; "" where it has."""
    if rows["value"].notna().any():
        return ""
    if not rows["judged_on"].any():
        return "No test record has an outcome, so nothing is judged."
    return "All test records are alike, so nothing is judged."


def _judged(model: Model, training: ModelTraining, test: Records) -> Array:
    """Learn, and judge on these records, (calibrations, runs); nan without any."""
    learned = model.learn(training)
    if not len(test):
        return np.full((len(training.calibrations), training.runs), math.nan)
    return model.judge(learned, test)


def _parts(model: Model, table: Table, seed: int) -> tuple[Records, Records, Records]:
    train, test = encode(table, seed=seed, labels=model.uses_labels)
    half = len(test) // 2 if model.unlabelled else 0
    return train, test[:half], test[half:]


def _rows(
    study: ModelStudy, series: str, calibration: ModelCalibration, values: Array
) -> list[tuple[object, ...]]:
    """The rows of one series at one ε, a run each, without the numbers of records."""
    requested, proof = calibration.requested, calibration.proof
    promised: tuple[object, ...] = float("nan"), float("nan"), ""
    if series == PRIVATE:
        delta = requested.delta if proof.delta is None else proof.delta
        promised = requested.epsilon, delta, study.adjacency
    by = proof.by if series == PRIVATE else ""
    described = (study.model, study.dataset, series, *promised, str(calibration.status), by)
    measure = study.what.measure.key
    return [(*described, run, measure, float(value)) for run, value in enumerate(values)]
