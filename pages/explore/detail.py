"""The detail under the main figure: one tab a subject, drawn only while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk import Promise, gaussian_advantage, promise, right_of_100
from dpcore.controls.explore import MAY_COST, PER_1000
from dpcore.figures import chosen
from dpcore.figures.words import at_most, listed, plain
from dpcore.guarantee import Guarantee, PrivacyBudget
from pages.explore import loaders, take_along, texts
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


def at_chosen_epsilon(view: View, rows: pd.DataFrame, epsilon: float, slots: Slots) -> None:
    """The tabs that move with ε; called from the fragment."""
    if PER_1000 in slots.tabs and slots.tabs[PER_1000].open:
        with slots.tabs[PER_1000]:
            _per_thousand(view, rows)
    if slots.tabs["Best method"].open:
        with slots.tabs["Best method"]:
            _best(view, epsilon)
    if slots.tabs["Claim and proof"].open:
        with slots.tabs["Claim and proof"]:
            badges.claims_and_proofs(view.calibrations_at(epsilon))


def promised_here(
    view: View, rows: pd.DataFrame, epsilon: float, focus: str
) -> tuple[PrivacyBudget | None, str]:
    """The (ε, δ) that holds for the method in focus at this ε, or none, and a line about it."""
    asked = PrivacyBudget(epsilon, view.delta)
    found = rows[rows["method"] == focus]
    if focus not in view.methods or found.empty:
        return asked, ODDS_CONDITION
    row, title = found.iloc[0], view.titles[focus]
    if row["status"] == "proved":
        mu = _calibration(view, focus, float(row["epsilon"])).gaussian_mu
        if mu is None:
            return asked, ODDS_CONDITION
        right = right_of_100(gaussian_advantage(mu))
        return asked, f"{ODDS_CONDITION} {title}'s own noise allows at most {right} of 100."
    said = f"For {title}, ε = {plain(row['epsilon'])} is not proved here"
    certified = float(row["certified_epsilon"])
    if not certified < float("inf"):
        return None, f"{said}, and no bound holds."
    budget = PrivacyBudget(max(certified, 1e-12), row["delta"])
    return budget, f"{said}; its noise is certified for ε = {at_most(certified)}."


def _calibration(view: View, method: str, epsilon: float) -> Calibration:
    return loaders.calibration(view.study, view.split, method, epsilon)


def attacker_panel(view: View, rows: pd.DataFrame, epsilon: float, focus: str) -> None:
    """What someone could find out from the method in focus, or from any with this (ε, δ)."""
    found = rows[rows["method"] == focus]
    here = epsilon if found.empty else float(found.iloc[0]["epsilon"])

    def calibration() -> Calibration | None:
        return _calibration(view, focus, here) if focus in view.methods else None

    def promised() -> Promise:
        known = calibration()
        records = view.problem.records
        if known is None:
            asked = Guarantee(here, view.delta, view.problem.adjacency, "whoever proves it")
            return Promise("any method", "assumed", asked, records)
        title = f"{known.title} ({known.edition} edition)"
        return promise(title, known.proof, known.certified, records)

    def exact() -> PrivacyCurve | None:
        from dpcore.erm.privacy_curve import privacy_curve

        known = calibration()
        return None if known is None else privacy_curve(known)

    risk_panel.attacker_panel(promised, exact, f"{view.study.key} {focus} {here}")


def _per_thousand(view: View, rows: pd.DataFrame) -> None:
    found = view.split.entry
    plot(
        chosen.patients(
            rows,
            view.without_privacy,
            titles=view.titles,
            positive=found.positive,
            negative=found.negative,
            records_are=view.people,
            ill=view.ill_per_1000,
            test_records=len(view.split.y_test),
            dark=view.dark,
        ),
        "patients_figure",
    )


def _best(view: View, epsilon: float) -> None:
    """The best proved method at each ε, and which ε the accuracy or error that is wanted takes."""
    from dpcore.evaluation.frontier import frontier, reach
    from dpcore.figures import frontier as figures

    measure, wanted = view.compared.measure, _wanted(view)
    best = frontier(view.table, measure)
    if best.empty:
        st.markdown("No method that is chosen is proved at any ε.")
        return
    plot(
        figures.frontier(
            best,
            reach(best, wanted, measure),
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
        missing = listed([view.titles[key] for key in view.waiting])
        st.caption(f":material/hourglass: Not compared, as there are no curves yet: {missing}.")
    st.caption(texts.FRONTIER)
    table_behind(best, "best_method", "The best proved method at each ε")


def _wanted(view: View) -> float:
    """The accuracy or area, or the error, that privacy may come to."""
    best, kind = view.compared.value(view.compared.best), view.quality.column
    lost: float = drawn(MAY_COST[kind], width=320)
    if kind == "rmse":
        return best * (1.0 + lost / 100.0)
    return best - (lost if kind == "auc" else lost / 100.0)


def tabs(view: View, slots: Slots) -> None:
    """The detail, each tab drawn only while it is open."""
    for kind, name in (("objective", "Objective"), ("sigma", "Noise σ"), ("excess", "Excess risk")):
        if slots.tabs[name].open:
            with slots.tabs[name]:
                plot(figure(kind, view), f"{kind}_figure")
    if slots.tabs["Take along"].open:
        with slots.tabs["Take along"]:
            take_along.show(view)
    if slots.tabs["About the data"].open:
        with slots.tabs["About the data"]:
            _about(view)


def _about(view: View) -> None:
    found = view.split.entry
    st.markdown(f"**Source:** {found.source}")
    st.markdown(f"**Licence:** {found.licence}")
    if found.citation:
        st.markdown(f"**Cite:** {found.citation}")
    if found.predicts == "number":
        st.markdown(f"**Bounds of what is predicted:** {found.target.bounds_reason}")
    for note in (*map(verbatim, view.split.notes), *found.traps):
        st.markdown(f"- {note}")
