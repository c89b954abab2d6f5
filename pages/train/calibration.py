"""Compute, before training, the least noise within the budget, and the growth of ε."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.schedules import Schedule
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import Assurance, guarantee
from dpcore.evaluation import comparison
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.progress import Progress
from pages.shared import downloads
from pages.shared.work import Waiting, answer_to
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

# Seconds that the page waits for the noise before it goes on; mostly it is solved by then.
PATIENCE = 0.3


@dataclass(frozen=True, eq=False)
class CalibratedTraining:
    """A training with its noise solved.

    `studies` and `configs` are by series, "private" the chosen one; σ₀ is solved in all of them.
    """

    studies: dict[str, TrainingStudy]
    configs: dict[str, TrainingConfig]
    records: int  # n, or the public size instead
    assurance: Assurance
    epsilon_schedule: pd.DataFrame

    @property
    def config(self) -> TrainingConfig:
        return self.configs["private"]

    @property
    def training(self) -> TrainingPlan | None:
        """The run for accountants; ``None`` if nothing is known of its noise."""
        return self.config.training(self.records) if comparison.accounted(self.config) else None

    @property
    def schedule(self) -> Schedule:
        """σ_t of every step."""
        return comparison.evenly(self.config).training(self.records).schedule()


def tested(choice: TrainChoice) -> tuple[int, ...]:
    """Number of test records of each class, or in all if only that is known.

    Only tables are loaded for this; 0 if the number is in an unread file.
    """
    if choice.uploaded:
        return choice.uploaded.tested
    dataset = choice.study.dataset
    if dataset in images.register():
        return (images.entry(dataset).test_records,)
    return _tested(dataset)


@st.cache_data(max_entries=50, show_spinner=False)
def _tested(dataset: str) -> tuple[int, ...]:
    return comparison.tested(images.load(dataset))


def fetch(dataset: str) -> None:
    """Draw a button that downloads the records, if nothing else is needed."""
    if images.availability(dataset) != "download":
        return
    if st.button("Download it now", icon=":material/download:", key="train_download"):
        downloads.fetch(dataset)


def calibrate(choice: TrainChoice, count: int) -> tuple[CalibratedTraining | None, Waiting]:
    """Return the training with its least noise within the budget; else the unfinished task.

    Refuses a budget that no noise keeps, and settings that do not fit together.
    """
    return answer_to(
        "settle",
        "Solving for the noise",
        (choice.study.key, count),
        partial(_solved, choice, count),
        wait=PATIENCE,
        quick=True,
    )


def _solved(choice: TrainChoice, count: int, progress: Progress) -> CalibratedTraining:
    progress(0.0, "solving")
    studies = comparison.calibrated_arms(choice.study, count)
    configs = comparison.with_calibrated_sigma(studies, count)
    progress(0.5, "along the run")
    return CalibratedTraining(
        studies,
        configs,
        count,
        guarantee(configs["private"], count),
        comparison.epsilon_schedule(configs, count),
    )
