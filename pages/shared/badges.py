"""Show badges and statements of claims and proofs, side by side and never mixed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from dpcore.erm.method import Calibration, Trust
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

BadgeColour = Literal["green", "gray", "orange", "red"]
COMPOSED = (
    "Several releases together mostly cost less than the sum of their ε: the ledger composes them."
)
WHY_COMPOSED = (
    "Each release has noise of its own. What two of them tell adds up like lengths at right "
    "angles: by squares. Two equal ones with normal noise so cost about √2 times one, not twice. "
    "The ledger adds up μ² of each, which is exact for normal noise, and states the ε of the sum. "
    "Other kinds are added up in Rényi form. Where only (ε, δ) is known, the δ are added, too."
)
CENTRAL = (
    "The one who holds the records and runs this: they see every record as it is. The promise is "
    "about what everyone else can learn from what is published."
)
ASSUMED = "That is an assumption of yours, which nothing here can check."
TRUST = (
    "**Central** model: one party holds all the records and adds the noise. **Shuffled** model: "
    "people blur their own records, and a mixer passes them on without names. **Local** model: "
    "people blur their own records so much that nobody has to be trusted."
)
BLURRED = (
    "Here everyone adds noise before handing anything in, so a promise holds even against the "
    "server: the **local ε**. The more people there are, the less noise each has to add for the "
    "sum. A message on its own is then protected less."
)
STATUS_WORDS = {
    "proved": "The noise added gives the stated ε and δ, by the named theorem or accountant.",
    "exploration only": "From a seed, which takes the noise off again; trained for keeping it is "
    "proved.",
    "conditions not met": "A condition of the theorem fails here, so it proves nothing.",
    "claim not supported": "The noise that is added does not prove what the paper claims.",
    "not private": "No noise is added: no promise at all.",
    "described only": "What its authors say of it; nothing of it is checked or run here.",
}
STATUS_COLOURS: dict[str, BadgeColour] = {
    "proved": "green",
    "exploration only": "gray",
    "conditions not met": "orange",
    "claim not supported": "red",
    "not private": "gray",
    "described only": "gray",
}
STATUS_ICONS = {
    "proved": ":material/verified:",
    "exploration only": ":material/science:",
    "conditions not met": ":material/rule:",
    "claim not supported": ":material/error:",
    "not private": ":material/lock_open:",
    "described only": ":material/menu_book:",
}
GUARANTEE = Path(__file__).parents[2] / "docs" / "guarantee.md"


def status(verdict: str, note: str = "", name: str = "", label: str = "") -> None:
    """Show the status as a coloured badge with an icon; its meaning appears on hover.

    `label` replaces its words; `name` says what it is about.
    """
    words = label or STATUS_NAMES.get(verdict, verdict)
    st.badge(
        f"{name}: {words}" if name else words,
        icon=STATUS_ICONS[verdict],
        color=STATUS_COLOURS[verdict],
        help=f"{STATUS_WORDS[verdict]} {note}".strip(),
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
            mark, tail = ":orange[:material/help:]", f" {ASSUMED}"
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
        st.markdown(f"**Whom do I have to trust?** {CENTRAL}", help=TRUST)
        return
    st.markdown("**Whom do I have to trust?**", help=f"{TRUST} {BLURRED}")
    st.markdown(
        "\n".join(
            f"- **{answer.whom}**, {answer.to}: {answer.guarantee.statement}" for answer in answers
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
                st.markdown(calibration.claim.statement)
                explain_same_figure(calibration.claim, calibration.certified)
                claim_text, reason = (
                    method.editions[calibration.edition].claim,
                    calibration.claim.reason,
                )
                if not reason or reason.lower() not in claim_text.lower():
                    st.caption(claim_text)
            with proof:
                st.markdown("**Proof** (what holds for this noise)")
                st.markdown(calibration.proof.statement)
                if calibration.certified != calibration.proof:
                    st.markdown(
                        f"Certified for exactly this noise: {calibration.certified.statement}"
                    )
                st.caption(method.editions[calibration.edition].proof)
            checked(calibration.conditions)
            trust(() if method.trust is None else method.trust(calibration))
            for limit in method.limits:
                st.caption(f"Note: {limit}")


def note_composition() -> None:
    """Draw the note, with its reason one click away."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(COMPOSED, width="content")
        with st.popover("Why?", type="tertiary"):
            st.markdown(WHY_COMPOSED)
