"""The controls beside Train, placed: one private training. Their values live in the address bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.train import CONTROLS
from dpcore.controls.train_presets import PRESETS
from dpcore.datasets import images
from dpcore.datasets.images import ExamplesEntry
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from pages.shared.session import chosen, put
from pages.shared.widgets import Form
from pages.train import texts, upload

if TYPE_CHECKING:
    from dpcore.evaluation.uploaded import Brief


@dataclass(frozen=True)
class TrainChoice:
    """What the controls say.

    Parameters
    ----------
    study : TrainingStudy
        Its configuration's σ is not solved yet.
    entry : ExamplesEntry
        The data.
    metric : str
        What is measured: "accuracy_test" or "auc_test".
    uploaded : Brief or None
        What is told of the records, where they come from a file of the person's own.
    """

    study: TrainingStudy
    entry: ExamplesEntry
    metric: str
    uploaded: Brief | None


def sidebar() -> TrainChoice:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    form = Form(CONTROLS)
    with st.sidebar:
        first = st.container()
        dataset = form.draw("dataset")
        entry, uploaded = images.entry(dataset), None
        settings: tuple[tuple[str, Any], ...] = ()
        if dataset == upload.DATASET:
            uploaded, settings = upload.ask()
            entry = entry if uploaded is None else uploaded.entry
        metric = _metric(form, entry)
        form.draw("features", "network")
        _side_by_side(form, "layers", "units")
        form.draw("target_epsilon", "train_delta")
        _side_by_side(form, "passes", "lot")
        _side_by_side(form, "rate", "clipping")
        if form.draw("shape") != "isotropic":
            with st.expander("More about the noise", icon=":material/tune:"):
                _more_about_the_noise(form)
        form.draw("schedule", "ratio", "when")
        _side_by_side(form, "repeats", "train_seed")
        form.draw("person", "public_size", "optimizer")
        _side_by_side(form, "final_rate", "averaging")
        form.draw("activation", "draws")
    with first:
        _presets()
    fields = CONTROLS.fields(form.values, "config")
    if form.values["network"] == "perceptron":
        fields["widths"] = (form.values["units"],) * form.values["layers"]
    if fields.get("decay") == 1.0:
        del fields["decay_every"]
    study = TrainingStudy(
        config=TrainingConfig(**fields), settings=settings, **CONTROLS.fields(form.values)
    )
    return TrainChoice(study, entry, metric, uploaded)


def _side_by_side(form: Form, *keys: str) -> None:
    if any(CONTROLS[key].shown(form.values) for key in keys):
        with st.container(horizontal=True):
            form.draw(*keys)


def _more_about_the_noise(form: Form) -> None:
    source = form.draw("scaled_by")
    # Without examples nothing is known of the curvature.
    costs = None if source == "public" else ("adaclip", "gradient")
    form.draw("scale_for", among=costs)
    form.draw("paid_share", "scale_each", "reading", "lambda_order", "noise_on", "weighed_by")
    form.draw("afresh", "set_aside")


def _metric(form: Form, entry: ExamplesEntry) -> str:
    """AUC for labels and accuracy for many classes; for two classes there is a choice."""
    if entry.task == "labels":
        return "auc_test"
    return "accuracy_test" if len(entry.names) > 2 else str(form.draw("measure"))


def _presets() -> None:
    """A drop-down that sets all the controls at once, and names the settings they are at."""
    put({"train_preset": next((name for name in PRESETS if _said(name)), None)})
    st.selectbox(
        "Start from",
        list(PRESETS),
        index=None,
        placeholder="Your own settings",
        key="train_preset",
        help=texts.PRESET,
        on_change=_load,
    )


def _said(name: str) -> bool:
    """Whether the controls say exactly this preset, as far as they are drawn."""
    return all(chosen(key) in ("", str(value)) for key, value in PRESETS[name].items())


def _load() -> None:
    found = PRESETS.get(chosen("train_preset"))
    if found is not None:
        put(found)
