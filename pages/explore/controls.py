"""Draw Explore's sidebar: data, methods and settings, whose values the address holds.

`dpcore` checks every value again when it builds a `Study`: limits in a browser can be bypassed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.common import LOSSES
from dpcore.controls.control import Link
from dpcore.controls.explore import (
    AXIS,
    BEST,
    BEST_METHOD,
    CHOSEN_METHODS,
    CONTROLS,
    DELTA,
    DETAIL,
    FOCUS,
    HELD_OUT,
    LOSS,
    MY_OWN,
    NEAR_ZERO,
    OF_PAPER_000,
    OF_TWO_CLASSES,
    PAPER_LAMBDA,
    PRESETS,
    TABS,
    THRESHOLD,
    VIEW,
    datasets,
    private_methods,
)
from dpcore.controls.network_figures import FIGURES
from dpcore.datasets import OWN, Entry, Preparation, availability, entry
from dpcore.erm.problem import ACCURATE_LAM
from dpcore.evaluation.study import Study
from dpcore.guarantee import default_delta, large_delta
from dpcore.questions import register
from dpcore.words import plain, spaced
from pages.shared import address, own_table, uploads, widgets
from pages.shared.session import (
    control_text,
    control_value,
    on_leaving,
    set_controls,
    share,
    store,
    stored,
)
from pages.shared.widgets import ControlForm, drawn, set_held_preset

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.uploads import File

SQUARED = (
    "Half the squared error, with the outcome scaled by its public bounds. Beyond half its range "
    "it goes on as a straight line, so that no single record can pull without limit."
)
AT_ONCE = "Its curve is computed at once."
IN_BACKGROUND = "Its curve is trained in the background."
START_FROM = (
    "Sets every control for a figure of a paper, on data that are at hand. Its link holds the "
    "settings themselves. Figures of papers 003 and 004 are of networks: they open on Train."
)
EXPERT = "expert"  # the group of controls that is closed at first
IN_SIGHT = ("data", "patients")
CONTROL = {control.key: control for control in (*CONTROLS, *DETAIL)}
OPENED = {control.key for control in DETAIL}
"""What a preset opens: looking elsewhere does not leave it."""
TO_OPEN = "figure to open on Train"
# Moving the slider does not leave the preset.
EPSILON = {"epsilon": 1.0}
# A preset shows what it sets.
OPEN = {"expert": True}


@dataclass(frozen=True)
class Start:
    """Hold the values of the first controls, and places for the others.

    `columns` describes an uploaded table; `share` is the place of n·δ, if δ is in sight.
    """

    dataset: str
    size: int | None
    upload: File | None
    columns: str
    form: ControlForm
    presets: DeltaGenerator
    model: DeltaGenerator
    share: DeltaGenerator | None
    rest: DeltaGenerator
    threshold: float | None  # risk from which on one acts; of two classes alone

    @property
    def entry(self) -> Entry:
        """The data set's entry, known without its records."""
        return _entry_of(self.dataset, self.columns)

    @property
    def missing(self) -> str:
        """What is needed first: "download", "upload", or "" if the records are available."""
        source = _source(self.dataset)
        if source == "upload":
            is_described = self.dataset != OWN or own_table.is_settled(self.columns)
            return "" if is_described and self.upload is not None else source
        return source if source == "download" else ""

    @property
    def records(self) -> int | None:
        """Number of records, if it is known before they are read."""
        if self.missing or self.upload is not None:
            return None
        return self.size or self.entry.records


@dataclass(frozen=True)
class ExploreChoice:
    """Hold the values of all controls, besides ε."""

    study: Study
    upload: File | None
    measure: str  # column of the curves that models are compared by, if the records allow it
    focus: str = BEST  # the method of the first answer, or `BEST` for those of the rule
    threshold: float = 0.5  # risk from which on one acts
    axis: str = "usual"  # which ε curves are computed at
    lists_all: bool = False  # whether the open tab compares all methods


