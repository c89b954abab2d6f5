"""Offer the training as code, to copy."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import images
from dpcore.export.train import command, snippet
from pages.shared.code import show_command, show_opacus, show_python
from pages.train import texts
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    study, training = choice.study, calibrated.training
    show_command(command(study))
    _settings(study.dataset)
    show_python(snippet(study))
    if study.config.noise != "isotropic" or training is None:
        st.markdown("**Opacus**")
        st.markdown("Opacus adds the same noise to every weight, so it has no equal of this noise.")
    else:
        show_opacus(training)
        if study.config.sampling == "poisson":
            st.caption(
                "`model` is yours; the network of this page is built by the Python snippet above."
            )


def _settings(dataset: str) -> None:
    own = images.source(dataset).settings
    if own:
        with st.expander("Settings of this data set alone", icon=":material/tune:"):
            st.caption(texts.OWN_SETTINGS)
            st.markdown("\n".join(f"- `{setting}`: {setting.help}" for setting in own))
