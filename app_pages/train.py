"""Train: what privacy does to a network while it learns."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import (
    background,
    links,
    train_controls,
    train_link,
    train_live,
    train_plan,
    train_proof,
    train_tabs,
    train_words,
)
from app_pages.parts.verbatim import refuse
from dpcore.datasets import DataUnavailable
from dpcore.errors import InvalidInput

message = train_link.heed()
if message:
    st.warning(message, icon=":material/link_off:")
links.tell_restated("train")

train_live.title()
try:
    asked = train_controls.sidebar()
except InvalidInput as refusal:
    refuse(refusal)
    st.stop()

train_live.purpose(asked)
with train_live.place(asked.study.key) as answer:
    try:
        there = (
            asked.uploaded.records if asked.uploaded else train_plan.records(asked.study.dataset)
        )
        # Under add/remove only the public size is told, and what comes from it.
        records = asked.study.recipe.size(asked.study.trained_on(there))
        settled, task = train_plan.settle(asked, records)
    except DataUnavailable as missing:
        with answer():
            st.info(str(missing), icon=":material/download:")
            train_plan.fetch(asked.study.dataset)
        st.stop()
    except InvalidInput as refusal:
        with answer():
            refuse(refusal)
        st.stop()

    with answer():
        if settled is not None:
            train_live.show(asked, settled)
            train_proof.proof_and_claim(settled)
            train_proof.what_it_means(settled)
            background.watch(train_tabs.show(asked, settled))
        else:
            st.caption(train_words.COMPUTING)
            background.watch(background.missing("settle", "Solving for the noise", task, settled))