def kind_of(dataset: Entry) -> str:
    """Kind of methods offered: "class", also for several classes, or "number"."""
    return "number" if dataset.predicts == "number" else "class"


def tabs_for(dataset: Entry) -> tuple[str, ...]:
    """The tabs; missed and false cases exist for two classes only."""
    has_two_classes = dataset.predicts == "class"
    return tuple(tab for tab in TABS if has_two_classes or tab not in OF_TWO_CLASSES)


def _entry_of(dataset: str, columns: str) -> Entry:
    return own_table.entry_for(columns) if dataset == OWN else entry(dataset)


def _source(dataset: str) -> str:
    return "upload" if dataset == OWN else availability(dataset)


def _linked_entry(link: Link) -> Entry:
    keys = {title: key for key, title in datasets().items()}
    dataset = keys.get(link.get("data", [""])[-1], CONTROLS["data"].default)
    return _entry_of(dataset, link.get(own_table.COLUMNS, [""])[-1])


def validate_link() -> str:
    """Check the link; returns all its refusals as one message."""
    link = address.read_link()
    if not link:
        return ""
    dataset = _linked_entry(link)
    titles = private_methods(dataset.predicts)
    methods = CHOSEN_METHODS[kind_of(dataset)]
    linked_methods = link.get(methods.key, [titles[key] for key in methods.default])
    among = {
        "view": tabs_for(dataset),
        "focus": [
            str(FOCUS.text(BEST)),
            *(title for title in linked_methods if title in titles.values()),
        ],
    }
    for question in register.by_tab().values():
        among.update(question.among(dataset))
    among[HELD_OUT.key] = [str(HELD_OUT.text(site)) for site in ("", *dataset.sites)]
    among[methods.key] = list(titles.values())
    return address.validate_link(
        (*CONTROLS, *DETAIL, *register.controls()), among, {own_table.COLUMNS: None, EXPERT: None}
    )


def mean_what_is_named() -> None:
    """Choose δ or λ by hand where a link names its value but not that choice."""
    link = address.read_link()
    for value, way in (("delta", "delta_way"), ("lambda_value", "lambda")):
        if value in link and way not in link:
            is_drawn = control_value(way) is not None
            set_controls({way: MY_OWN})
            if not is_drawn:  # one that is drawn writes its part of the address itself
                st.query_params[way] = MY_OWN


def _loss(form: ControlForm, kind: str) -> str:
    if kind == "number":
        st.markdown(f"**Model:** {LOSSES['squared'].lower()}", help=SQUARED)
        return "squared"
    return str(form.draw("loss"))


def _methods(form: ControlForm, dataset: Entry, loss: str) -> list[str]:
    from dpcore.predictors import refusal

    titles = private_methods(dataset.predicts)
    chosen = form.draw(CHOSEN_METHODS[kind_of(dataset)].key, among=titles)
    if form.is_open:
        _explain_methods(titles, loss, dataset.predicts)
    is_own = dataset.key == OWN
    refusals = {
        key: refusal(key, loss, dataset.predicts, is_own=is_own) for key in titles if key in chosen
    }
    for sentence in filter(None, refusals.values()):
        st.caption(f":material/info: {sentence}")
    return [key for key, sentence in refusals.items() if not sentence]


def _explain_methods(titles: dict[str, str], loss: str, predicts: str) -> None:
    from dpcore.predictors import predictor_named, refusal, register

    with st.popover("What the methods do", icon=":material/menu_book:", width="stretch"):
        for key, title in titles.items():
            method = predictor_named(key)
            computation = AT_ONCE if method.closed_form else IN_BACKGROUND
            st.markdown(f"**{title}.** {method.idea} {computation}")
            st.caption(" ".join((*method.limits, f"Source: {method.paper}.")))
            st.page_link(
                "atlas/atlas.py",
                label=f"{title} in the Atlas",
                icon=":material/map:",
                query_params={"search": title},
            )
        for key in register():
            if key not in titles and (refused := refusal(key, loss, predicts)):
                st.caption(f":material/info: {refused}")


