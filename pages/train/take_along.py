"""The training as code, to copy; its weights and settings, to download."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import images
from dpcore.evaluation import jobs
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.export.train import command, snippet
from pages.shared.opacus import show_opacus
from pages.train import release, texts
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

FILES = ("weights.npz", "settings.json", "measures.json")


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Show each to copy or to download."""
    study, training = choice.study, calibrated.training
    release.show(choice, calibrated)
    st.markdown("**Command line**")
    st.code(command(study), language="bash", wrap_lines=True)
    _settings(study.dataset)
    st.markdown("**Python**")
    st.code(snippet(study), language="python", wrap_lines=True)
    if study.config.noise != "isotropic" or training is None:
        st.markdown("**Opacus**")
        st.markdown("Opacus adds the same noise to every weight, so it has no equal of this noise.")
    else:
        show_opacus(training)
        if study.config.sampling == "poisson":
            st.caption(
                "`model` is yours; the network of this page is built by the Python snippet above."
            )
    _files(study)


def _settings(dataset: str) -> None:
    own = images.source(dataset).settings
    if own:
        with st.expander("Settings of this data set alone", icon=":material/tune:"):
            st.caption(texts.OWN_SETTINGS)
            st.markdown("\n".join(f"- `{setting}`: {setting.help}" for setting in own))


def _files(study: TrainingStudy) -> None:
    job = jobs.find(study.key)
    files = {name: job.file(name) for name in FILES} if job is not None else {}
    with st.container(horizontal=True):
        for name, contents in files.items():
            if contents is not None:
                st.download_button(
                    f"Exploration: {name}",
                    contents,
                    file_name=f"exploration-{name}",
                    icon=":material/download:",
                    on_click="ignore",
                    key=f"file {name}",
                )
