"""Draw the tabs under the main figure, each only while it is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk import Promise, promise
from dpcore.controls.explore import (
    ABOUT,
    BEST_METHOD,
    MAY_COST,
    NOISE,
    ONE_PERSON,
    PER_1000,
    PROOF,
    SIDE_BY_SIDE,
    TAKE_ALONG,
    THE_CHOSEN_METHODS,
)
from dpcore.figures.bands import band
from dpcore.questions.cost import chosen
from pages.explore import asked, numbers, side_by_side, take_along
from pages.explore.layout import Slots
from pages.explore.numbers import AtStop
from pages.explore.view import noise_figures
from pages.shared import badges, risk_panel
from pages.shared.display import plot, table_behind
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from dpcore.accounting.tradeoff import PrivacyCurve
    from dpcore.erm.method import Calibration
    from pages.explore.view import View


def at_chosen_epsilon(
    view: View,
    stop: AtStop,
    epsilon: float,
    slots: Slots,
) -> None:
    """Draw what stands in the open tab; called from the fragment of ε."""
    # Replaced as a whole: a fragment appends to a place outside it, and never clears it.
    with slots.contents.empty().container():
        if slots.tab in TABS:
            TABS[slots.tab](view, stop, epsilon)
        else:
            asked.show(view, slots.tab, stop.model, epsilon)


def _noise(view: View, stop: AtStop, epsilon: float) -> None:
    for place, drawn_one in enumerate(noise_figures(view.with_method(stop.model.method), epsilon)):
        plot(drawn_one, f"sigma_figure_{place}" if place else "sigma_figure")


def _proof(view: View, stop: AtStop, epsilon: float) -> None:
    model = stop.model
    first = view.calibration(model.method, model.edition, model.epsilon)
    chosen = view.calibrations_at(epsilon)
    others = (one for one in chosen if one.method != first.method)
    badges.claims_and_proofs([first, *others])


def _one_person(view: View, stop: AtStop, _: float) -> None:
    model = stop.model

    def calibrate() -> Calibration:
        return view.calibration(model.method, model.edition, model.epsilon)

    def promise_of() -> Promise:
        calibrated = calibrate()
        title = f"{calibrated.title} ({calibrated.edition} edition)"
        return promise(title, calibrated.proof, calibrated.certified, view.problem.records)

    def exact_curve() -> PrivacyCurve | None:
        from dpcore.erm.method import privacy_curve

        return privacy_curve(calibrate())

    title, explained = stop.meaning
    st.subheader(title, anchor=False, help=explained)
    st.caption(stop.by)
    name = f"{model.method} {model.edition}"
    key = f"{view.contents} {name} {model.epsilon}"
    risk_panel.attacker_panel(promise_of, exact_curve, key, None, stop.noise)


def _per_thousand(view: View, _: AtStop, epsilon: float) -> None:
    dataset = view.split.entry
    rows, without = view.cases_at(epsilon)
    plot(
        chosen.patients(
            rows,
            [without],
            titles=view.titles,
            positive=dataset.positive,
            negative=dataset.negative,
            records_are=view.people,
            ill=view.ill_per_1000,
            test_records=view.judged,
            dark=view.dark,
        ),
        "patients_figure",
    )


def _best(view: View, _: AtStop, epsilon: float) -> None:
    from dpcore.questions.best_method.figure import frontier

    quality, goal = view.quality, _goal(view)
    best = view.best
    if best.empty:
        st.markdown("No method is proved at any ε.")
        return
    if not view.decision.is_at_one_half:
        st.caption(numbers.AT_ONE_HALF)
    plot(
        frontier(
            best,
            goal,
            titles=view.titles,
            records=view.split.records,
            records_are=view.people,
            epsilon=epsilon,
            guess=view.compared.guess,
            so_far=view.others is not None,
            quality=quality,
            dark=view.dark,
        ),
        "frontier_figure",
    )
    if view.others is not None:
        st.caption(f":material/hourglass: {view.count}; the rest to come.")
    bars = band(int(best["runs"].min()), splits=int(best["splits"].max()))
    st.caption(
        "Methods are compared by curves computed from these records, which is not private. Use it "
        f"to plan, on public records or with the choice paid for. The bars hold {bars}."
    )
    table_behind(best, "best_method", "The best proved method at each ε")


def _goal(view: View) -> float:
    quality = view.quality
    allowed_loss: float = drawn(MAY_COST[quality.column], width=320)
    best = quality.as_shown(view.compared.value)
    return quality.as_shown(quality.worst_allowed(best, allowed_loss))


def _about(view: View, _stop: AtStop, _epsilon: float) -> None:
    dataset = view.split.entry
    st.markdown(f"**Source:** {dataset.source}")
    st.markdown(f"**Licence:** {dataset.licence}")
    if dataset.citation:
        st.markdown(f"**Cite:** {dataset.citation}")
    if dataset.predicts == "number":
        st.markdown(f"**Bounds of what is predicted:** {dataset.target.bounds_reason}")
    for note in (*map(verbatim, view.split.notes), *dataset.traps):
        st.markdown(f"- {note}")


TABS: Mapping[str, Callable[[View, AtStop, float], None]] = {
    ONE_PERSON: _one_person,
    SIDE_BY_SIDE: side_by_side.show,
    THE_CHOSEN_METHODS: numbers.every_method,
    BEST_METHOD: _best,
    PER_1000: _per_thousand,
    NOISE: _noise,
    PROOF: _proof,
    TAKE_ALONG: take_along.show,
    ABOUT: _about,
}
"""What draws each tab that no question does."""
