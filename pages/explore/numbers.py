"""The big numbers of the focused method, and all methods at the same ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.accounting.risk import odds
from dpcore.controls.explore import FOCUS, METHODS
from dpcore.figures import chosen
from dpcore.figures.curves import guarantee_of
from dpcore.figures.verdict import rough_count, verdict
from dpcore.figures.words import at_most, band, percent, percents, plain
from dpcore.guarantee import PrivacyBudget
from pages.explore import texts
from pages.explore.controls import kind_of
from pages.shared import badges, view_link
from pages.shared.charts import plot
from pages.shared.numbers import Number, draw_numbers
from pages.shared.texts import ODDS
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    from pages.explore.view import View

NARROW = 112  # pixels of a number
IN_A_ROW = 5
"""Number of methods that fit beside the badge and the link."""
DEFAULT_FOCUS = {"class": "opera", "number": "objpert"}
"""The method focused first, if it is chosen."""


def guarantee_at(row: pd.Series) -> str:
    """ε with its verdict, δ, adjacency and accountant."""
    return f"ε = {plain(row['epsilon'])}, {guarantee_of(row)}."


def _focus(view: View) -> str | None:
    if not view.methods:
        return None
    preferred = DEFAULT_FOCUS[kind_of(view.split.entry)]
    default = preferred if preferred in view.methods else view.methods[0]
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


def show(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Draw quality, cost, noise, objective and risk of the method in focus."""
    is_wide = len(view.methods) > IN_A_ROW
    if is_wide:  # on a line of its own the control wraps
        focus = _focus(view)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not is_wide:
            focus = _focus(view)
        focus_rows = rows[rows["method"] == focus]
        if not focus_rows.empty:
            row = focus_rows.iloc[0]
            badges.status(row["status"], guarantee_at(row))
        st.space("stretch")
        view_link.link()
    if not focus_rows.empty:
        st.markdown(_verdict(view, focus_rows.iloc[0]))
    elif focus:
        state = "was stopped" if focus in view.stopped else "is being trained"
        st.markdown(f"**{view.titles[focus]}** {state}.")
    else:
        st.markdown("Choose a method.")
    if not focus_rows.empty:
        draw_numbers(_numbers_of(view, focus_rows.iloc[0], epsilon), 6, NARROW)
        return
    # As many places as with numbers: else the browser would keep old ones.
    third_label = "Missed of 1,000" if view.problem.classes == 2 else "Class average"
    if not view.quality.share:
        third_label = "R²"
    labels = (view.quality.title, "Cost of privacy", third_label, "Noise σ", "Objective")
    coming: list[Number] = [(label, "…", "–", METHODS.help) for label in labels]
    draw_numbers([*coming, ("Right guesses", "…", "–", ODDS)], 6, NARROW)


def _verdict(view: View, row: pd.Series) -> str:
    """One sentence with its subject in bold; in red with an icon if ε is not proved."""
    sentence = verdict(
        row,
        title=view.titles[row["method"]],
        without_privacy=view.compared.value(view.compared.best),
        majority=view.compared.guess,
        quality=view.quality,
    )
    subject, _, statement = sentence.partition(": ")
    sentence = f"**{subject}:** {verbatim(statement)}"
    return sentence if row["status"] == "proved" else f":red[:material/error: {sentence}]"


def bound_at(row: pd.Series) -> tuple[PrivacyBudget | None, float | None]:
    """The proved (ε, δ), else the certified one, else ``None``; and μ of the noise if known."""
    epsilon = row["epsilon"] if row["status"] == "proved" else row["certified_epsilon"]
    if not epsilon < float("inf"):
        return None, None
    mu = None if pd.isna(row["gaussian_mu"]) else float(row["gaussian_mu"])
    return PrivacyBudget(max(float(epsilon), 1e-12), row["delta"]), mu


