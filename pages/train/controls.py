"""Train's sidebar: the controls of one private training. The address bar holds their values."""

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
from pages.shared import presets
from pages.shared.session import control_text, set_controls
from pages.shared.widgets import Form
from pages.train import texts, upload

if TYPE_CHECKING:
    from dpcore.evaluation.uploaded import Brief


@dataclass(frozen=True)
class TrainChoice:
    """Values of the controls.

    Parameters
    ----------
    study : TrainingStudy
        The σ of its configuration is not solved yet.
    entry : ExamplesEntry
        The data.
    metric : str
        The measure: "accuracy_test" or "auc_test".
    uploaded : Brief or None
        Outline of the records, if they come from an uploaded file.
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
        presets_place = st.container()
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
    with presets_place:
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
    """AUC for labels, accuracy for many classes; for two classes the reader chooses."""
    if entry.task == "labels":
        return "auc_test"
    return "accuracy_test" if len(entry.names) > 2 else str(form.draw("measure"))


def _presets() -> None:
    presets.start_from(
        "train_preset",
        {name: name for name in PRESETS},
        next((name for name in PRESETS if _is_set(name)), None),
        lambda name: set_controls(PRESETS[name]),
        placeholder="Your own settings",
        help=texts.PRESET,
    )


def _is_set(name: str) -> bool:
    """Whether the drawn controls match this preset."""
    return all(control_text(key) in ("", str(value)) for key, value in PRESETS[name].items())
