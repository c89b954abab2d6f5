"""Train: what privacy does to a network while it learns."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import DataUnavailable
from dpcore.errors import InvalidInput
from pages.shared import background, job_panel, query
from pages.shared.verbatim import refuse
from pages.train import calibration, controls, links, live, proof_card, tabs, texts

message = links.validate_link()
if message:
    st.warning(message, icon=":material/link_off:")
query.tell_restated("train")

live.title()
try:
    asked = controls.sidebar()
except InvalidInput as refusal:
    refuse(refusal)
    st.stop()

live.purpose(asked)
with live.place(asked.study.key) as answer:
    try:
        there = (
            asked.uploaded.records if asked.uploaded else calibration.records(asked.study.dataset)
        )
        # Under add/remove only the public size is told, and what comes from it.
        records = asked.study.config.size(asked.study.trained_on(there))
        calibrated, task = calibration.settle(asked, records)
    except DataUnavailable as missing:
        with answer():
            st.info(str(missing), icon=":material/download:")
            calibration.fetch(asked.study.dataset)
        st.stop()
    except InvalidInput as refusal:
        with answer():
            refuse(refusal)
        st.stop()

    with answer():
        if calibrated is not None:
            live.show(asked, calibrated)
            proof_card.proof_and_claim(calibrated)
            proof_card.what_it_means(calibrated)
            waiting = tabs.show(asked, calibrated)
        else:
            st.caption(texts.COMPUTING)
            waiting = background.missing("settle", "Solving for the noise", task, calibrated)
        job_panel.watch(background.watched(waiting))
