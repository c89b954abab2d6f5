"""Draw what stands under the picture, and all methods at the same ε."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.risk_target import KeptRisk, RiskTarget, kept_by_gaussian
from dpcore.controls.explore import BEST, EPSILON
from dpcore.datasets import OWN
from dpcore.datasets.own.clipped import often_clipped
from dpcore.evaluation.at_epsilon import ModelAtEpsilon, largest_within
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.evaluation.splits import features_at
from dpcore.figures.bands import in_band
from dpcore.figures.curves import guarantee_at, guarantee_in_short, stand_in_for
from dpcore.predictors import predictor_named
from dpcore.questions import register
from dpcore.questions.cost import chosen
from dpcore.questions.cost.two_parts import bars
from dpcore.questions.risk.words import ODDS_CONDITION, heading
from dpcore.words import at_most, place_below, plain, spaced
from pages.explore.view import once
from pages.shared import badges, risk_box
from pages.shared.display import plot, show_picture, table_behind
from pages.shared.session import set_controls
from pages.shared.verbatim import on_paper, unbroken, verbatim

if TYPE_CHECKING:
    from dpcore.figures.picture import Picture
    from pages.explore.view import View

R2 = (
    "Share of the outcome's variance on test records that the predictions explain. 1 is perfect, 0 "
    "is no better than always giving the mean, below 0 is worse."
)
REFERENCE_LAM = (
    "The linear one has λ = {lam}, which predicted held-out training records best. Private "
    "models have their λ by rule."
)
MISSED = (
    "Of 1 000 people like the test records. **Missed**: have the condition and are told that they "
    "do not. **False alarms**: do not have it and are told that they do. Look at both: "
    "privacy can lower one of them and raise the other."
)
BALANCED = (
    "Accuracy within each class, averaged over the classes: rare classes count as much as common "
    "ones."
)
SOURCES = {
    "closed form": "Computed exactly; the band comes from {runs} draws of the noise.",
    "sampled": "Averaged over the runs that were trained.",
    "draws": "Averaged over {runs} draws of the noise.",
}
FEATURES = {"plain": "straight lines", "additive": "curves", "fine": "fine curves"}
AT_ONE_HALF = "Accuracy here is of acting from 50 %, as models do that are told nothing else."


@dataclass(frozen=True)
class AtStop:
    """What is said of the answer at one stop of ε, in Markdown."""

    model: ModelAtEpsilon
    guaranteed: str
    how: str
    lines: tuple[str, ...]  # what a reader must know
    on_paper: str
    meaning: tuple[str, str]  # for one person, and what that is by
    noise: float | None  # the largest advantage that the noise allows
    by: str  # whose noise


def stop_at(view: View, epsilon: float) -> tuple[int, AtStop]:
    """The place of the stop that stands in for an ε, and what is said at it.

    All stops are worded at once, so that an ε that comes to rest is only looked up.
    """
    stops = once(view, f"stops {view.contents}", lambda: _stops(view))
    place = place_below([stop.model.epsilon for stop in stops], epsilon)
    return place, stops[place]


def _stops(view: View) -> list[AtStop]:
    return [
        AtStop(
            model,
            unbroken(verbatim(guarantee_in_short(model))),
            _how(view, model),
            (*_better(view, model.epsilon), *_caveats(view)),
            on_paper(guarantee_at(model)),
            heading(budget, view.problem.adjacency, noise),
            noise,
            _by(view, model),
        )
        for model in map(view.model, view.line["epsilon"])
        for budget, noise in (model.bound,)
    ]


def show_over_epsilon(view: View, shown: Picture, key: str, place: int) -> None:
    """Show a picture whose stops are the curves' ε: where its cursor rests, the field follows."""
    show_picture(
        shown,
        key=key,
        stop=place,
        on_move=lambda stop: set_controls({EPSILON.key: shown.stops[stop]}),
    )


def as_risk(view: View, stop: AtStop) -> None:
    """Draw the way to set ε by a risk, which the curves' own noise keeps."""

    def ways(risk: RiskTarget) -> tuple[risk_box.Way]:
        models = [each.model for each in once(view, f"stops {view.contents}", lambda: _stops(view))]
        largest = largest_within(models, risk)
        kept = (
            kept_by_gaussian(risk, view.delta, largest)
            if stop.model.is_gaussian
            else KeptRisk(risk, largest, view.delta)
        )
        return (risk_box.epsilon_way(EPSILON, kept),)

    risk_box.draw(EPSILON, ways)


