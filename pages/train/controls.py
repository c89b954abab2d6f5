"""Draw Train's sidebar: the controls of one private training, whose values the address holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.accounting.events import OUTPUTS, check_basis
from dpcore.controls.control import Link, OneOf, Refusal, Values
from dpcore.controls.network_figures import FIGURES, Figure
from dpcore.controls.train import CONTROLS, DETAIL, PRESETS, VIEW
from dpcore.datasets import DataUnavailable, images
from dpcore.datasets.images import ExamplesEntry
from dpcore.datasets.images.sets import features_npz
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy, features_for, networks_for
from dpcore.guarantee import Adjacency
from dpcore.questions.vary.question import VaryQuestion
from dpcore.words import spaced
from pages.shared import address, uploads
from pages.shared.page_links import WHERE_HIDDEN
from pages.shared.session import control_text, control_value, set_controls
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm, choose_preset, chosen

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from dpcore.evaluation.uploaded import Brief

EXPERT = "expert"
"""Key of the group of controls that is closed at first."""
UNDER_THE_ANSWER = (*DETAIL, *VaryQuestion.controls())
OPENED = {control.key for control in UNDER_THE_ANSWER}
"""What a preset opens: looking elsewhere does not leave it."""
IN_SIGHT = (*("dataset", "measure", "network", "target_epsilon", "passes", "lot", "clipping"),)
BY_EFFECT: tuple[Figure, ...] = ((3, 2), (4, 5))
"""Figures that are drawn over the values of one setting; others are drawn epoch by epoch."""
OWN_FEATURES = features_npz.ENTRY.key
UploadSettings = tuple[tuple[str, str], ...]
Others = Mapping[str, Callable[[Link], list[Refusal]] | None]
PRESET = (
    "Settings to start from: data, network and how to train. Any control may be changed afterwards."
)
UPLOAD = (
    "A file written by `numpy.savez`. It holds `train_features` and `test_features` (records × "
    "features), `train_labels` and `test_labels`, and `names` if you like. Labels are whole "
    "numbers from 0; several labels a record are 0, 1 and nan. It stays on this machine."
)
DRAWN_ALONE = (
    "Judged by what this page has drawn. `python -m dpcore reproduce` runs all of the figure."
)


def validate_link(others: Others) -> str:
    """Check the link, by `others` what is no control; returns all its refusals as one message."""
    link = address.read_link()
    dataset = _linked(link, "dataset")
    entry = images.entry(dataset)
    network = _linked(link, "network", networks_for(entry))
    among = {
        "network": [str(CONTROLS["network"].text(key)) for key in networks_for(entry)],
        "features": [str(CONTROLS["features"].text(key)) for key in features_for(entry, network)],
    }
    return address.validate_link((*CONTROLS, *UNDER_THE_ANSWER), among, {**others, EXPERT: None})


def _linked(link: Link, key: str, offered: Collection[str] | None = None) -> str:
    kind = CONTROLS[key].kind
    assert isinstance(kind, OneOf)
    keys = {title: choice for choice, title in kind.options().items()}
    choice = keys.get(link.get(key, [""])[-1], "")
    is_offered = choice in keys.values() and (offered is None or choice in offered)
    return choice if is_offered else str(CONTROLS[key].default)


@dataclass(frozen=True)
class TrainChoice:
    """Hold the values of the controls; the σ of the study's configuration is not solved yet."""

    study: TrainingStudy
    entry: ExamplesEntry
    metric: str
    uploaded: Brief | None
    size: int | None  # n, or the public size in its place, where it is known
    risk_place: DeltaGenerator
    made_up: str = ""


def sidebar() -> TrainChoice:
    form = ControlForm(CONTROLS)
    with st.sidebar:
        presets_place = st.container()
        dataset = form.draw("dataset")
        entry, uploaded, made_up = images.entry(dataset), None, ""
        settings: tuple[tuple[str, Any], ...] = ()
        if dataset == OWN_FEATURES:
            uploaded, settings, made_up = ask_for_features()
            entry = entry if uploaded is None else uploaded.entry
        _draw_among(form, "network", networks_for(entry))
        form.draw("target_epsilon")
        risk_place = st.container()
        # Drawn last: the usual batch follows from n, which depends on controls below.
        length_place = st.container(horizontal=True)
        form.draw("clipping")
        expert_keys = [control.key for control in CONTROLS if control.key not in IN_SIGHT]
        with form.group(EXPERT, "Expert", expert_keys, ":material/tune:"):
            metric = _expert(form, entry)
        form.is_open = True
        size = size_of(form.values, uploaded)
        with length_place:
            form.draw("passes")
            form.draw("lot", usual=CONTROLS["lot"].usual(size))
    with presets_place:
        _presets()
    check_basis(form.values.get("train_chosen_of_by") or OUTPUTS)
    fields = CONTROLS.fields(form.values, "config")
    if form.values["network"] == "perceptron":
        fields["widths"] = (form.values["units"],) * form.values["layers"]
    if fields.get("decay") == 1.0:
        del fields["decay_every"]
    study = TrainingStudy(
        config=TrainingConfig(**fields), settings=settings, **CONTROLS.fields(form.values)
    )
    return TrainChoice(study, entry, metric, uploaded, size, risk_place, made_up)


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
    form.draw("train_delta", "train_chosen_of", "train_chosen_of_by", "person", "public_size")
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
    choose_preset(
        "train_preset",
        {name: name for name in PRESETS},
        preset(),
        _load,
        placeholder="Your own settings",
        help=PRESET,
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


def paper_figures(*, by_effect: bool) -> list[Figure]:
    """List the papers' figures whose settings are chosen, drawn by the effect of a setting or not.

    Others are drawn epoch by epoch.
    """
    chosen = [FIGURES[name][0] for name in matching() if name in FIGURES]
    return [figure for figure in chosen if (figure in BY_EFFECT) == by_effect]


@st.cache_data(max_entries=50, show_spinner="Reading the records …")
def records(dataset: str) -> int:
    """Return the number of training records; `DataUnavailable` if it depends on missing data."""
    source, how_to_get = images.availability(dataset), images.entry(dataset).how_to_get
    if source == "upload":
        raise DataUnavailable(f"Choose the file among the controls {WHERE_HIDDEN}. {how_to_get}")
    count = images.records(dataset)
    if count:
        return count
    if source not in ("built in", "local"):
        raise DataUnavailable(how_to_get)
    return images.load(dataset).records


def size_of(values: Values, uploaded: Brief | None) -> int | None:
    """Return n, or the public size in its place; ``None`` where it is not known."""
    if values.get("person") == Adjacency.ADD_REMOVE:
        public: int | None = values.get("public_size")
        return public
    try:
        every = uploaded.records if uploaded else records(values["dataset"])
    except DataUnavailable:
        return None
    return max(1, every - (values.get("set_aside") or 0))


def ask_for_features() -> tuple[Brief | None, UploadSettings, str]:
    """Draw the upload field; returns the records' outline, the settings that name them, a note."""
    file = uploads.field("Your own features (.npz)", "train_upload", type="npz", help=UPLOAD)
    file = file or uploads.handed_over("features")
    if file is None:
        return None, (), ""
    try:
        with st.spinner("Reading the file …", show_time=True):
            name, outline = uploads.features(file)
    except InvalidInput as refusal:
        refuse(refusal)
        return None, (), ""
    note = file.note if isinstance(file, uploads.MadeUpFile) else ""
    return outline, (("file", name),), note
