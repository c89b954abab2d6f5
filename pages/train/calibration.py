"""Compute, before training, the least noise within the budget, and the growth of ε."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting import paper_003
from dpcore.accounting.events import Schedule, TrainingPlan, declared
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.risk import promise
from dpcore.accounting.risk_target import RiskTarget
from dpcore.controls.control import Number
from dpcore.controls.train import CONTROLS
from dpcore.datasets import images
from dpcore.deep.config import Assurance, TrainingConfig, certified_alone, guarantee
from dpcore.evaluation.training import data, variants
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.guarantee import Status
from dpcore.progress import Progress
from dpcore.questions.comparison import arms
from dpcore.questions.comparison.arms import PUBLISHED
from dpcore.questions.training.before import RiskOfTraining, epsilon_schedule, risk_of_training
from dpcore.words import at_most, capitalised, counted, lowered, plain
from pages.shared import badges, risk_box, risk_panel
from pages.shared.work import Waiting, answer_to, download
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
        download(dataset)


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
        epsilon_schedule(configs, count),
    )


def as_risk(choice: TrainChoice, count: int) -> Waiting:
    """Draw the ways to keep a risk by the noise of this training; returns the unfinished task."""
    waiting: Waiting = []

    def ways(target: RiskTarget) -> Iterator[risk_box.Way]:
        nonlocal waiting
        answer, waiting = answer_to(
            "risk",
            "Solving for the risk",
            (choice.study.key, count, target),
            partial(risk_of_training, choice.study, count, target),
            wait=PATIENCE,
            quick=True,
        )
        if answer is None:
            st.caption("What keeps it comes here.")
            return
        way = risk_box.epsilon_way(CONTROLS["target_epsilon"], answer.kept)
        yield replace(way, sentence=answer.by_noise) if way.values else way
        yield _epochs_way(answer)

    # Paper 004's ε is its claim, which no noise of an accountant stands behind.
    if choice.study.config.noise != PUBLISHED:
        with choice.risk_place:
            risk_box.draw(CONTROLS["target_epsilon"], ways)
    return waiting


def _epochs_way(answer: RiskOfTraining) -> risk_box.Way:
    epochs, epsilon = answer.epochs.value, answer.epochs.guarantee.epsilon
    if epochs is None or epsilon is None:
        return risk_box.Way(answer.by_epochs)
    kind = CONTROLS["passes"].kind
    assert isinstance(kind, Number)
    count, epsilon = min(round(epochs), int(kind.most)), lowered(epsilon, 4)
    label = f"Set {counted(count, 'epoch')}, ε = {plain(epsilon, 4)}"
    return risk_box.Way(answer.by_epochs, label, {"passes": count, "target_epsilon": epsilon})


def proof_and_claim(calibrated: CalibratedTraining) -> None:
    """Show what is proved for this noise, beside the paper's claim."""
    assurance, config = calibrated.assurance, calibrated.config
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
        st.markdown(assurance.proof.statement)
        if assurance.certified != assurance.proof:
            st.markdown(f"Certified: {assurance.certified.statement}")
        badges.checked([condition for condition in assurance.conditions if condition.met])
        st.caption(f"{assurance.certified.adjacency.meaning} {WHOLE_RUN} {EXPLORED}")
        if config.chosen_of > 1:
            alone = certified_alone(config, calibrated.records, assurance)
            st.caption(
                f"{capitalised(declared(config.chosen_of))}: it counts all of them. One alone "
                f"would spend ε = {at_most(alone.bound)}."
            )
        badges.trust()
        badges.guarantee("training")
    with claim:
        if calibrated.config.noise == "published-004":
            st.markdown("**Claim** (what paper 004 prints)")
            badges.status(
                str(assurance.status), assurance.certified.reason, name="paper 004, theorem 1"
            )
            st.markdown(assurance.claim.statement)
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
    assured, records = calibrated.assurance, calibrated.records
    certified = certified_alone(calibrated.config, records, assured)
    status, sentence = paper_003.verdict(answer, certified)
    badges.status(str(status), sentence, name="tCDP as printed")
    st.markdown(answer.claim.statement)
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
