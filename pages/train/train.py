"""Show what privacy does to a network while it learns."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import DataUnavailable
from dpcore.errors import InvalidInput
from pages.shared import address, frame, work
from pages.shared.verbatim import refuse
from pages.train import calibration, comparison, controls, live, release, tabs

address.check_once("train", lambda: controls.validate_link(comparison.LINKED))
# What is trained here waits for no curve of the first page; that page goes on with them.
work.only(work.CURVES, ())

frame.title("What does privacy do to a network?")
try:
    choice = controls.sidebar()
except InvalidInput as refusal:
    refuse(refusal)
    st.stop()

live.purpose(choice)
with live.place(choice.study.key) as answer:
    try:
        record_count = (
            choice.uploaded.records if choice.uploaded else controls.records(choice.study.dataset)
        )
        # Under add/remove only the public size is shown, and what follows from it.
        size = choice.study.config.size(choice.study.trained_on(record_count))
        risking = calibration.as_risk(choice, size)
        calibrated, waiting = calibration.calibrate(choice, size)
    except DataUnavailable as unavailable:
        with answer():
            st.info(str(unavailable), icon=":material/download:")
            calibration.fetch(choice.study.dataset)
        st.stop()
    except InvalidInput as refusal:
        with answer():
            refuse(refusal)
            controls.way_out(choice)
        st.stop()

    with answer():
        if calibrated is not None:
            live.show(choice, calibrated)
            release.show(choice, calibrated)
            calibration.proof_and_claim(calibrated)
            waiting += calibration.what_it_means(calibrated)
            waiting += tabs.show(choice, calibrated)
        else:
            st.caption(live.COMPUTING)
        work.watch(work.watched(waiting + risking))
