"""Explore's answer: the big numbers, the main figure, the detail in tabs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.accounting.risk import odds
from dpcore.datasets import Split, availability, entry
from dpcore.erm.method import Calibration
from dpcore.erm.problem import Problem
from dpcore.evaluation.curves import Baselines
from dpcore.evaluation.study import Study, delta_for, problem_for
from dpcore.figures import chosen, noise, people, tradeoff
from dpcore.figures.curves import Reference, at, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.words import percent, plain, points
from dpcore.guarantee import PrivacyBudget
from dpcore.methods import method_named
from pages.parts import badges, loaders, takeaway, training
from pages.parts import explanations as words
from pages.parts.controls import EPSILONS

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.layouts import GridContainer

DEFAULT_FOCUS = "opera"
TABS = (
    "Objective",
    "Noise σ",
    "Excess risk",
    "Per 1,000",
    "Claim and proof",
    "Take along",
    "About the data",
)


@dataclass(frozen=True)
class View:
    """All that the page shows except ε: computed once a run, most of it from the cache."""

    study: Study
    split: Split
    problem: Problem
    delta: float
    methods: tuple[str, ...]
    table: pd.DataFrame
    compared: Baselines
    calibrations: Mapping[str, Sequence[Calibration]]
    titles: dict[str, str]
    waiting: tuple[str, ...]
    dark: bool

    @property
    def people(self) -> str:
        """What one record is, in the plural."""
        return self.split.entry.records_are

    @property
    def references(self) -> list[Reference]:
        """Lines on the accuracy figure; losses are counted against the first."""
        tuned, same = self.compared.tuned, self.compared.same_lam
        majority = self.compared.majority_accuracy
        return [
            Reference(f"no privacy, λ for accuracy: {percent(tuned.accuracy)}", tuned.accuracy),
            Reference(
                f"no privacy, same λ: {percent(same.accuracy)}", same.accuracy, dash="longdash"
            ),
            Reference(f"majority guess: {percent(majority)}", majority, dash="dot"),
        ]


@dataclass(frozen=True)
class Slots:
    """Places on the page, in reading order, that different parts of the run fill."""

    below: DeltaGenerator
    training: DeltaGenerator
    tabs: Mapping[str, Any]


def gather(study: Study, to_train: Sequence[Study], split: Split, methods: tuple[str, ...]) -> View:
    """Compute or fetch what the page shows."""
    import pandas as pd

    closed = loaders.closed_methods(study)
    parts = [loaders.closed_form(closed.key, closed, split)]
    waiting = []
    for one in to_train:
        if training.finished(one):
            parts.append(training.results(one.key, one, split))
        else:
            waiting.append(one.methods[0])
    table = pd.concat(parts, ignore_index=True)
    rank = {method: place for place, method in enumerate(study.methods)}
    table = table.sort_values(
        "method", key=lambda column: column.map(rank), kind="stable", ignore_index=True
    )
    private = tuple(method for method in methods if method_named(method).closed_form)
    return View(
        study=study,
        split=split,
        problem=problem_for(study, split),
        delta=delta_for(study, split),
        methods=methods,
        table=table,
        compared=loaders.baselines(closed.key, closed, split),
        calibrations=loaders.calibrations(closed.key, private, closed, split),
        titles=loaders.titles(),
        waiting=tuple(waiting),
        dark=st.context.theme.type == "dark",
    )


def plot(drawn: Drawn, key: str) -> None:
    """A figure with its alternative text, and its sentence under it."""
    st.plotly_chart(
        drawn.figure,
        key=key,
        alt=drawn.alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        },
    )
    st.markdown(drawn.sentence)


def heading(view: View, *, published: bool) -> None:
    """What is looked at, in one line; what has to be said about it, under it."""
    found, loss = view.split.entry, words.LOSS_TITLES[view.study.loss]
    total = len(view.split.y_train) + len(view.split.y_test)
    st.title(f"{found.title} · {total:,} {found.records_are} · {loss}", anchor=False)
    rule = " by rule" if view.study.lam is None else ""
    st.caption(
        f"{found.task} Trained on {view.split.records:,} records with {view.split.dimension} "
        f"features, tested on {len(view.split.y_test):,}; λ = {plain(view.problem.lam)}{rule}."
    )
    if not published:
        st.warning(words.UPLOADED, icon=":material/lock_open:")
    for leak in view.split.leaks:
        st.warning(leak, icon=":material/warning:")


def how_to_get(key: str, where: str) -> None:
    """Records that are not here yet: where they come from, and the one thing to do."""
    found = entry(key)
    st.title(found.title, anchor=False)
    st.markdown(found.task)
    st.markdown(found.how_to_get)
    st.caption(f"Source: {found.source} Licence: {found.licence}")
    if where == "download":
        if st.button("Download it now", icon=":material/download:", key="download"):
            loaders.download(key)
    elif availability(key) == "upload":
        st.info(
            "Then hand the file over in the controls on the left. It stays on the machine that "
            "runs this page.",
            icon=":material/upload_file:",
        )


def layout(view: View) -> Slots:
    """Claim the places for everything, top to bottom, and draw the main figure."""
    numbers = st.container()
    main = st.container(border=True)
    train = st.container()
    below = st.container()
    with main:
        st.subheader("Accuracy against ε", anchor=False)
        plot(figure("accuracy", view), "accuracy_figure")
        if view.study.edition == "published":
            st.caption("Open markers: as published. Filled: sound (no published edition exists).")
    opened = st.tabs(TABS, key="view", on_change="rerun", bind="query-params")
    places = dict(zip(TABS, opened, strict=True))
    return Slots(below=below, training=train, tabs={"numbers": numbers, **places})


@st.cache_data(max_entries=200, show_spinner=False)
def _figure(kind: str, key: str, _view: View) -> Drawn:
    """One of the figures that do not depend on ε; the same object's worth for the same key."""
    view = _view
    if kind == "accuracy":
        return tradeoff.accuracy(view.table, view.references, titles=view.titles, dark=view.dark)
    if kind == "objective":
        minimum = Reference(
            f"smallest value: {plain(view.compared.same_lam.objective)}",
            view.compared.same_lam.objective,
        )
        return tradeoff.objective(view.table, [minimum], titles=view.titles, dark=view.dark)
    if kind == "sigma":
        return noise.sigma(view.table, titles=view.titles, dark=view.dark)
    return tradeoff.excess_risk(view.table, titles=view.titles, dark=view.dark)


