"""The line of big numbers for one method, and every method beside it at the same ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.accounting.risk import odds
from dpcore.controls.explore import FOCUS, METHODS
from dpcore.figures import chosen
from dpcore.figures.curves import guarantee_of
from dpcore.figures.verdict import rough_count, verdict
from dpcore.figures.words import at_most, percent, percents, plain
from dpcore.guarantee import PrivacyBudget
from pages.explore import texts
from pages.explore.controls import kind_of
from pages.shared import badges, view_link
from pages.shared.charts import plot
from pages.shared.texts import ODDS
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    from streamlit.elements.layouts import GridContainer

    from pages.explore.view import View

IN_A_ROW = 5
"""So many methods fit beside the badge and the link."""
DEFAULT_FOCUS = {"class": "opera", "number": "objpert"}
"""What is looked at first, where it is among the methods chosen."""


def guarantee_at(row: pd.Series) -> str:
    """ε with its verdict, δ, adjacency and accountant."""
    return f"ε = {plain(row['epsilon'])}, {guarantee_of(row)}."


def _focus(view: View) -> str | None:
    if not view.methods:
        return None
    usual = DEFAULT_FOCUS[kind_of(view.split.entry)]
    default = usual if usual in view.methods else view.methods[0]
    chosen_method: str | None = st.segmented_control(
        FOCUS.label,
        view.methods,
        format_func=view.titles.__getitem__,
        default=default,
        required=True,
        key=FOCUS.key,
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen_method if chosen_method in view.methods else default


def _number(grid: GridContainer, label: str, value: str, note: str, help_text: str) -> None:
    """One big number with a small line under it; what it means on hover."""
    with grid.cell(), st.container(gap=None):
        st.metric(label, value, help=help_text)
        st.caption(note)


MEANINGS = {
    "accuracy": (texts.ACCURACY, texts.COST),
    "auc": (texts.AREA, texts.COST_IN_AREA),
    "rmse": (texts.RMSE, texts.COST_IN_RMSE),
}
"""Of a measure, and of what privacy takes from it."""


def show(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Accuracy or error, cost, noise and objective of the method in focus, and what it promises."""
    many = len(view.methods) > IN_A_ROW
    if many:  # on a line of its own the control breaks into several
        focus = _focus(view)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not many:
            focus = _focus(view)
        found = rows[rows["method"] == focus]
        if not found.empty:
            row = found.iloc[0]
            badges.status(row["status"], guarantee_at(row))
        st.space("stretch")
        view_link.link()
    if not found.empty:
        st.markdown(_verdict(view, found.iloc[0]))
    elif focus:
        state = "was stopped" if focus in view.stopped else "is being trained"
        st.markdown(f"**{view.titles[focus]}** {state}.")
    else:
        st.markdown("Choose a method.")
    grid = st.grid(6, min_column_width=112, gap="small")
    if not found.empty:
        _numbers_of(view, grid, found.iloc[0], epsilon)
        _promise(view, grid, found.iloc[0])
        return
    # As many places as with numbers: the browser would keep old ones otherwise.
    third = "Missed of 1,000" if view.problem.classes == 2 else "Class average"
    if not view.quality.share:
        third = "R²"
    for label in (view.quality.title, "Cost of privacy", third, "Noise σ", "Objective"):
        _number(grid, label, "…", "–", METHODS)
    _number(grid, "Right guesses", "…", "–", ODDS)


def _verdict(view: View, row: pd.Series) -> str:
    """One sentence, its subject in bold; in red, with a mark, where ε is not proved."""
    said = verdict(
        row,
        title=view.titles[row["method"]],
        without_privacy=view.compared.value(view.compared.best),
        majority=view.compared.guess,
        quality=view.quality,
    )
    subject, _, told = said.partition(": ")
    said = f"**{subject}:** {verbatim(told)}"
    return said if row["status"] == "proved" else f":red[:material/error: {said}]"


def _promise(view: View, grid: GridContainer, row: pd.Series) -> None:
    """How many of 100 guess right at most: by the ε that is proved, else by the certified one."""
    proved = row["status"] == "proved"
    epsilon = row["epsilon"] if proved else row["certified_epsilon"]
    if pd.isna(epsilon):
        note = "nothing is proved for this method here"
        _number(grid, "Right guesses", "no bound", note, ODDS)
        return
    told = odds(PrivacyBudget(max(float(epsilon), 1e-12), row["delta"]), view.problem.adjacency)
    _number(
        grid,
        "Right guesses",
        f"{told.right} of 100" if told.right < 100 else "all",
        "right at most; 50 by chance" if told.right < 100 else "may be right: no protection",
        f"{told.sentence} ε = {at_most(epsilon)}, {'proved' if proved else 'certified'}, "
        f"δ = {plain(row['delta'])}. {ODDS}",
    )