def _lambda(form: ControlForm) -> float | None:
    way = form.draw("lambda")
    form.draw("lambda_value", "radius")
    if way == MY_OWN:
        return float(form.values["lambda_value"])
    return {NEAR_ZERO: ACCURATE_LAM, OF_PAPER_000: PAPER_LAMBDA}.get(way)


def _preparation(form: ControlForm, dataset: Entry) -> Preparation:
    if form.is_open:
        st.subheader("Preparation", anchor=False)
        st.caption(
            "How records become numbers. The defaults use public bounds only. Settings that look "
            "at the data leak, and are marked."
        )
    form.draw("missing")
    form.draw("held_out", among=("", *dataset.sites))
    form.draw("scaling", "interval", "norm", "intercept")
    if form.values["scaling"] == "data":
        st.badge("leaks", icon=":material/warning:", color="red")
    form.draw("feature_map", "fourier_features", "bandwidth")
    return Preparation(**CONTROLS.fields(form.values, "preparation"))


def _training(form: ControlForm, first: Start, methods: list[str]) -> None:
    from dpcore.erm.gradient_perturbation import FULL_LENGTH_RECORDS
    from dpcore.predictors import predictor_named

    if form.is_open:
        st.subheader("Training", anchor=False)
    form.draw("steps")
    is_local = any(predictor_named(key).trust for key in methods)
    if form.values["edition"] == "sound" and is_local:
        form.draw("may_miss")
    if 0 < (first.size or first.entry.records) <= FULL_LENGTH_RECORDS:
        form.draw("full_length")


def tell_delta(first: Start, delta: float, records: int) -> str:
    """Show δ and n·δ under the control; returns a warning if δ is too large, else ""."""
    if first.share is not None:
        first.share.caption(
            f"δ = {plain(delta)}; n·δ ≈ {plain(records * delta)} for {spaced(records)} records"
        )
    return large_delta(delta, records)


def start() -> Start:
    """Draw the first controls: data, δ and adjacency. They need no slow library."""
    set_held_preset("explore")
    form = ControlForm(CONTROLS)
    with st.sidebar:
        dataset = form.draw("data")
        size = form.draw("patients")
        upload, columns = None, ""
        if dataset == OWN:
            upload, columns = own_table.controls(asks_whether_public=True)
        elif availability(dataset) == "upload":
            upload_entry = entry(dataset)
            upload = uploads.field(
                f"File of {upload_entry.title}", f"upload_{dataset}", help=upload_entry.how_to_get
            )
            st.caption(own_table.UPLOAD_IS_DROPPED)
        threshold = _threshold(_entry_of(dataset, columns))
        presets_place = st.container()
        expert_keys = [control.key for control in CONTROLS if control.key not in IN_SIGHT]
        with form.group(EXPERT, "Expert", expert_keys, ":material/tune:"):
            model_place = st.container()
            by_rule = form.draw("delta_way") != MY_OWN
            # The number of records in a file is known after reading it.
            record_count = size or max(1, _entry_of(dataset, columns).records)
            delta = default_delta(record_count) if by_rule else form.draw("delta")
            if by_rule:
                share(DELTA, None)
            share_place = st.empty() if form.is_open else None
            form.draw("adjacency")
            rest_place = st.container()
    # n·δ follows when the number of training records is known.
    if share_place is not None:
        share_place.caption(f"δ = {plain(delta)}")
    places = presets_place, model_place, share_place, rest_place
    return Start(dataset, size, upload, columns, form, *places, threshold)


def _threshold(dataset: Entry) -> float | None:
    linked = st.query_params.get("loss", str(LOSS.text("logistic")))
    is_logistic = (control_value("loss") or LOSS.value(linked)) == "logistic"  # alone gives risks
    if dataset.predicts != "class" or not is_logistic:
        return None
    action = dataset.action
    risk = drawn(THRESHOLD, usual=action.risk)
    if risk == action.risk:
        st.caption(action.why)
    return float(risk / 100)


