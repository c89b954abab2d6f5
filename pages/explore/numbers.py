"""Draw the first screen's sentence and numbers, and all methods at the same ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.accounting.risk import QUESTION, hedge, odds
from dpcore.controls.explore import BEST
from dpcore.evaluation.baselines import TREES
from dpcore.evaluation.clinic.study import is_of_the_survey
from dpcore.evaluation.feature_maps import features_at
from dpcore.evaluation.frontier import nearly_as_good
from dpcore.figures import chosen, cost
from dpcore.figures.curves import guarantee_in_short, guarantee_of, stand_in_for
from dpcore.figures.verdict import headline, noise_and_split
from dpcore.figures.words import (
    at_most,
    band_of,
    capitalised,
    counted,
    listed,
    percent,
    percents,
    plain,
)
from dpcore.guarantee import PrivacyBudget
from pages.explore import texts
from pages.explore.view import once
from pages.shared import badges, print_only
from pages.shared.charts import plot
from pages.shared.numbers import Number
from pages.shared.texts import ODDS, RIGHT_GUESSES
from pages.shared.verbatim import unbroken, verbatim

if TYPE_CHECKING:
    from dpcore.figures.style import Look
    from pages.explore.view import View


NOTHING_PROVED = "**No method** is proved at any ε here"


def guarantee_at(row: pd.Series) -> str:
    """ε with its verdict, δ, adjacency and accountant."""
    return f"ε = {plain(row['epsilon'])}, {guarantee_of(row)}."


def chosen_by(view: View, focus: str, row: pd.Series) -> str:
    """Say how the first screen's method was chosen, and what the rule takes."""
    if focus != BEST:
        return "chosen under Expert"
    if view.by_looking:
        return f"best proved of {_compared(view)} by results{_by_rule(view, row)}"
    return "chosen by a fixed rule, not by looking at your records"


def line_of(focus: str) -> str:
    """Say what the first picture's line is about, in the middle of a sentence after its method."""
    return "it" if focus != BEST else "the line"


def _by_rule(view: View, row: pd.Series) -> str:
    method, ruled = view.row_by_rule(float(row["epsilon"]))
    if method == row["method"]:
        return ", and by rule"
    came_to = "" if ruled is None else f", {view.quality.shown(ruled[view.quality.column])}"
    return f"; the rule takes {view.titles[method]}{came_to}"


def without_looking(view: View, focus: str, row: pd.Series) -> str:
    if focus != BEST or not view.by_looking:
        return ""
    quality = view.quality
    method, ruled = view.row_by_rule(float(row["epsilon"]))
    if ruled is None or method == row["method"]:
        return ""
    value, best = ruled[quality.column], row[quality.column]
    if quality.good(best - value) <= quality.still:
        return ""
    return f"A model chosen by rule, not by results, has {quality.shown(value)}."


def _features(view: View, row: pd.Series) -> str:
    method, epsilon = str(row["method"]), float(row["epsilon"])
    if not view.split.maps or is_of_the_survey(method):
        return ""
    features = features_at(view.study, view.split, method, epsilon)
    return f"Numbers are {texts.FEATURES[features]} at this ε, by rule. "


def _compared(view: View) -> str:
    return view.count if view.waiting else f"{counted(view.candidates, 'method')} compared"


def to_come(view: View, method: str) -> str:
    """Say what may still change the first screen; "" once nothing does."""
    is_counted = not method and bool(view.waiting)
    parts = ["the rest"] if is_counted else []
    if not view.is_compared:
        parts.append(TREES)
    if not parts and view.splits < view.records.all_splits:
        parts.append("more splits")
    if not parts:
        return ""
    coming = f"{listed(parts)} to come."
    return f"{view.count}; {coming}" if is_counted else capitalised(coming)


def sentence(view: View, row: pd.Series | None, focus: str, epsilon: float) -> None:
    """Draw the sentence of the first screen; in red with an icon if ε is not proved."""
    method = view.sought(focus, epsilon)
    if row is None:
        state = "is being trained" if method in view.waiting else "is proved at no ε here"
        words = f"**{view.titles[method]}** {state}" if method else NOTHING_PROVED
        st.markdown(f"{words}.")
        return
    coming = to_come(view, method)
    best = f"the best proved model{' so far' if coming else ''}"
    words = headline(
        row,
        subject=view.titles[method] if method else best,
        cost=view.cost(row),
        guess=view.compared.guess,
        records_are=view.people,
    )
    words = " ".join(filter(None, (words, without_looking(view, focus, row), coming)))
    shown = unbroken(verbatim(words))
    st.markdown(shown if row["status"] == "proved" else f":red[:material/error: {shown}]")
    print_only.line(guarantee_at(row))


def epsilon_note(row: pd.Series | None, epsilon: float) -> None:
    """Draw below ε its guarantee in short, so that it is always in sight."""
    if row is None:
        return
    computed = float(row["epsilon"])
    stand_in = "" if computed == epsilon else f"Shown: {stand_in_for(computed, epsilon)} · "
    st.caption(unbroken(f"{stand_in}{verbatim(guarantee_in_short(row))}"))


def bound_at(row: pd.Series) -> tuple[PrivacyBudget | None, float | None]:
    """The proved (ε, δ), else the certified one, else ``None``; what the noise allows if known."""
    epsilon = row["epsilon"] if row["status"] == "proved" else row["certified_epsilon"]
    if not epsilon < float("inf"):
        return None, None
    noise = None if pd.isna(row["noise_advantage"]) else float(row["noise_advantage"])
    return PrivacyBudget(max(float(epsilon), 1e-12), row["delta"]), noise


