"""Draw the panel on what ε means, the same on every page.

The card is fixed and drawn without data. The attacker panel below it is computed only while it is
open.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk import BELIEF, Odds, Promise, odds
from dpcore.controls.common import ALARMS, MEANING, PRIOR
from dpcore.figures.drawn import Drawn
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget
from dpcore.progress import Progress
from dpcore.questions.risk import figure, words
from pages.shared.display import download, draw_numbers, on_dark, plot
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.accounting.events import TrainingPlan
    from dpcore.accounting.tradeoff import PrivacyCurve

MOMENT = 0.3
"""Seconds that the page waits for the curve of a run's noise: most take less."""
COMPUTING = "Computing what the noise itself allows to guess"


def _card(
    budget: PrivacyBudget,
    adjacency: Adjacency,
    key: str,
    note: str,
    noise: float | None,
    so_far: str,
) -> None:
    """Show the risk for one person as a hundred people.

    `noise` is the largest advantage by the noise's own trade-off function; without it the bound is
    that of any method with this (ε, δ). `so_far` says why it may still change.
    """
    title, explained = words.heading(budget, adjacency, noise)
    st.subheader(f"{title}{' so far' if so_far else ''}", anchor=False, help=explained)
    plot(_hundred(odds(budget, adjacency, noise), on_dark()), key)
    if so_far:
        st.markdown(f":material/hourglass: {so_far}")
    st.caption(note)


@st.cache_resource(max_entries=200, show_spinner=False)
def _hundred(chances: Odds, dark: bool) -> Drawn:
    return figure.hundred(chances, dark=dark)


def attacker_panel(
    promise_of: Callable[[], Promise],
    exact_curve: Callable[[], PrivacyCurve | None],
    key: str,
    above: Callable[[], None] | None = None,
    noise: float | None = None,
) -> None:
    """Show what someone could find out: an attacker's success, beliefs, and words to copy.

    Draw it in a fragment, but not in one within another: as the outer one runs again, the server
    drops what it has not sent of its places, and still sends what the inner one drew in them.
    `promise_of` and `exact_curve` are called only while the panel is open.
    """
    place = st.expander(
        MEANING.label, key=MEANING.key, icon=":material/person_search:", bind="query-params"
    )
    if place.open:
        with place:
            if above is not None:
                above()
            _opened(promise_of(), exact_curve, key, noise)


def run_panels(
    run: Promise,
    certified: Guarantee,
    accounted: TrainingPlan | None,
    key: str,
    page: str,
    *,
    is_final: bool,
    subject: str,
    without: str,
) -> Waiting:
    """Draw the card of a training run, and the attacker panel in a fragment of its own.

    Both are by the noise's own curve; returns its unfinished task. It is computed only once the
    guarantee `is_final`, as it would delay a certification under way.
    """
    waiting: Waiting = []
    curve = noise = mu = None
    if accounted is not None and run.budget is not None and is_final:
        found, waiting = answer_to(
            f"{page} noise", COMPUTING, accounted, partial(_by_noise, accounted), wait=MOMENT
        )
        if found is not None:
            curve, noise, mu = found
    with st.container(border=True, width=480):
        if run.budget is None:
            st.markdown(f"**What ε means for one person:** {without}")
        else:
            source = words.BY_BUDGET if noise is None else words.BY_NOISE
            note = f"{subject}, {source}: {certified.by}."
            if mu is not None:
                note += words.gaussian_dp(mu, run.budget.delta)
            so_far = words.SO_FAR if accounted is not None and noise is None else ""
            name = f"{page}_people_figure"
            _card(run.budget, certified.adjacency, name, note, noise, so_far)
    st.fragment(attacker_panel)(lambda: run, lambda: curve, f"{key} {noise is None}", None, noise)
    return waiting


def _by_noise(training: TrainingPlan, _: Progress) -> tuple[PrivacyCurve, float, float | None]:
    from dpcore.accounting.tradeoff import advantage, from_event

    curve = from_event(training.event(), training.adjacency)
    return curve, advantage(curve), curve.finite_mu(training.delta)


@st.cache_resource(max_entries=100, show_spinner="Computing the privacy curve …")
def _curves(
    key: str, _promise: Promise, _exact_curve: Callable[[], PrivacyCurve | None]
) -> tuple[dict[str, PrivacyCurve], pd.DataFrame]:
    from dpcore.accounting import tradeoff

    budget, exact = _promise.budget, _exact_curve()
    assert budget is not None
    curves = {} if exact is None else {"exact": exact}
    curves["budget"] = tradeoff.from_budget(
        budget.epsilon, budget.delta, _promise.guarantee.adjacency
    )
    return curves, tradeoff.table(curves)


def _opened(
    promise: Promise,
    exact_curve: Callable[[], PrivacyCurve | None],
    key: str,
    noise: float | None,
) -> None:
    from dpcore.accounting.tradeoff import attacker

    st.markdown(words.standing(promise))
    if promise.budget is None:
        return
    adjacency = promise.guarantee.adjacency
    curves, table = _curves(f"{key} {promise}", promise, exact_curve)
    answer = st.container()
    left, right = st.columns([2, 3], gap="medium")
    with left:
        question = f"Before seeing the result, how sure is someone that {BELIEF[adjacency]}?"
        prior = drawn(PRIOR, label=question) / 100.0
        rate = drawn(ALARMS, width="content")
    attackers = {series: attacker(curve, prior, rate) for series, curve in curves.items()}
    bound = attackers["budget"]
    best = attackers.get("exact", bound)
    with answer:
        draw_numbers(words.numbers(best, bound, prior, rate), across=4)
    with left:
        st.markdown(words.belief(adjacency, prior, rate, best.belief))
        if "exact" not in attackers:
            st.caption(words.BUDGET_ALONE)
    with right:
        marks = {series: result.true_positive_rate for series, result in attackers.items()}
        plot(figure.roc(table, marks, rate, dark=on_dark()), "attacker_figure")
        _tables(promise.budget, adjacency, table, noise)
        st.caption("What ε and δ alone tell, on the command line:")
        st.code(
            words.command(promise.budget, adjacency, prior, rate), language="bash", wrap_lines=True
        )
    _to_copy(
        words.consent(promise, best),
        words.ethics(promise, bound, attackers.get("exact"), prior, rate),
    )


def _tables(
    budget: PrivacyBudget, adjacency: Adjacency, table: pd.DataFrame, noise: float | None
) -> None:
    place = st.popover("Tables and CSV", icon=":material/table:", on_change="rerun", key="tables")
    if not place.open:
        return
    with place:
        hundred = figure.hundred_table(odds(budget, adjacency, noise))
        for title, rows, name in (
            ("Hits against false alarms", table, "hits_against_false_alarms"),
            ("A hundred people guessing", hundred, "hundred_people"),
        ):
            st.markdown(f"**{title}**")
            download(rows.assign(epsilon=budget.epsilon, delta=budget.delta), name, title)


def _to_copy(consent: str, ethics: str) -> None:
    st.markdown("**Words to copy**")
    left, right = st.columns(2, gap="medium")
    for place, title, text in (
        (left, "For a consent form", consent),
        (right, "For an ethics application", ethics),
    ):
        with place:
            st.caption(title)
            st.code(text, language=None, wrap_lines=True)