def rest(first: Start) -> ExploreChoice:
    """Draw the other controls and return all values; refuses values that are not allowed."""
    form = first.form
    with first.model:
        kind = kind_of(first.entry)
        loss = _loss(form, kind)
        form.draw("huber_width")
        methods = _methods(form, first.entry, loss)
        form.draw("focus", among=(BEST, *methods))
        form.draw("edition")
        if first.entry.predicts == "class":
            form.draw("compared_by")
    with first.rest:
        lam = _lambda(form)
        form.draw("runs", "seed", "axis")
        preparation = _preparation(form, first.entry)
        _training(form, first, methods)
    with first.presets:
        start_from()
    settings = {"loss": loss, "lam": lam, "preparation": preparation, "columns": first.columns}
    tab = control_text(VIEW.key) or st.query_params.get(VIEW.key, "")
    choice = _choice(form.values, methods, settings, first.upload)
    acts = choice.threshold if first.threshold is None else first.threshold
    return replace(choice, threshold=acts, lists_all=tab == BEST_METHOD)


def first_choice() -> ExploreChoice:
    """Return the choice of a visitor who has moved nothing, without drawing it."""
    values = CONTROLS.first()
    choice = _choice(values, values["methods"], {}, None)
    return replace(choice, threshold=entry(values["data"]).action.risk / 100)


def _choice(
    values: dict[str, Any], methods: Sequence[str], settings: dict[str, Any], upload: File | None
) -> ExploreChoice:
    chosen = {"methods": ("nonprivate", *methods)}
    study = Study(**CONTROLS.fields(values) | settings | chosen)
    measure = values.get("compared_by", "accuracy")
    focus, axis = values.get("focus", BEST), values.get("axis", AXIS.default)
    return ExploreChoice(study, upload, measure, focus, axis=axis)


def every_method(loss: str, dataset: Entry) -> tuple[str, ...]:
    """Keys of all private methods that can learn with this loss what a data set predicts."""
    from dpcore.predictors import refusal, register

    return tuple(
        key
        for key in register()
        if key != "nonprivate"
        and not refusal(key, loss, dataset.predicts, is_own=dataset.key == OWN)
    )


def matching_preset() -> str | None:
    """Title of the preset that the controls match, or None."""
    for title, values in PRESETS.items():
        settings = {key: value for key, value in values.items() if key not in OPENED}
        if all(_is_same(control_value(key), value) for key, value in settings.items()):
            return title
    return None


def _is_same(current: object, expected: object) -> bool:
    """Whether a control has this value; a choice of several has no order."""
    if isinstance(current, list) and isinstance(expected, tuple):
        return sorted(current) == sorted(expected)
    return current == expected


def start_from() -> None:
    """Draw the drop-down; a figure that is drawn on Train opens that page."""
    if title := stored(TO_OPEN):
        _open_on_train(title)
    widgets.choose_preset(
        "start_from",
        {title: title for title in (*PRESETS, *FIGURES)},
        matching_preset(),
        _load,
        placeholder="Choose one",
        help=START_FROM,
    )


def _load(title: str) -> None:
    if title in FIGURES:
        store(TO_OPEN, title)
        # A run that the browser asks for meanwhile may replace the switch: then it switches.
        on_leaving(TO_OPEN, lambda: store(TO_OPEN, None))
        return
    values = PRESETS[title]
    address = {
        key: CONTROL[key].text(value)
        for key, value in values.items()
        if value != CONTROL[key].default
    }
    widgets.hold_preset("explore", {**values, **EPSILON, **OPEN}, address)


def _open_on_train(title: str) -> None:
    from dpcore.controls import train  # slow to load
    from dpcore.controls.control import Page, address
    from dpcore.questions.vary.question import VaryQuestion

    # The link names no default: what an earlier visit has left does not stay.
    set_controls(train.PRESETS[title])
    _, settings = FIGURES[title]
    link = address(Page(*train.CONTROLS, *train.DETAIL, *VaryQuestion.controls()), settings)
    st.switch_page("train/train.py", query_params=link)
