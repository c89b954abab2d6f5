"""The tabs under the main figure, each drawn only while it is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk import Promise, odds, promise
from dpcore.controls.explore import EVERY_METHOD, MAY_COST, PER_1000
from dpcore.figures import chosen
from dpcore.figures.words import at_most, listed, plain
from dpcore.guarantee import Guarantee, PrivacyBudget
from pages.explore import loaders, numbers, take_along
from pages.explore.layout import Slots
from pages.explore.view import figure
from pages.shared import badges, risk_panel
from pages.shared.charts import plot, table_behind
from pages.shared.texts import ODDS_CONDITION
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.accounting.tradeoff import PrivacyCurve
    from dpcore.erm.method import Calibration
    from pages.explore.view import View


def _in_open_tab(slots: Slots, contents: Mapping[str, Callable[[], None]]) -> None:
    """Draw what stands in the open tab."""
    for name, draw in contents.items():
        if name in slots.tabs and slots.tabs[name].open:
            with slots.tabs[name]:
                draw()


def at_chosen_epsilon(view: View, rows: pd.DataFrame, epsilon: float, slots: Slots) -> None:
    """Draw the tabs that change with ε; called from the fragment."""
    contents = {
        EVERY_METHOD: lambda: numbers.every_method(view, rows, epsilon),
        PER_1000: lambda: _per_thousand(view, rows),
        "Best method": lambda: _best(view, epsilon),
        "Claim and proof": lambda: badges.claims_and_proofs(view.calibrations_at(epsilon)),
    }
    _in_open_tab(slots, contents)


def focus_budget(
    view: View, rows: pd.DataFrame, epsilon: float, focus: str
) -> tuple[PrivacyBudget | None, float | None, str]:
    """The (ε, δ) that holds for the method in focus at this ε, its noise's μ, and a note."""
    focus_rows = rows[rows["method"] == focus]
    if focus not in view.methods or focus_rows.empty:
        return PrivacyBudget(epsilon, view.delta), None, ODDS_CONDITION
    row, title = focus_rows.iloc[0], view.titles[focus]
    # Of the ε that the method was trained for, which may only be near the chosen one.
    budget, mu = numbers.bound_at(row)
    if row["status"] == "proved" and budget is not None:
        if mu is None:
            return budget, None, ODDS_CONDITION
        alone = odds(budget, view.problem.adjacency).shown
        note = f"By {title}'s own noise. Any method with this ε and δ: at most {alone} of 100."
        return budget, mu, note
    sentence = f"For {title}, ε = {plain(row['epsilon'])} is not proved here"
    if budget is None:
        return None, None, f"{sentence}, and no bound holds."
    return budget, mu, f"{sentence}; its noise is certified for ε = {at_most(budget.epsilon)}."


def _calibration(view: View, method: str, epsilon: float) -> Calibration:
    return loaders.calibration(view.study, view.split, method, epsilon)


def meaning(view: View, rows: pd.DataFrame, epsilon: float, focus: str) -> None:
    """Draw what someone could find out from the focused method, or any with this (ε, δ)."""
    focus_rows = rows[rows["method"] == focus]
    row_epsilon = epsilon if focus_rows.empty else float(focus_rows.iloc[0]["epsilon"])

    def calibration() -> Calibration | None:
        return _calibration(view, focus, row_epsilon) if focus in view.methods else None

    def focus_promise() -> Promise:
        method_calibration = calibration()
        records = view.problem.records
        if method_calibration is None:
            assumed = Guarantee(
                row_epsilon, view.delta, view.problem.adjacency, "whoever proves it"
            )
            return Promise("any method", "assumed", assumed, records)
        title = f"{method_calibration.title} ({method_calibration.edition} edition)"
        return promise(title, method_calibration.proof, method_calibration.certified, records)

    def exact_curve() -> PrivacyCurve | None:
        from dpcore.erm.privacy_curve import privacy_curve

        method_calibration = calibration()
        return None if method_calibration is None else privacy_curve(method_calibration)

    budget, mu, note = focus_budget(view, rows, epsilon, focus)

    def card() -> None:
        risk_panel.card(budget, view.problem.adjacency, "people_figure", note, mu)

    key = f"{view.study.key} {focus} {row_epsilon}"
    risk_panel.attacker_panel(focus_promise, exact_curve, key, card, mu)


def _per_thousand(view: View, rows: pd.DataFrame) -> None:
    dataset = view.split.entry
    plot(
        chosen.patients(
            rows,
            view.without_privacy,
            titles=view.titles,
            positive=dataset.positive,
            negative=dataset.negative,
            records_are=view.people,
            ill=view.ill_per_1000,
            test_records=len(view.split.y_test),
            dark=view.dark,
        ),
        "patients_figure",
    )


def _best(view: View, epsilon: float) -> None:
    """Draw the best proved method at each ε, and the ε that the wanted quality needs."""
    from dpcore.evaluation.frontier import frontier, reach
    from dpcore.figures import frontier as figures

    measure, goal = view.compared.measure, _goal(view)
    best = frontier(view.table, measure)
    if best.empty:
        st.markdown("No method that is chosen is proved at any ε.")
        return
    plot(
        figures.frontier(
            best,
            reach(best, goal, measure),
            titles=view.titles,
            records=view.split.records,
            records_are=view.people,
            epsilon=epsilon,
            guess=view.compared.guess,
            quality=view.quality,
            dark=view.dark,
        ),
        "frontier_figure",
    )
    if view.waiting:
        waiting = listed([view.titles[key] for key in view.waiting])
        st.caption(f":material/hourglass: Not compared, as there are no curves yet: {waiting}.")
    st.caption(
        "Methods are compared by curves computed from these records, which is not private: use it "
        "to plan, on public records or with the choice paid for. The bars hold nine of ten single "
        "runs."
    )
    table_behind(best, "best_method", "The best proved method at each ε")


def _goal(view: View) -> float:
    """The quality still wanted with privacy: accuracy, AUC or error."""
    best, kind = view.compared.value(view.compared.best), view.quality.column
    allowed_loss: float = drawn(MAY_COST[kind], width=320)
    return view.quality.worst_allowed(best, allowed_loss)


def tabs(view: View, slots: Slots) -> None:
    """Draw the tabs that do not change with ε, each only while it is open."""
    contents = {
        "Objective": lambda: plot(figure("objective", view), "objective_figure"),
        "Noise σ": lambda: plot(figure("sigma", view), "sigma_figure"),
        "Excess risk": lambda: plot(figure("excess", view), "excess_figure"),
        "Take along": lambda: take_along.show(view),
        "About the data": lambda: _about(view),
    }
    _in_open_tab(slots, contents)


def _about(view: View) -> None:
    dataset = view.split.entry
    st.markdown(f"**Source:** {dataset.source}")
    st.markdown(f"**Licence:** {dataset.licence}")
    if dataset.citation:
        st.markdown(f"**Cite:** {dataset.citation}")
    if dataset.predicts == "number":
        st.markdown(f"**Bounds of what is predicted:** {dataset.target.bounds_reason}")
    for note in (*map(verbatim, view.split.notes), *dataset.traps):
        st.markdown(f"- {note}")
