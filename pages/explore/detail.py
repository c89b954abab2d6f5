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
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures import chosen
from dpcore.figures.bands import band
from dpcore.guarantee import PrivacyBudget
from dpcore.words import at_most, plain
from pages.explore import (
    asked,
    numbers,
    side_by_side,
    take_along,
    texts,
)
from pages.explore.layout import Slots
from pages.explore.view import noise_figures
from pages.shared import badges, risk_panel
from pages.shared.charts import plot, table_behind
from pages.shared.texts import ODDS_CONDITION
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from dpcore.accounting.tradeoff import PrivacyCurve
    from dpcore.erm.method import Calibration
    from pages.explore.view import View


def at_chosen_epsilon(
    view: View,
    model: ModelAtEpsilon,
    epsilon: float,
    slots: Slots,
) -> None:
    """Draw what stands in the open tab; called from the fragment of ε.

    The method on the first screen stands in every tab, chosen or not.
    """

    def shown() -> View:
        return view.with_method(model.method)

    contents: Mapping[str, Callable[[], None]] = {
        ONE_PERSON: lambda: _one_person(view, model),
        SIDE_BY_SIDE: lambda: side_by_side.show(view, epsilon),
        THE_CHOSEN_METHODS: lambda: numbers.every_method(shown(), epsilon),
        BEST_METHOD: lambda: _best(view, epsilon),
        PER_1000: lambda: _per_thousand(view, epsilon),
        NOISE: lambda: _noise(shown(), epsilon),
        PROOF: lambda: badges.claims_and_proofs(_calibrations(view, model, epsilon)),
        TAKE_ALONG: lambda: take_along.show(view, model),
        ABOUT: lambda: _about(view),
    }
    # Replaced as a whole: a fragment appends to a place outside it, and never clears it.
    with slots.contents.empty().container():
        if slots.tab in contents:
            contents[slots.tab]()
        else:
            asked.show(view, slots.tab, model, epsilon)


def _noise(view: View, epsilon: float) -> None:
    for place, drawn_one in enumerate(noise_figures(view, epsilon)):
        plot(drawn_one, f"sigma_figure_{place}" if place else "sigma_figure")


def _calibrations(view: View, model: ModelAtEpsilon, epsilon: float) -> list[Calibration]:
    first = view.calibration(model.method, model.edition, model.epsilon)
    chosen = view.calibrations_at(epsilon)
    return [first, *(one for one in chosen if one.method != first.method)]


def _bound(view: View, model: ModelAtEpsilon) -> tuple[PrivacyBudget | None, float | None, str]:
    budget, noise = model.bound
    title = view.titles[model.method]
    if model.is_proved and budget is not None:
        note = ODDS_CONDITION if noise is None else f"By {title}'s own noise."
        return budget, noise, note
    sentence = f"For {title}, ε = {plain(model.epsilon)} is not proved here"
    if budget is None:
        return None, None, f"{sentence}, and no bound holds."
    return budget, noise, f"{sentence}; its noise is certified for ε = {at_most(budget.epsilon)}."


def _one_person(view: View, model: ModelAtEpsilon) -> None:
    def calibrate() -> Calibration:
        return view.calibration(model.method, model.edition, model.epsilon)

    def promise_of() -> Promise:
        calibrated = calibrate()
        title = f"{calibrated.title} ({calibrated.edition} edition)"
        return promise(title, calibrated.proof, calibrated.certified, view.problem.records)

    def exact_curve() -> PrivacyCurve | None:
        from dpcore.erm.privacy_curve import privacy_curve

        return privacy_curve(calibrate())

    budget, noise, note = _bound(view, model)
    risk_panel.card(budget, view.problem.adjacency, "", note, noise)
    name = f"{model.method} {model.edition}"
    key = f"{view.study.key} {name} {model.epsilon}"
    risk_panel.attacker_panel(promise_of, exact_curve, key, None, noise)


def _per_thousand(view: View, epsilon: float) -> None:
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


def _best(view: View, epsilon: float) -> None:
    from dpcore.evaluation.frontier import reach
    from dpcore.figures import frontier as figures

    quality, goal = view.quality, _goal(view)
    best = view.best
    if best.empty:
        st.markdown("No method is proved at any ε.")
        return
    if not view.decision.is_at_one_half:
        st.caption(texts.AT_ONE_HALF)
    shown = quality.rows_as_shown(best)
    plot(
        figures.frontier(
            shown,
            reach(shown, goal, quality.measure),
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