def _promise(view: View, row: pd.Series) -> Number:
    """How many of 100 guess right at most, by the noise that is drawn where its law is known."""
    budget, mu = bound_at(row)
    if budget is None:
        return "Right guesses", "no bound", "nothing is proved for this method here", ODDS
    adjacency = view.problem.adjacency
    standing = "proved" if row["status"] == "proved" else "certified"
    chances = odds(budget, adjacency, mu)
    by_noise = "" if mu is None else f"; {odds(budget, adjacency).shown} by ε and δ alone"
    return (
        "Right guesses",
        f"{chances.shown} of 100",
        f"at most{by_noise}; 50 by chance",
        f"{chances.sentence} ε = {at_most(budget.epsilon)}, {standing}, "
        f"δ = {plain(row['delta'])}. {ODDS}",
    )


def _numbers_of(view: View, row: pd.Series, epsilon: float) -> list[Number]:
    row_epsilon = float(row["epsilon"])
    distance_note = (
        ""
        if row_epsilon == epsilon
        else f" Trained at ε = {plain(row_epsilon)}, the nearest to {plain(epsilon)}."
    )
    guarantee = guarantee_at(row)
    third_number = _of_classes if view.quality.share else _of_a_number
    return [
        *_measured(view, row, distance_note, guarantee),
        third_number(view, row, guarantee),
        (
            "Noise σ",
            plain(row["sigma"]),
            f"sensitivity Δ = {plain(row['sensitivity'])}",
            f"{texts.SIGMA} {guarantee}",
        ),
        (
            "Objective",
            plain(row["objective"]),
            f"{plain(view.compared.same_lam.objective)} without privacy",
            f"{texts.OBJECTIVE} {guarantee}",
        ),
        _promise(view, row),
    ]


def _measured(view: View, row: pd.Series, distance_note: str, guarantee: str) -> tuple[Number, ...]:
    """The quality of the model, and what privacy costs of it."""
    quality, value = view.quality, view.compared.value
    best, other, column = view.compared.best, view.compared.other, quality.column
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    spread = percents(low, high) if quality.percent else f"{plain(low)} to {plain(high)}"
    spread += f" {quality.measure.unit}" if quality.measure.unit else ""
    unit = "points" if quality.percent else f"in {quality.name}"
    return (
        (
            quality.title,
            quality.shown(row[column]),
            f"{band(int(row['runs']))}: {verbatim(spread)}{distance_note}",
            f"{quality.words.meaning} {texts.SOURCES[row['source']]} {guarantee}",
        ),
        (
            "Cost of privacy",
            quality.signed(row[column] - value(best)),
            f"{unit}; {quality.shown(value(best))} without privacy ({view.named(best)}), "
            f"{quality.shown(value(other))} ({view.named(other)})",
            f"{quality.words.cost} {guarantee}",
        ),
    )


def _of_classes(view: View, row: pd.Series, guarantee: str) -> Number:
    """Missed cases, or for several classes the mean over them."""
    best, other = view.compared.best, view.compared.other
    if view.problem.classes > 2:
        return (
            "Class average",
            percent(row["balanced_accuracy"]),
            f"{percent(best.measured['balanced_accuracy'])} without privacy ({view.named(best)})",
            f"{texts.BALANCED} {guarantee}",
        )
    spread = rough_count(row["missed_per_1000"], len(view.split.y_test))
    spread = f"{spread} on new records; " if spread else ""
    return (
        "Missed of 1,000",
        f"{row['missed_per_1000']:.0f}",
        f"{spread}{best.measured['missed_per_1000']:.0f} without privacy ({view.named(best)}), "
        f"{other.measured['missed_per_1000']:.0f} ({view.named(other)}); "
        f"{view.ill_per_1000:.0f} cases in all",
        f"{texts.MISSED} {guarantee}",
    )


def _of_a_number(view: View, row: pd.Series, guarantee: str) -> Number:
    """R²."""
    best = view.compared.best
    return (
        "R²",
        plain(row["r2"], 2),
        f"{plain(best.measured['r2'], 2)} without privacy ({view.named(best)})",
        f"{texts.R2} {guarantee}",
    )


def every_method(view: View, rows: pd.DataFrame, epsilon: float) -> None:
    """Draw the quality of every chosen method at this ε, and of models without privacy."""
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
