"""The controls beside Explore, placed: what to look at. The address bar holds their values.

Every value is checked again by `dpcore` when a `Study` is made of it: limits in a browser can be
bypassed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.common import LOSSES
from dpcore.controls.explore import (
    ADJACENCIES,
    CHOSEN_METHODS,
    CONTROLS,
    DETAIL,
    EPSILONS,
    METHODS_KEY,
    MISSING,
    MY_OWN,
    NEAR_ZERO,
    OF_PAPER_000,
    PAPER_LAMBDA,
    PER_1000,
    TABS,
    datasets,
    private_methods,
)
from dpcore.controls.link import Link
from dpcore.datasets import OWN, Entry, Preparation, availability, entry
from dpcore.erm import accurate
from dpcore.evaluation.study import Study, default_delta
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency
from pages.explore import own_table, presets, texts
from pages.shared import query, uploads
from pages.shared.session import once, preset
from pages.shared.widgets import Form

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.uploads import File


@dataclass(frozen=True)
class Start:
    """What the first controls say: all that the risk to one person needs, besides ε.

    Parameters
    ----------
    dataset : str
        Key of the data set.
    size : int or None
        Size of the synthetic cohort.
    upload : object or None
        The uploaded file, where the data set needs one.
    columns : str
        What the columns of a table of one's own may hold; "" for other data sets.
    delta : float
        δ; by rule, that of all the records there are, until those to learn from are counted.
    delta_by_rule : bool
        Whether δ follows the rule.
    adjacency : str
        Which neighbours are compared.
    form : Form
        What the first controls say.
    presets, model, share, rest : containers
        Places in the sidebar that are still to be filled; `share` is that of n·δ.
    """

    dataset: str
    size: int | None
    upload: File | None
    columns: str
    delta: float
    delta_by_rule: bool
    adjacency: str
    form: Form
    presets: DeltaGenerator
    model: DeltaGenerator
    share: DeltaGenerator
    rest: DeltaGenerator

    @property
    def found(self) -> Entry:
        """What is known of the data set without its records."""
        return _found(self.dataset, self.columns)

    @property
    def missing(self) -> str:
        """What has to be done first: "download", "upload", or "" where the records are here."""
        where = _where(self.dataset)
        if where == "upload":
            described = self.dataset != OWN or not own_table.complaint(self.columns)
            return "" if described and self.upload is not None else where
        return where if where == "download" else ""

    @property
    def records(self) -> int | None:
        """How many records there are, as far as it is known before they are read."""
        if self.missing or self.upload is not None:
            return None
        return self.size or self.found.records


@dataclass(frozen=True)
class ExploreChoice:
    """What all controls say, besides ε.

    Parameters
    ----------
    study : Study
        Everything but the upload; its ε are the whole grid.
    closed, trained : tuple of str
        The private methods chosen: those whose curves need no training, and those that do.
    upload : object or None
        The uploaded file, where the data set needs one.
    measure : str
        What models are compared by, if the records allow it: a column of the curves.
    """

    study: Study
    closed: tuple[str, ...]
    trained: tuple[str, ...]
    upload: File | None
    measure: str


def kind_of(found: Entry) -> str:
    """Whose models and methods are offered: "class", also for several of them, or "number"."""
    return "number" if found.predicts == "number" else "class"


def tabs_for(found: Entry) -> tuple[str, ...]:
    """The tabs of the detail; missed and false cases there are only where two classes are told."""
    classes = found.predicts == "class"
    return tuple(tab for tab in TABS if classes or tab != PER_1000)


def _found(dataset: str, columns: str) -> Entry:
    return own_table.found(columns) if dataset == OWN else entry(dataset)


def _where(dataset: str) -> str:
    return "upload" if dataset == OWN else availability(dataset)


def link_complaint() -> str:
    """What the link asked for in vain: found once a session, and shown until it ends."""
    query.upgrade_link(
        "explore",
        "adjacency",
        ADJACENCIES,
        lambda _: Adjacency.REPLACE_ONE,
        _meant_before,
    )
    return once("link_complaint", _follow)


def _meant_before(link: Link) -> dict[str, tuple[str, str]]:
    """Records with gaps were left out unless a link said otherwise."""
    gaps = any(column.missing_mark for column in _asked_for(link).used)
    left_out = {"missing": ("drop", str(MISSING.text("drop")))}
    return left_out if gaps and "missing" not in link else {}


def _asked_for(link: Link) -> Entry:
    """What is known of the data set that a link names, or of the first one."""
    keys = {title: key for key, title in datasets().items()}
    dataset = keys.get(link.get("data", [""])[-1], CONTROLS["data"].default)
    return _found(dataset, link.get(own_table.COLUMNS, [""])[-1])


def _follow() -> str:
    """Take out of the address what cannot be followed; one message about it."""
    link = query.read_link()
    if not link:
        return ""
    found = _asked_for(link)
    kind = kind_of(found)
    titles = private_methods(kind)
    methods = CHOSEN_METHODS[kind]
    wanted = link.get(methods.key, [titles[key] for key in methods.default])
    among = {
        "view": tabs_for(found),
        "focus": [title for title in wanted if title in titles.values()],
    }
    said = query.validate_link((*CONTROLS, *DETAIL), among, {own_table.COLUMNS: None})
    # A link that names a δ or a λ means it, also one from before there was a choice.
    left = query.read_link()
    for value, way in (("delta", "delta_way"), ("lambda_value", "lambda")):
        if value in left and way not in left:
            preset(way, MY_OWN)
            st.query_params[way] = MY_OWN
    return said


def _loss(form: Form, kind: str) -> str:
    """The loss; no choice where a number is predicted."""
    if kind == "number":
        st.markdown(f"**Model:** {LOSSES['squared'].lower()}", help=texts.SQUARED)
        return "squared"
    return str(form.draw("loss"))


def _methods(form: Form, kind: str, loss: str) -> list[str]:
    """Keys of the methods chosen, in display order; those that can't learn this are named."""
    from dpcore.methods import method_named

    titles = private_methods(kind)
    chosen = form.draw(METHODS_KEY[kind])
    _explained(titles, loss)
    refused = {key: method_named(key).refusal(loss) for key in titles if key in chosen}
    for sentence in filter(None, refused.values()):
        st.caption(f":material/info: {sentence}")
    return [key for key, sentence in refused.items() if not sentence]


