"""Compute, before training, the least noise within the budget, and the growth of ε."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting import paper_003
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.risk import promise
from dpcore.accounting.schedules import Schedule
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import Assurance, guarantee
from dpcore.evaluation.training import data, variants
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.guarantee import Status
from dpcore.progress import Progress
from dpcore.questions.comparison import arms
from dpcore.questions.training import schedule
from pages.shared import badges, downloads, risk_panel
from pages.shared.work import Waiting, answer_to
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd

EXPLORED = (
    "This holds for a model trained for keeping. The networks on this page explore: "
    "their noise comes from a seed."
)
WHOLE_RUN = (
    "This is for the whole run as set; one that is stopped has spent what “Certified ε” above says."
)
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
        return self.config.training(self.records) if variants.accounted(self.config) else None

    @property
    def schedule(self) -> Schedule:
        """σ_t of every step."""
        return variants.evenly(self.config).training(self.records).schedule()


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
    return data.tested(images.load(dataset))


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
    studies = arms.calibrated_arms(choice.study, count)
    configs = arms.with_calibrated_sigma(studies, count)
    progress(0.5, "along the run")
    return CalibratedTraining(
        studies,
        configs,
        count,
        guarantee(configs["private"], count),
        schedule.epsilon_schedule(configs, count),
    )


def proof_and_claim(calibrated: CalibratedTraining) -> None:
    """Show what is proved for this noise, beside the paper's claim."""
    assurance = calibrated.assurance
    proof, claim = st.columns(2, border=True)
    with proof:
        st.markdown("**Proof** (what holds for exactly this noise, in a model for keeping)")
        is_proved = assurance.proof.epsilon is not None
        badges.status(
            str(Status.PROVED if is_proved else Status.CONDITIONS_NOT_MET),
            name=assurance.certified.by,
        )
        if is_proved:
            badges.status(str(Status.EXPLORATION), name="What this page trains")
        st.markdown(badges.statement(assurance.proof))
        if assurance.certified != assurance.proof:
            st.markdown(f"Certified: {badges.statement(assurance.certified)}")
        badges.checked([condition for condition in assurance.conditions if condition.met])
        st.caption(f"{assurance.certified.adjacency.meaning} {WHOLE_RUN} {EXPLORED}")
        badges.trust()
        badges.guarantee("training")
    with claim:
        if calibrated.config.noise == "published-004":
            st.markdown("**Claim** (what paper 004 prints)")
            badges.status(
                str(assurance.status), assurance.certified.reason, name="paper 004, theorem 1"
            )
            st.markdown(badges.statement(assurance.claim))
            badges.explain_same_figure(assurance.claim, assurance.certified)
            badges.checked([condition for condition in assurance.conditions if not condition.met])
        else:
            st.markdown("**Claim** (what paper 003 prints for this noise)")
            _paper_003(calibrated)


def paper_003_answer(calibrated: CalibratedTraining) -> TruncatedAnswer | None:
    """Paper 003's own accounting; ``None`` without sampling, for which it has no formula."""
    training = calibrated.training
    if training is None or training.rate >= 1.0:
        return None
    return paper_003.account(training.schedule(), training.rate, training.delta, training.clip)


def _paper_003(calibrated: CalibratedTraining) -> None:
    answer = paper_003_answer(calibrated)
    if answer is None:
        st.markdown("Without sampling the paper's formula has nothing to amplify.")
        return
    status, sentence = paper_003.verdict(answer, calibrated.assurance.certified)
    badges.status(str(status), sentence, name="tCDP as printed")
    st.markdown(badges.statement(answer.claim))
    st.markdown(sentence)
    badges.checked([condition for condition in answer.conditions if not condition.met])


def what_it_means(calibrated: CalibratedTraining) -> Waiting:
    """Draw the card for the certified ε, and the attacker panel; returns its unfinished task."""
    assurance = calibrated.assurance
    return risk_panel.run_panels(
        promise("this training", assurance.proof, assurance.certified, calibrated.records),
        assurance.certified,
        calibrated.training,
        f"train {calibrated.config} {calibrated.records}",
        "train",
        is_final=assurance.certified.epsilon is not None,
        subject="For each run here",
        without="No bound: nothing is certified for this noise.",
    )
