"""What is known before training: the least noise that keeps the budget, and how ε will grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.planner import TrainingPlan
from dpcore.accounting.schedules import Schedule
from dpcore.datasets import DataUnavailable, images
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import Assurance, guarantee
from dpcore.evaluation import comparison
from dpcore.evaluation.training.study import TrainingStudy
from pages.shared import downloads
from pages.shared.background import BackgroundTask, Progress, ask
from pages.train import texts
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

# Seconds that the page waits for the noise before it goes on without; mostly it is there by then.
PATIENCE = 0.3


@dataclass(frozen=True, eq=False)
class CalibratedTraining:
    """The noise, solved.

    Parameters
    ----------
    studies : dict of str to TrainingStudy
        By series; "private" is the one that was asked for. σ₀ is solved, also for who trains them.
    configs : dict of str to TrainingConfig
        Of the private ones.
    records : int
        n, or the public size in its place.
    assurance : Assurance
        What is claimed, proved and certified for it.
    epsilon_schedule : DataFrame
        σ and ε at the end of each epoch.
    """

    studies: dict[str, TrainingStudy]
    configs: dict[str, TrainingConfig]
    records: int
    assurance: Assurance
    epsilon_schedule: pd.DataFrame

    @property
    def config(self) -> TrainingConfig:
        """The one that was asked for."""
        return self.configs["private"]

    @property
    def training(self) -> TrainingPlan | None:
        """The run as accountants read it; ``None`` where nothing is known of its noise."""
        return self.config.training(self.records) if comparison.accounted(self.config) else None

    @property
    def schedule(self) -> Schedule:
        """σ_t of every step."""
        return comparison.evenly(self.config).training(self.records).schedule()


@st.cache_data(max_entries=50, show_spinner="Reading the records …")
def records(dataset: str) -> int:
    """How many records the training part holds.

    Raises
    ------
    DataUnavailable
        If that only the data can say, and they are not at hand.
    """
    where, how_to_get = images.availability(dataset), images.entry(dataset).how_to_get
    if where == "upload":
        raise DataUnavailable(f"{texts.UPLOAD_FIRST} {how_to_get}")
    known = images.records(dataset)
    if known:
        return known
    if where not in ("built in", "local"):
        raise DataUnavailable(how_to_get)
    return images.load(dataset).records


def tested(asked: TrainChoice) -> tuple[int, ...]:
    """How many test records there are of each class, or in all where only that is known here.

    Only a table is loaded for it; 0 where only the file of another set knows.
    """
    if asked.uploaded:
        return asked.uploaded.tested
    dataset = asked.study.dataset
    if dataset in images.register():
        return (images.entry(dataset).test_records,)
    return _tested(dataset)


@st.cache_data(max_entries=50, show_spinner=False)
def _tested(dataset: str) -> tuple[int, ...]:
    return comparison.tested(images.load(dataset))


def fetch(dataset: str) -> None:
    """A button that gets records from their publisher, where nothing else is needed."""
    if images.availability(dataset) != "download":
        return
    if st.button("Download it now", icon=":material/download:", key="train_download"):
        downloads.fetch(dataset)


def settle(
    asked: TrainChoice, count: int
) -> tuple[CalibratedTraining | None, BackgroundTask[CalibratedTraining]]:
    """The least noise within the budget, or ``None`` while it is being solved.

    Raises
    ------
    InvalidInput
        If no noise keeps the budget, or settings do not fit together.
    """
    task = ask("settle", (asked.study.key, count), lambda _: _solved(asked, count, _), quick=True)
    return task.answer(PATIENCE), task


def _solved(asked: TrainChoice, count: int, progress: Progress) -> CalibratedTraining:
    progress(0.0, "solving")
    studies = comparison.calibrated_arms(asked.study, count)
    configs = comparison.with_calibrated_sigma(studies, count)
    progress(0.5, "along the run")
    return CalibratedTraining(
        studies,
        configs,
        count,
        guarantee(configs["private"], count),
        comparison.epsilon_schedule(configs, count),
    )