def _explained(titles: dict[str, str], loss: str) -> None:
    """What each method does, where it falls short and comes from; and why others are not here."""
    from dpcore.methods import method_named, register

    with st.popover("What the methods do", icon=":material/menu_book:", width="stretch"):
        for key, title in titles.items():
            method = method_named(key)
            how = texts.AT_ONCE if method.closed_form else texts.IN_BACKGROUND
            st.markdown(f"**{title}.** {method.idea} {how}")
            st.caption(" ".join((*method.limits, f"Source: {method.paper}.")))
            st.page_link(
                "atlas/atlas.py",
                label=f"{title} in the Atlas",
                icon=":material/map:",
                query_params={"search": title, query.VERSION: query.THIS},
            )
        for key, method in register().items():
            if key not in titles and method.refusal(loss):
                st.caption(f":material/info: {method.refusal(loss)}")


def _lambda(form: Form) -> float | None:
    """λ, or ``None`` for the rule."""
    way = form.draw("lambda")
    form.draw("lambda_value", "radius")
    if way == MY_OWN:
        return float(form.values["lambda_value"])
    return {NEAR_ZERO: accurate.LAM, OF_PAPER_000: PAPER_LAMBDA}.get(way)


def _preparation(form: Form) -> Preparation:
    with st.expander("Preparation", icon=":material/tune:"):
        st.caption(texts.PREPARATION)
        form.draw("missing", "scaling", "interval", "norm", "intercept")
        if form.values["scaling"] == "data":
            st.badge("leaks", icon=":material/warning:", color="red")
        form.draw("feature_map", "fourier_features", "bandwidth")
    return Preparation(**CONTROLS.fields(form.values, "preparation"))


def _training(form: Form, first: Start, methods: list[str]) -> None:
    from dpcore.erm.gradient_perturbation import FULL_LENGTH_RECORDS
    from dpcore.methods import method_named

    with st.expander("Training", icon=":material/model_training:"):
        form.draw("steps")
        blurs = any(method_named(key).trust for key in methods)
        if form.values["edition"] == "sound" and blurs:
            form.draw("may_miss")
        if 0 < (first.size or first.found.records) <= FULL_LENGTH_RECORDS:
            form.draw("full_length")


def tell_delta(first: Start, delta: float, records: int) -> str:
    """Write δ and n·δ under its control; the warning for the page where δ is too large, or ""."""
    warning = ""
    if records * delta >= 1.0:
        warning = (
            f"δ = {plain(delta)} is at least 1/n: a method may publish one of the {records:,} "
            "records at random and still keep this promise. Choose a smaller δ."
        )
    first.share.caption(
        f"δ = {plain(delta)}; n·δ ≈ {plain(records * delta)} for {records:,} records"
    )
    return warning


def start() -> Start:
    """Draw the first controls: data, δ and adjacency. They need no library that is slow to load."""
    presets.pending()
    form = Form(CONTROLS)
    with st.sidebar:
        above = st.container()
        data = form.draw("data")
        size = form.draw("patients")
        upload, columns = None, ""
        if data == OWN:
            upload, columns = own_table.controls()
        elif availability(data) == "upload":
            found = entry(data)
            upload = uploads.field(
                f"File of {found.title}", f"upload_{data}", help=found.how_to_get
            )
            st.caption(texts.UPLOAD_IS_DROPPED)
        model = st.container()
        by_rule = form.draw("delta_way") != MY_OWN
        # How many records a file has is known when it is read.
        total = size or max(1, _found(data, columns).records)
        delta = default_delta(total) if by_rule else form.draw("delta")
        share = st.empty()
        adjacency = form.draw("adjacency")
        rest = st.container()
    # n·δ comes when it is known how many records are left to train on.
    share.caption(f"δ = {plain(delta)}")
    return Start(
        data, size, upload, columns, delta, by_rule, adjacency, form, above, model, share, rest
    )


def rest(first: Start) -> ExploreChoice:
    """Draw the other controls and answer with what they all say.

    Raises
    ------
    InvalidInput
        If a value that reached the server is not allowed.
    """
    from dpcore.methods import method_named

    form = first.form
    with first.model:
        kind = kind_of(first.found)
        loss = _loss(form, kind)
        form.draw("huber_width")
        methods = _methods(form, kind, loss)
        form.draw("edition")
        if first.found.predicts == "class":
            form.draw("compared_by")
    with first.rest:
        lam = _lambda(form)
        form.draw("runs")
        preparation = _preparation(form)
        _training(form, first, methods)
    with first.presets:
        presets.start_from()
    asked: dict[str, Any] = {
        "loss": loss,
        "lam": lam,
        "methods": ("nonprivate", *methods),
        "epsilons": EPSILONS,
        "preparation": preparation,
        "columns": first.columns,
    }
    study = Study(**CONTROLS.fields(form.values) | asked)
    closed = tuple(key for key in methods if method_named(key).closed_form)
    trained = tuple(key for key in methods if key not in closed)
    return ExploreChoice(
        study, closed, trained, first.upload, form.values.get("compared_by", "accuracy")
    )
