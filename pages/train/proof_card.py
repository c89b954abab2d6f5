"""Show proof and claim of the training on screen, and what its ε means for one person."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting import paper_003
from dpcore.accounting.paper_003 import TruncatedAnswer
from dpcore.accounting.risk import promise
from dpcore.guarantee import Status
from pages.shared import badges, risk_panel
from pages.shared.work import Waiting
from pages.train import texts
from pages.train.calibration import CalibratedTraining


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
        st.caption(f"{assurance.certified.adjacency.meaning} {texts.WHOLE_RUN} {texts.EXPLORED}")
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
