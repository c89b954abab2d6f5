"""Draw Train's sidebar: the controls of one private training, whose values the address holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.train import CONTROLS, VIEW
from dpcore.controls.train_presets import OPENED, PRESETS
from dpcore.datasets import images
from dpcore.datasets.images import ExamplesEntry
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy, features_for, networks_for
from dpcore.words import spaced
from pages.shared import presets
from pages.shared.session import control_text, control_value, set_controls
from pages.shared.widgets import ControlForm, chosen
from pages.train import records, texts, upload

if TYPE_CHECKING:
    from dpcore.evaluation.uploaded import Brief


EXPERT = "expert"
"""Key of the group of controls that is closed at first."""
IN_SIGHT = (*("dataset", "measure", "network", "target_epsilon", "passes", "lot", "clipping"),)


@dataclass(frozen=True)
class TrainChoice:
    """Hold the values of the controls; the σ of the study's configuration is not solved yet."""

    study: TrainingStudy
    entry: ExamplesEntry
    metric: str
    uploaded: Brief | None
    size: int | None  # n, or the public size in its place, where it is known
    made_up: str = ""


def sidebar() -> TrainChoice:
    form = ControlForm(CONTROLS)
    with st.sidebar:
        presets_place = st.container()
        dataset = form.draw("dataset")
        entry, uploaded, made_up = images.entry(dataset), None, ""
        settings: tuple[tuple[str, Any], ...] = ()
        if dataset == upload.DATASET:
            uploaded, settings, made_up = upload.ask()
            entry = entry if uploaded is None else uploaded.entry
        _draw_among(form, "network", networks_for(entry))
        form.draw("target_epsilon")
        # Drawn last: the usual batch follows from n, which depends on controls below.
        length_place = st.container(horizontal=True)
        form.draw("clipping")
        expert_keys = [control.key for control in CONTROLS if control.key not in IN_SIGHT]
        with form.group(EXPERT, "Expert", expert_keys, ":material/tune:"):
            metric = _expert(form, entry)
        form.is_open = True
        size = records.size(form.values, uploaded)
        with length_place:
            form.draw("passes")
            form.draw("lot", usual=CONTROLS["lot"].usual(size))
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
    return TrainChoice(study, entry, metric, uploaded, size, made_up)


def way_out(choice: TrainChoice) -> None:
    """Draw a button that sets the largest batch, where a larger one was asked for."""
    config, size = choice.study.config, choice.size
    if size is not None and config.sampling != "none" and config.batch > size:
        st.button(
            f"Use a batch of {spaced(size)}, the largest",
            icon=":material/check:",
            key="largest_batch",
            on_click=set_controls,
            args=({"lot": size},),
        )


def _expert(form: ControlForm, entry: ExamplesEntry) -> str:
    _heading(form, "Data and network")
    _draw_among(form, "features", features_for(entry, form.values["network"]))
    _side_by_side(form, "layers", "units")
    form.draw("activation")
    metric = _metric(form, entry)
    _heading(form, "Privacy")
    form.draw("train_delta", "person", "public_size")
    _heading(form, "Noise")
    if form.draw("shape") != "isotropic":
        _more_about_the_noise(form)
    form.draw("schedule", "ratio", "when")
    _side_by_side(form, "repeats", "train_seed")
    _heading(form, "Training")
    form.draw("optimizer", "rate")
    _side_by_side(form, "final_rate", "averaging")
    form.draw("draws")
    return metric


def _heading(form: ControlForm, title: str) -> None:
    if form.is_open:
        st.subheader(title, anchor=False)


def _draw_among(form: ControlForm, key: str, offered: tuple[str, ...]) -> None:
    """Draw a control with what fits the others; a value that no longer fits is replaced, and told.

    The link's values have been checked before.
    """
    control, current = CONTROLS[key], control_value(key)
    is_replaced = current is not None and current not in offered
    if is_replaced:
        set_controls({key: control.default})
    form.draw(key, among=offered)
    if is_replaced:
        st.caption(
            f":material/info: {control.label}: {control.text(current)} does not fit the other "
            f"settings, so “{control.text(control.default)}” is chosen."
        )


def _side_by_side(form: ControlForm, *keys: str) -> None:
    if not form.is_open:
        form.draw(*keys)
    elif any(CONTROLS[key].shown(form.values) for key in keys):
        with st.container(horizontal=True):
            form.draw(*keys)


def _more_about_the_noise(form: ControlForm) -> None:
    source = form.draw("scaled_by")
    # Without examples nothing is known of the curvature.
    costs = None if source == "public" else ("adaclip", "gradient")
    form.draw("scale_for", among=costs)
    form.draw("paid_share", "scale_each", "reading", "lambda_order", "noise_on", "weighed_by")
    form.draw("afresh", "set_aside")


def _metric(form: ControlForm, entry: ExamplesEntry) -> str:
    """AUC for labels, accuracy for many classes; for two classes the reader chooses."""
    if entry.task == "labels":
        return "auc_test"
    return "accuracy_test" if len(entry.names) > 2 else str(form.draw("measure"))


def _presets() -> None:
    presets.start_from(
        "train_preset",
        {name: name for name in PRESETS},
        preset(),
        _load,
        placeholder="Your own settings",
        help=texts.PRESET,
    )


def preset() -> str | None:
    """The preset that the controls match; of several, the one whose tab is open."""
    tab = control_text(VIEW.key) or st.query_params.get(VIEW.key)
    return max(matching(), key=lambda name: PRESETS[name].get(VIEW.key) == tab, default=None)


def matching() -> list[str]:
    """Every preset whose settings these are, whatever tab is open."""
    return [name for name in PRESETS if _is_set(name)]


def _load(name: str) -> None:
    chosen("lot")
    set_controls(PRESETS[name])


def _is_set(name: str) -> bool:
    settings = {key: value for key, value in PRESETS[name].items() if key not in OPENED}
    return all(control_text(key) in ("", str(value)) for key, value in settings.items())