def _numbers_of(view: View, grid: GridContainer, row: pd.Series, epsilon: float) -> None:
    here = float(row["epsilon"])
    stands = (
        ""
        if here == epsilon
        else f" Trained at ε = {plain(here)}, the nearest to {plain(epsilon)}."
    )
    guarantee = guarantee_at(row)
    _measured(view, grid, row, stands, guarantee)
    further = _of_classes if view.quality.share else _of_a_number
    further(view, grid, row, guarantee)
    _number(
        grid,
        "Noise σ",
        plain(row["sigma"]),
        f"sensitivity Δ = {plain(row['sensitivity'])}",
        f"{texts.SIGMA} {guarantee}",
    )
    _number(
        grid,
        "Objective",
        plain(row["objective"]),
        f"{plain(view.compared.same_lam.objective)} without privacy",
        f"{texts.OBJECTIVE} {guarantee}",
    )


def _measured(view: View, grid: GridContainer, row: pd.Series, stands: str, guarantee: str) -> None:
    """What models are compared by, and what privacy takes from it."""
    quality, value = view.quality, view.compared.value
    best, other, column = view.compared.best, view.compared.other, quality.column
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    spread = percents(low, high) if quality.percent else f"{plain(low)} to {plain(high)}"
    spread += f" {quality.measure.unit}" if quality.measure.unit else ""
    meaning, cost = MEANINGS[column]
    _number(
        grid,
        quality.title,
        quality.shown(row[column]),
        f"9 of 10 runs: {verbatim(spread)}{stands}",
        f"{meaning} {texts.SOURCES[row['source']]} {guarantee}",
    )
    unit = "points" if quality.percent else f"in {quality.name}"
    _number(
        grid,
        "Cost of privacy",
        quality.signed(row[column] - value(best)),
        f"{unit}; {quality.shown(value(best))} without privacy ({view.named(best)}), "
        f"{quality.shown(value(other))} ({view.named(other)})",
        f"{cost} {guarantee}",
    )


def _of_classes(view: View, grid: GridContainer, row: pd.Series, guarantee: str) -> None:
    """Missed cases, or the mean over several classes."""
    best, other = view.compared.best, view.compared.other
    if view.problem.classes > 2:
        _number(
            grid,
            "Class average",
            percent(row["balanced_accuracy"]),
            f"{percent(best.measured['balanced_accuracy'])} without privacy ({view.named(best)})",
            f"{texts.BALANCED} {guarantee}",
        )
        return
    between = rough_count(row["missed_per_1000"], len(view.split.y_test))
    between = f"{between} on new records; " if between else ""
    _number(
        grid,
        "Missed of 1,000",
        f"{row['missed_per_1000']:.0f}",
        f"{between}{best.measured['missed_per_1000']:.0f} without privacy ({view.named(best)}), "
        f"{other.measured['missed_per_1000']:.0f} ({view.named(other)}); "
        f"{view.ill_per_1000:.0f} cases in all",
        f"{texts.MISSED} {guarantee}",
    )


def _of_a_number(view: View, grid: GridContainer, row: pd.Series, guarantee: str) -> None:
    """R²."""
    best = view.compared.best
    _number(
        grid,
        "R²",
        plain(row["r2"], 2),
        f"{plain(best.measured['r2'], 2)} without privacy ({view.named(best)})",
        f"{texts.R2} {guarantee}",
    )


def every_method(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Accuracy or error of every chosen method at this ε, against the models without privacy."""
    st.subheader(f"Every method at ε = {plain(epsilon)}", anchor=False)
    plot(
        chosen.accuracy(
            rows, view.references, titles=view.titles, quality=view.quality, dark=view.dark
        ),
        "chosen_figure",
    )
    private = rows[rows["method"].isin(view.methods)]
    with st.container(horizontal=True, gap="xsmall"):
        for _, row in private.iterrows():
            badges.status(row["status"], guarantee_at(row), name=view.titles[row["method"]])