def whose(view: View, stop: AtStop, epsilon: float) -> None:
    """Draw whose ε it is, and the table behind the picture."""
    is_other = stop.model.epsilon != epsilon
    stand_in = f"Shown: {stand_in_for(stop.model.epsilon, epsilon)} · " if is_other else ""
    st.caption(stand_in + stop.guaranteed, help=stop.how)
    table_behind(
        once(view, f"table {view.contents}", lambda: view.decision.table),
        "cost",
        "The answer at each ε",
        lambda: _code(view),
    )


def _code(view: View) -> tuple[str, str]:
    """The command line and the Python that give the table's numbers."""
    from dpcore.questions.told import command, snippet

    whole = view.whole if view.focus == BEST else view.study
    study = replace(whole, methods=tuple(dict.fromkeys(view.line["method"])))
    asked = register.named("cost" if view.decision.outcomes is None else "decision_curve")(study)
    return command(asked), snippet(asked)


def under_the_picture(stop: AtStop) -> None:
    """Draw what a reader of the answer must know, a line each."""
    for line in stop.lines:
        st.caption(line)
    st.html(stop.on_paper)


def _by(view: View, model: ModelAtEpsilon) -> str:
    budget, noise = model.bound
    title = view.titles[model.method]
    if model.is_proved and budget is not None:
        return ODDS_CONDITION if noise is None else f"By {title}'s own noise."
    sentence = f"For {title}, ε = {plain(model.epsilon)} is not proved here"
    if budget is None:
        return f"{sentence}, and no bound holds."
    return f"{sentence}; its noise is certified for ε = {at_most(budget.epsilon)}."


def _how(view: View, model: ModelAtEpsilon) -> str:
    """How the numbers came about, and what they mean."""
    chosen = "chosen under Expert" if view.focus != BEST else "chosen by a fixed rule, unseen"
    title, runs = view.titles[model.method], model.runs
    words = view.quality.words
    second = MISSED
    if view.split.entry.predicts == "number":
        second = R2
    elif view.problem.classes > 2:
        second = BALANCED
    source = SOURCES[model.source].format(runs=spaced(runs))
    parts = (
        f"{title}, {chosen}. {_features(view, model)}{source}",
        f"{in_band(runs, splits=model.splits)} ±: 95 % interval over splits and noise.",
        f"{words.meaning} {words.cost}",
        REFERENCE_LAM.format(lam=plain(view.compared.lam)),
        second,
        guarantee_at(model),
    )
    return "\n\n".join(parts)


def _features(view: View, model: ModelAtEpsilon) -> str:
    if not view.split.maps or not predictor_named(model.method).is_linear:
        return ""
    features = features_at(view.study, view.split, model.method, model.epsilon)
    return f"Numbers are {FEATURES[features]} at this ε, by rule. "


def _better(view: View, epsilon: float) -> list[str]:
    """One line, once all methods are compared, where another does surely better at this ε."""
    if view.focus != BEST or view.others is not None or not view.records.published:
        return []
    found = once(view, f"better {view.contents} {epsilon}", lambda: view.better_at(epsilon))
    if found is None:
        return []
    title, gain, half = found
    quality = view.quality
    words = f"{title} does better here by {quality.amount(gain)} ± {quality.amount(half)}."
    return [f":material/trending_up: {words}"]


def _caveats(view: View) -> list[str]:
    """What a reader of the answer must know of the records, a line each."""
    often = view.split.often_clipped if view.split.entry.key == OWN else ()
    notes = {
        "info": ALL_BLANK if view.records.all_blank else "",
        "content_cut": verbatim(often_clipped(often)),
        "group": view.few_cases,
        "straighten": view.rough,
    }
    return [f":material/{icon}: {note}" for icon, note in notes.items() if note]


def every_method(view: View, stop: AtStop, epsilon: float) -> None:
    """Draw how good the first answer's and the chosen methods are, and both parts of their cost."""
    view = view.with_method(stop.model.method)
    rows = view.rows_at(epsilon)
    at = plain(float(rows["epsilon"].max()))
    st.subheader(f"Method by method at ε = {at}", anchor=False)
    if not view.decision.is_at_one_half:
        st.caption(AT_ONE_HALF)
    plot(
        chosen.accuracy(
            rows, view.references, titles=view.titles, quality=view.quality, dark=view.dark
        ),
        "chosen_figure",
    )
    private = chosen.best_first(rows[rows["method"].isin(view.methods)], view.quality)
    if not private.empty:
        costs = {view.titles[row["method"]]: view.cost(row) for _, row in private.iterrows()}
        plot(bars(costs, view.quality, dark=view.dark), "cost_figure")
    with st.container(horizontal=True, gap="xsmall"):
        for _, row in private.iterrows():
            model = ModelAtEpsilon.of(row)
            badges.status(model.status, guarantee_at(model), name=view.titles[model.method])
