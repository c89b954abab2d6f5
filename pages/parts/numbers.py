"""The line of big numbers for one method, and every method beside it at the same ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk import odds
from dpcore.figures import chosen
from dpcore.figures.curves import guarantee_of
from dpcore.figures.words import percent, plain, points
from dpcore.guarantee import PrivacyBudget
from pages.parts import badges, takeaway
from pages.parts import explanations as words
from pages.parts.answer import plot

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.elements.layouts import GridContainer

    from pages.parts.view import View

DEFAULT_FOCUS = "opera"


def guarantee_at(row: pd.Series) -> str:
    """ε with its verdict, δ, adjacency and accountant."""
    return f"ε = {plain(row['epsilon'])}, {guarantee_of(row)}."


def _focus(view: View) -> str | None:
    if not view.methods:
        return None
    default = DEFAULT_FOCUS if DEFAULT_FOCUS in view.methods else view.methods[0]
    chosen_method: str | None = st.segmented_control(
        "Numbers for",
        view.methods,
        format_func=view.titles.__getitem__,
        default=default,
        required=True,
        key="focus",
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen_method if chosen_method in view.methods else default


def _number(grid: GridContainer, label: str, value: str, note: str, help_text: str) -> None:
    """One big number with a small line under it; what it means on hover."""
    with grid.cell(), st.container(gap=None):
        st.metric(label, value, help=help_text)
        st.caption(note)


def show(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Accuracy, cost, noise and objective of the method in focus, and what ε means."""
    told = odds(PrivacyBudget(epsilon, view.delta), view.problem.adjacency)
    with st.container(horizontal=True, vertical_alignment="center"):
        focus = _focus(view)
        found = rows[rows["method"] == focus]
        if not found.empty:
            row = found.iloc[0]
            badges.status(row["status"], guarantee_at(row))
        st.space("stretch")
        takeaway.link()
    grid = st.grid(5, min_column_width=128, gap="small")
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
        "guess right, at most; 50 by chance",
        f"{told.sentence} {words.ODDS}",
    )


def _numbers_of(view: View, grid: GridContainer, row: pd.Series, epsilon: float) -> None:
    tuned, same = view.compared.tuned, view.compared.same_lam
    here = float(row["epsilon"])
    stands = (
        ""
        if here == epsilon
        else f" Trained at ε = {plain(here)}, the nearest to {plain(epsilon)}."
    )
    guarantee = guarantee_at(row)
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
        f"points; {percent(tuned.accuracy)} without privacy ({percent(same.accuracy)} at this λ)",
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


def every_method(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Accuracy of every chosen method at this ε, against the models without privacy."""
    st.subheader(f"Every method at ε = {plain(epsilon)}", anchor=False)
    plot(
        chosen.accuracy(rows, view.references, titles=view.titles, dark=view.dark),
        "chosen_figure",
    )
    private = rows[rows["method"].isin(view.methods)]
    with st.container(horizontal=True, gap="xsmall"):
        for _, row in private.iterrows():
            badges.status(row["status"], guarantee_at(row), name=view.titles[row["method"]])
