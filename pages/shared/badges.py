"""Show badges and statements of claims and proofs, side by side and never mixed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dpcore.erm.method import Calibration, Trust
from dpcore.figures.statements import statement as statement
from dpcore.guarantee import (
    EDITION_NAMES,
    SAME_FIGURE,
    STATUS_NAMES,
    Adjacency,
    Condition,
    Edition,
    Guarantee,
)
from dpcore.predictors import predictor_named
from pages.shared import texts

GUARANTEE = Path(__file__).parents[2] / "docs" / "guarantee.md"


def status(verdict: str, note: str = "", name: str = "", label: str = "") -> None:
    """Show the status as a coloured badge with an icon; its meaning appears on hover.

    `label` replaces its words; `name` says what it is about.
    """
    words = label or STATUS_NAMES.get(verdict, verdict)
    st.badge(
        f"{name}: {words}" if name else words,
        icon=texts.STATUS_ICONS[verdict],
        color=texts.STATUS_COLOURS[verdict],
        help=f"{texts.STATUS_WORDS[verdict]} {note}".strip(),
    )


def explain_same_figure(claim: Guarantee, certified: Guarantee) -> None:
    """Explain an add/remove claim beside a zero-out certificate; otherwise show nothing."""
    if (claim.adjacency, certified.adjacency) == (Adjacency.ADD_REMOVE, Adjacency.ZERO_OUT):
        st.caption(SAME_FIGURE)


def checked(conditions: Sequence[Condition]) -> None:
    """Show each condition with a mark, and the consequence if it is not met."""
    for condition in conditions:
        mark = ":green[:material/check:]" if condition.met else ":red[:material/close:]"
        tail = "" if condition.met else f" {condition.consequence}"
        if condition.met and condition.assumed:
            mark, tail = ":orange[:material/help:]", f" {texts.ASSUMED}"
        st.markdown(f"{mark} {condition.text}.{tail}")


@st.dialog("What “proved” means", width="large")
def _guarantee() -> None:
    text = GUARANTEE.read_text("utf-8")
    st.markdown(text.split("\n", 1)[1])


def guarantee(place: str) -> None:
    """Show a button that opens the definition of "proved"; `place` makes its key unique."""
    if st.button(
        "What “proved” means", key=f"guarantee_{place}", type="tertiary", icon=":material/gavel:"
    ):
        _guarantee()


def trust(answers: Sequence[Trust] = ()) -> None:
    """Show whom one has to trust for which ε; without answers, the holder of all records."""
    if not answers:
        st.markdown(f"**Whom do I have to trust?** {texts.CENTRAL}", help=texts.TRUST)
        return
    st.markdown("**Whom do I have to trust?**", help=f"{texts.TRUST} {texts.BLURRED}")
    st.markdown(
        "\n".join(
            f"- **{answer.whom}**, {answer.to}: {statement(answer.guarantee)}" for answer in answers
        )
    )


def claims_and_proofs(chosen: Sequence[Calibration]) -> None:
    """Show each calibration at the chosen ε: claim, proof and failed conditions."""
    # It loads the networks, for which the first view does not wait.
    from dpcore.systems import verdict_on

    guarantee("methods")
    for calibration in chosen:
        method = predictor_named(calibration.method)
        with st.container(border=True):
            with st.container(horizontal=True, vertical_alignment="center"):
                status(str(calibration.status))
                edition = EDITION_NAMES[calibration.edition]
                st.markdown(f"**{calibration.title}**, {edition}", width="content")
            if calibration.edition is Edition.PUBLISHED and (verdict := verdict_on(method.key)):
                st.markdown(f"**{verdict}**")
            st.caption(f"{method.idea} Source: {method.paper}")
            claim, proof = st.columns(2)
            with claim:
                st.markdown("**Claim** (what the paper says)")
                st.markdown(statement(calibration.claim))
                explain_same_figure(calibration.claim, calibration.certified)
                claim_text, reason = (
                    method.editions[calibration.edition].claim,
                    calibration.claim.reason,
                )
                if not reason or reason.lower() not in claim_text.lower():
                    st.caption(claim_text)
            with proof:
                st.markdown("**Proof** (what holds for this noise)")
                st.markdown(statement(calibration.proof))
                if calibration.certified != calibration.proof:
                    st.markdown(
                        f"Certified for exactly this noise: {statement(calibration.certified)}"
                    )
                st.caption(method.editions[calibration.edition].proof)
            checked(calibration.conditions)
            trust(() if method.trust is None else method.trust(calibration))
            for limit in method.limits:
                st.caption(f"Note: {limit}")
