"""Prepares Explore's first view while the server starts."""

from __future__ import annotations

import logging

from dpcore.controls.explore import CONTROLS, EPSILONS
from dpcore.evaluation.study import Study


def first_view() -> None:
    """Load the libraries and compute the curves of Explore's first view, into the caches."""
    from dpcore.methods import method_named
    from pages.explore import detail, loaders, numbers, view  # slow to load

    del detail, numbers, view
    # Streamlit warns of each cache used outside a session.
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    logger.addFilter(_quiet)
    try:
        values = CONTROLS.first()
        chosen = tuple(key for key in values["methods"] if method_named(key).closed_form)
        settings = {"methods": ("nonprivate", *chosen), "epsilons": EPSILONS, "runs": Study.runs}
        study = Study(**CONTROLS.fields(values) | settings)
        split = loaders.prepared(study)
        loaders.closed_form(study, split)
        loaders.baselines(study, split)
    finally:
        logger.removeFilter(_quiet)


def _quiet(_: logging.LogRecord) -> bool:
    return False