def figure(kind: str, view: View) -> Drawn:
    """A figure over the whole ε grid; identical while only ε moves, so that zoom is kept."""
    return _figure(kind, f"{view.study.key} {view.waiting} {view.dark}", view)


def rows_at(view: View, epsilon: float) -> pd.DataFrame:
    """The table's row of each method at the ε nearest to the chosen one."""
    import pandas as pd

    return pd.DataFrame([at(rows, epsilon) for _, rows in view.table.groupby("method", sort=False)])


def at_chosen_epsilon(view: View, slots: Slots) -> None:
    """Everything that moves with ε, in one fragment: nothing else runs when ε moves."""

    @st.fragment
    def moving() -> None:
        with slots.tabs["numbers"]:
            epsilon = _slider()
            focus = _focus(view)
            rows = rows_at(view, epsilon)
            _big_numbers(view, rows, epsilon, focus)
        with slots.below:
            _risk_and_methods(view, rows, epsilon)
        if slots.tabs["Per 1,000"].open:
            with slots.tabs["Per 1,000"]:
                _per_thousand(view, rows)
        if slots.tabs["Claim and proof"].open:
            with slots.tabs["Claim and proof"]:
                _claims(view, epsilon)

    moving()


def _slider() -> float:
    with st.container(gap=None):
        epsilon: float = st.select_slider(
            "Privacy loss ε",
            EPSILONS,
            value=1.0,
            format_func=plain,
            key="epsilon",
            help=words.EPSILON,
            bind="query-params",
        )
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.caption("← more private", width="content")
            st.caption("less private →", width="content")
    return epsilon


