"""Draw what came of an attempt: the claim, its proof, the files, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpcore.controls.predict import FILE
from dpcore.controls.predict import MODEL as PREDICT_BY
from dpcore.controls.release import (
    AS_TRAINED,
    CORRECTED,
    FEATURES,
    MODEL,
    NETWORK,
    RISKS,
)
from dpcore.release.payment import ACCOUNTANT
from dpcore.release.release import Released
from dpcore.words import as_set, at_least, at_most, plain
from pages.release import texts
from pages.release.account import Attempt, PayingAccount
from pages.shared import badges, last_release
from pages.shared.code import show_command
from pages.shared.verbatim import refuse, verbatim

LABELS = {
    "model.json": "Model (JSON)",
    "model.onnx": "Model (ONNX)",
    "card.md": "Model card",
    "certificate.yaml": "Certificate (YAML)",
    "certificate.html": "Certificate (HTML)",
}


def brief(attempt: Attempt[Released]) -> tuple[str, str]:
    """Return what is under way, and what was released, each "" for nothing; Markdown."""
    if attempt.is_under_way:
        return ("training, paid" if attempt.phase == "training" else "getting ready, unpaid"), ""
    if attempt.released is None:
        return "", ""
    return "", f"paid by entry {_entry(attempt.released)} of the ledger, files below"


def paid(released: Released) -> str:
    """Say what a model cost, in few words, with adjacency, δ and accountant."""
    document = released.certificate.document
    budget, adjacency = document["facts"]["budget"], document["proof"]["adjacency"]
    return (
        f"ε = {plain(budget['epsilon'])} paid by entry {_entry(released)} "
        f"(δ = {as_set(budget['delta'])}, {adjacency}, {ACCOUNTANT})"
    )


def _entry(released: Released) -> int:
    entry: int = released.certificate.document["facts"]["ledger"]["entry"]
    return entry


def draw(attempt: Attempt[Released], account: PayingAccount) -> None:
    """Draw what came of an attempt that has ended."""
    if attempt.released is not None:
        _released(attempt.released, attempt)
        if attempt.refusal:
            refuse(attempt.refusal)
        return
    without(attempt, account)


def without(attempt: Attempt[Any], account: PayingAccount) -> None:
    """Draw why an attempt has ended with nothing."""
    if attempt.phase == "cancelled":
        st.info(texts.CANCELLED, icon=":material/undo:")
        return
    sentences = [attempt.refusal]
    if attempt.phase in ("lost", "doubtful"):
        sentences = [texts.LOST if attempt.phase == "lost" else texts.DOUBTFUL, *sentences]
        sentences.append(account.ledger.left(account.data_set).words())
    refuse(" ".join(filter(None, sentences)))


def downloads(files: dict[str, bytes], labels: Mapping[str, str]) -> None:
    """Draw a button for each file."""
    with st.container(horizontal=True):
        for name, content in files.items():
            st.download_button(
                labels[name],
                content,
                file_name=name,
                icon=":material/download:",
                on_click="ignore",
                key=f"release {name}",
            )


def _released(released: Released, attempt: Attempt[Released]) -> None:
    st.markdown(f"**{verbatim(_about(released))}**: {_model(released)}.")
    st.markdown(f"{_cost(released, attempt)} {verbatim(released.receipt.left.words())}")
    downloads(attempt.files, LABELS)
    last_release.store_files(attempt.files)
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Released")
        with st.popover(texts.MORE, type="tertiary", icon=":material/verified_user:"):
            _proof(released)
        st.page_link(
            "predict/predict.py",
            label=texts.PREDICT_BY_IT,
            icon=":material/person_search:",
            query_params={PREDICT_BY.key: str(PREDICT_BY.text(FILE))},
        )


def _about(released: Released) -> str:
    name: str = released.certificate.document["facts"]["about"]["name"]
    return name


def _model(released: Released) -> str:
    model = released.model
    chosen = NETWORK if model.hidden else model.loss
    parts = [f"{MODEL.text(chosen)}, numbers as {str(FEATURES.text(model.features)).lower()}"]
    if model.loss == "logistic":
        risks_choice = CORRECTED if model.risks is not None else AS_TRAINED
        parts.append(f"risks {str(RISKS.text(risks_choice)).lower()}")
    return ", ".join(parts)


def _cost(released: Released, attempt: Attempt[Released]) -> str:
    at = attempt.paid_at
    moment = "" if at is None else f" on {at:%Y-%m-%d} at {at:%H:%M} UTC"
    return f"{verbatim(paid(released))}{moment}."


def _proof(released: Released) -> None:
    proof = released.certificate.document["proof"]
    attack = released.certificate.document["facts"]["attack"]
    st.markdown(
        f"ε ≤ {at_most(proof['epsilon'])} at δ = {plain(proof['delta'])}, "
        f"{proof['adjacency']}, by {proof['accountant']}; an attack shows "
        f"ε ≥ {at_least(attack['lower_bound'])}."
    )
    st.caption(
        "The certificate's hash is an entry of its own in the ledger. Keep the hash of the last "
        "entry elsewhere, too, to notice if the ledger is changed: "
        f"`{released.receipt.chain_head}`."
    )
    show_command(texts.CHECK)
