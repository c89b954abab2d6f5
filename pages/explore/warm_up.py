"""Prepare Explore's first view while the server starts."""

from __future__ import annotations

import logging

import streamlit as st


def first_view() -> None:
    """Load the libraries, and begin to compute what Explore's first visitor waits for."""
    # Streamlit warns of each cache used and each element drawn outside a session.
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    logger.addFilter(_quiet)
    try:
        # The first element of a server looks through all modules loaded until then.
        st.empty()
        from dpcore.work import jobs
        from pages.explore import answer, controls, curve_jobs, detail, view  # slow to load

        del answer, detail
        contents = view.gather(controls.first_choice())
        if isinstance(contents, view.Pending):
            for study in contents.first.studies.values():
                jobs.submit(curve_jobs.task(study))
    finally:
        logger.removeFilter(_quiet)


def _quiet(_: logging.LogRecord) -> bool:
    return False