def _focus(view: View) -> str | None:
    if not view.methods:
        return None
    default = DEFAULT_FOCUS if DEFAULT_FOCUS in view.methods else view.methods[0]
    chosen: str | None = st.segmented_control(
        "Numbers for",
        view.methods,
        format_func=view.titles.__getitem__,
        default=default,
        required=True,
        key="focus",
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen if chosen in view.methods else default


def _number(grid: GridContainer, label: str, value: str, note: str, help_text: str) -> None:
    """One big number with a small line under it; what it means on hover."""
    with grid.cell(), st.container(gap=None):
        st.metric(label, value, help=help_text)
        st.caption(note)


def _big_numbers(view: View, rows: pd.DataFrame, epsilon: float, focus: str | None) -> None:
    told = odds(PrivacyBudget(epsilon, view.delta), view.problem.adjacency)
    grid = st.grid(5, min_column_width=150, gap="medium")
    found = rows[rows["method"] == focus]
    if not found.empty:
        _numbers_of(view, grid, found.iloc[0], epsilon)
    elif focus:
        note = f"{view.titles[focus]} is being trained."
        _number(grid, "Accuracy", "…", note, words.ACCURACY)
    else:
        _number(grid, "Accuracy", "…", "Choose a method.", words.METHODS)
    _number(
        grid,
        f"What ε = {plain(epsilon)} means",
        f"{told.right} of 100",
        f"guess {told.question}, at most; 50 without the release",
        words.ODDS,
    )


def _numbers_of(view: View, grid: GridContainer, row: pd.Series, epsilon: float) -> None:
    tuned, same = view.compared.tuned, view.compared.same_lam
    here = float(row["epsilon"])
    stands = (
        ""
        if here == epsilon
        else f" Trained at ε = {plain(here)}, the nearest to {plain(epsilon)}."
    )
    guarantee = f"ε = {plain(here)}: {guarantee_of(row)}."
    _number(
        grid,
        "Accuracy",
        percent(row["accuracy"]),
        f"9 of 10 runs: {percent(row['accuracy_low'], 0)} to {percent(row['accuracy_high'], 0)}"
        f"{stands}",
        f"{words.ACCURACY} {words.SOURCES[row['source']]} {guarantee}",
    )
    _number(
        grid,
        "Cost of privacy",
        points(row["accuracy"] - tuned.accuracy),
        f"points; {percent(tuned.accuracy)} without privacy, {percent(same.accuracy)} at the same λ",
        f"{words.COST} {guarantee}",
    )
    _number(
        grid,
        "Noise σ",
        plain(row["sigma"]),
        f"sensitivity Δ = {plain(row['sensitivity'])}",
        f"{words.SIGMA} {guarantee}",
    )
    _number(
        grid,
        "Objective",
        plain(row["objective"]),
        f"{plain(same.objective)} without privacy",
        f"{words.OBJECTIVE} {guarantee}",
    )


def _risk_and_methods(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    told = odds(PrivacyBudget(epsilon, view.delta), view.problem.adjacency)
    risk, methods = st.columns([2, 3], border=True)
    with risk:
        st.subheader(
            f"What ε = {plain(epsilon)} means for one person", anchor=False, help=words.ODDS
        )
        plot(people.hundred(told, dark=view.dark), "people_figure")
    with methods:
        st.subheader(f"Every method at ε = {plain(epsilon)}", anchor=False)
        plot(
            chosen.accuracy(rows, view.references, titles=view.titles, dark=view.dark),
            "chosen_figure",
        )


def _per_thousand(view: View, rows: pd.DataFrame) -> None:
    found = view.split.entry
    plot(
        chosen.patients(
            rows,
            titles=view.titles,
            positive=found.positive,
            negative=found.negative,
            records_are=view.people,
            dark=view.dark,
        ),
        "patients_figure",
    )


def _claims(view: View, epsilon: float) -> None:
    place = view.study.epsilons.index(epsilon)
    chosen_now = [group[place] for group in view.calibrations.values()]
    badges.claims_and_proofs(chosen_now)


def tabs(view: View, slots: Slots) -> None:
    """The detail, each tab drawn only while it is open."""
    for kind, name in (("objective", "Objective"), ("sigma", "Noise σ"), ("excess", "Excess risk")):
        if slots.tabs[name].open:
            with slots.tabs[name]:
                plot(figure(kind, view), f"{kind}_figure")
    if slots.tabs["Take along"].open:
        with slots.tabs["Take along"]:
            takeaway.show(view.study, view.table, f"{view.study.dataset}_{view.study.loss}")
    if slots.tabs["About the data"].open:
        with slots.tabs["About the data"]:
            _about(view)


def _about(view: View) -> None:
    found = view.split.entry
    st.markdown(f"**Source:** {found.source}")
    st.markdown(f"**Licence:** {found.licence}")
    st.markdown(f"**Cite:** {found.citation}")
    for note in (*view.split.notes, *found.traps):
        st.markdown(f"- {note}")
