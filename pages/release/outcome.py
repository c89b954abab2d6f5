"""What came of an attempt: the claim, its proof, the files, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpcore.figures.words import at_least, at_most, plain
from dpcore.release.price import ACCOUNTANT
from dpcore.release.release import Released
from dpcore.rounding import typed
from pages.release import texts
from pages.release.account import Account
from pages.release.attempt import Attempt
from pages.shared import badges
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
    """What is under way, and what was released, each "" for nothing; Markdown."""
    if attempt.is_under_way:
        return ("training, paid" if attempt.phase == "training" else "getting ready, unpaid"), ""
    if attempt.released is None:
        return "", ""
    return "", f"paid by entry {_entry(attempt.released)} of the ledger, files below"


def paid(released: Released) -> str:
    """What a model cost, in few words, with adjacency, δ and accountant."""
    document = released.certificate.document
    budget, adjacency = document["facts"]["budget"], document["proof"]["adjacency"]
    return (
        f"ε = {plain(budget['epsilon'])} paid by entry {_entry(released)} "
        f"(δ = {typed(budget['delta'])}, {adjacency}, {ACCOUNTANT})"
    )


def _entry(released: Released) -> int:
    """Number of the payment in the ledger."""
    entry: int = released.certificate.document["facts"]["ledger"]["entry"]
    return entry


def draw(attempt: Attempt[Released], account: Account) -> None:
    """Draw it, once it has ended."""
    if attempt.released is not None:
        _released(attempt.released, attempt.files)
        if attempt.refusal:
            refuse(attempt.refusal)
        return
    without(attempt, account)


def without(attempt: Attempt[Any], account: Account) -> None:
    """Draw why an attempt has ended with nothing."""
    if attempt.phase == "cancelled":
        st.info(texts.CANCELLED, icon=":material/undo:")
        return
    said = [attempt.refusal]
    if attempt.phase in ("lost", "doubtful"):
        said = [texts.LOST if attempt.phase == "lost" else texts.DOUBTFUL, *said]
        said.append(account.ledger.left(account.data_set).words())
    refuse(" ".join(filter(None, said)))


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


def _released(released: Released, files: dict[str, bytes]) -> None:
    proof = released.certificate.document["proof"]
    found = released.certificate.document["facts"]["attack"]
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Released")
        st.markdown(
            f"ε ≤ {at_most(proof['epsilon'])} at δ = {plain(proof['delta'])}, "
            f"{proof['adjacency']}, by {proof['accountant']}; an attack shows "
            f"ε ≥ {at_least(found['lower_bound'])}."
        )
    downloads(files, LABELS)
    st.markdown(verbatim(released.receipt.left.words()))
    st.caption(
        f"Paid by entry {_entry(released)} of the ledger. The certificate's hash is an entry of "
        f"its own; with it the chain head is `{released.receipt.chain_head}`: keep it elsewhere, "
        "too."
    )
    st.page_link("predict/predict.py", label=texts.PREDICT, icon=":material/person_search:")
    show_command(texts.CHECK)