# People of 100 by whom another method's bound is lower, to be named.
CLEARLY_FEWER = 3


def numbers(view: View, row: pd.Series | None, focus: str) -> list[Number]:
    """The three numbers of the first screen."""
    third = "Missed · false alarms" if view.problem.classes == 2 else "Class average"
    of_a_number = view.split.entry.predicts == "number"
    if of_a_number:
        third = "R²"
    if row is None:  # as many places as with numbers: else the browser would keep old ones
        labels = (view.quality.title, third, RIGHT_GUESSES)
        return [(label, "…", "–", ODDS) for label in labels]
    of_records = _of_a_number if of_a_number else _of_classes
    is_first = bool(to_come(view, view.sought(focus, row["epsilon"])))
    return [_measured(view, row, is_first), of_records(view, row, third), _promise(view, row)]


def _measured(view: View, row: pd.Series, is_first: bool) -> Number:
    quality, one = view.quality, view.cost(row)
    column = quality.column
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    spread = percents(low, high) if quality.percent else f"{plain(low)} to {plain(high)}"

    def swatch(part: Look) -> str:
        return f':color[■]{{foreground="{part.on(view.dark)}"}}'

    def parts() -> None:
        st.caption(
            f"**{verbatim(one.total)}** {verbatim(quality.unit)} = "
            f"{swatch(cost.FORM)} {verbatim(one.form)} {one.part} "
            f"{swatch(cost.NOISE)} {verbatim(one.noise)} privacy noise",
            help=texts.PARTS,
        )

    return (
        f"{quality.title} so far" if is_first else quality.title,
        quality.shown(row[column]),
        parts,
        f"{quality.words.meaning} {band_of(row)}: {spread}. "
        f"{texts.SOURCES[row['source']].format(runs=int(row['runs']))} "
        f"{noise_and_split(row, quality)} {_features(view, row)}{quality.words.cost} "
        f"{texts.REFERENCE_LAM.format(lam=plain(view.compared.lam))} {guarantee_at(row)}",
    )


def _of_classes(view: View, row: pd.Series, label: str) -> Number:
    measured = view.compared.measured
    if view.problem.classes > 2:
        return (
            label,
            percent(row["balanced_accuracy"]),
            f"{percent(measured['balanced_accuracy'])} without privacy",
            f"{texts.BALANCED} {guarantee_at(row)}",
        )
    return (
        label,
        f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}",
        f"of 1,000; {measured['missed_per_1000']:.0f} · {measured['false_per_1000']:.0f} without "
        f"privacy; {view.ill_per_1000:.0f} cases",
        f"{texts.MISSED} {guarantee_at(row)}",
    )


def _of_a_number(view: View, row: pd.Series, label: str) -> Number:
    return (
        label,
        plain(row["r2"], 2),
        f"{plain(view.compared.measured['r2'], 2)} without privacy",
        f"{texts.R2} {guarantee_at(row)}",
    )


def _promise(view: View, row: pd.Series) -> Number:
    budget, noise = bound_at(row)
    if budget is None:
        return RIGHT_GUESSES, "no bound", "nothing is proved here", ODDS
    adjacency = view.problem.adjacency
    standing = "proved" if row["status"] == "proved" else "certified"
    chances = odds(budget, adjacency, noise)
    named = f"{row['method']} {row['edition']} {row['epsilon']}"
    other = once(view, f"safer {view.contents} {named}", lambda: _safer(view, row, chances.right))
    return (
        RIGHT_GUESSES,
        f"{chances.shown} of 100",
        f"{hedge(chances.shown)}, on {QUESTION[adjacency]}; {other}50 by chance".removeprefix(", "),
        f"{chances.sentence} ε = {at_most(budget.epsilon)}, {standing}, "
        f"δ = {plain(row['delta'])}. {ODDS}",
    )


def _right(view: View, row: pd.Series) -> int:
    budget, noise = bound_at(row)
    return odds(budget, view.problem.adjacency, noise).right


def _safer(view: View, row: pd.Series, right: int) -> str:
    """What a proved method that is nearly as good promises, where it promises clearly more."""
    quality = view.quality
    others = [
        (_right(view, other), other)
        for _, other in nearly_as_good(
            view.everything, row, quality.still, quality.measure
        ).iterrows()
    ]
    fewest, other = min(others, key=lambda each: each[0], default=(right, row))
    if not view.by_looking or fewest > right - CLEARLY_FEWER:
        return ""
    lost = quality.difference(other[quality.column], row[quality.column])
    price = f", {quality.amount(lost)} worse" if quality.measure.sign * lost < 0.0 else ""
    return f"{fewest} with {view.titles[other['method']]}{price}; "


def every_method(view: View, epsilon: float) -> None:
    """Draw the quality of every method of the view at this ε, and the two parts of its cost."""
    rows = view.rows_at(epsilon)
    at = plain(float(rows["epsilon"].max()))
    st.subheader(f"Method by method at ε = {at}", anchor=False)
    plot(
        chosen.accuracy(
            rows, view.references, titles=view.titles, quality=view.quality, dark=view.dark
        ),
        "chosen_figure",
    )
    private = chosen.best_first(rows[rows["method"].isin(view.methods)], view.quality)
    if not private.empty:
        costs = {view.titles[row["method"]]: view.cost(row) for _, row in private.iterrows()}
        plot(cost.bars(costs, view.quality, dark=view.dark), "cost_figure")
    with st.container(horizontal=True, gap="xsmall"):
        for _, row in private.iterrows():
            badges.status(row["status"], guarantee_at(row), name=view.titles[row["method"]])
