"""Draw lesson 5's columns: the claim, what is proved for the noise, and what an attack found."""

from __future__ import annotations

import streamlit as st

from dpcore.lessons.claim_and_attack import ATTACKED_RECORDS, Attacked, attacked
from dpcore.words import at_least, plain, spaced
from pages.shared import badges
from pages.shared.verbatim import verbatim


@st.cache_data(max_entries=50, show_spinner="Training 4 000 models to attack …")
def _attacked(claimed: float, seed: int) -> Attacked:
    return attacked(claimed, seed)


def draw(claimed: float, seed: int) -> None:
    """Draw claim, proof and attack in three columns, never mixed."""
    outcome = _attacked(claimed, seed)
    st.subheader("Is the claim true?", anchor=False)
    claim, proof, measured = st.columns(3)
    with claim:
        st.markdown("**Claim** (what the paper says)")
        st.markdown(verbatim(badges.statement(outcome.claim)))
    with proof:
        st.markdown("**Proof** (what holds for this noise)")
        st.markdown(verbatim(badges.statement(outcome.proof)))
        st.markdown(f"Certified for it: {verbatim(badges.statement(outcome.certified))}")
    with measured:
        st.markdown("**Attack** (what was measured)")
        st.markdown(_attack_sentence(outcome))
    st.caption(
        "All three are for the noise as in the paper, whatever edition the picture shows. They are "
        f"for {ATTACKED_RECORDS} records: one person's record among blank ones, or blank too. "
        f"{spaced(outcome.runs)} models are trained on each of the two data sets."
    )


def _attack_sentence(outcome: Attacked) -> str:
    assert outcome.claim.delta is not None
    bound = (
        f"ε is at least {at_least(outcome.lower_bound)} at δ = {plain(outcome.claim.delta)}, "
        f"{outcome.claim.adjacency}, with {plain(100 * outcome.confidence)} % confidence "
        "(Clopper–Pearson)."
    )
    if outcome.refuted:
        return f":red[:material/report:] The claim is refuted: {bound}"
    return f"{bound} This attack refutes nothing here, which proves nothing."
