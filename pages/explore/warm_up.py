"""Prepare Explore's first view while the server starts."""

from __future__ import annotations

import logging

import streamlit as st


def first_view() -> None:
    """Load the libraries, and compute and draw what Explore's first visitor waits for."""
    # Streamlit warns of each cache used and each element drawn outside a session.
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    logger.addFilter(_quiet)
    try:
        # The first element of a server looks through all modules loaded until then.
        st.empty()
        from pages.explore import answer, controls, detail, view  # slow to load

        del answer, detail
        view.gather(controls.first_choice())
    finally:
        logger.removeFilter(_quiet)


def _quiet(_: logging.LogRecord) -> bool:
    return False
