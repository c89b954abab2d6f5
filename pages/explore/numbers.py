"""Draw what stands under the picture, and all methods at the same ε."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import BEST, EPSILON
from dpcore.datasets import OWN
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.feature_maps import features_at
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.figures import chosen, cost
from dpcore.figures.bands import in_band
from dpcore.figures.clipping_words import often_clipped
from dpcore.figures.curves import guarantee_at, guarantee_in_short, stand_in_for
from dpcore.predictors import predictor_named
from dpcore.questions import register
from dpcore.words import plain, spaced
from pages.explore import texts
from pages.explore.view import once
from pages.shared import badges, picture, print_only
from pages.shared.charts import plot, table_behind
from pages.shared.session import set_controls
from pages.shared.verbatim import unbroken, verbatim

if TYPE_CHECKING:
    from dpcore.figures.picture import Picture
    from pages.explore.view import View


def show_over_epsilon(view: View, shown: Picture, key: str, epsilon: float) -> None:
    """Show a picture whose stops are the curves' ε: where its cursor rests, the field follows."""
    picture.show(
        shown,
        key=key,
        stop=view.decision.at(epsilon),
        on_move=lambda stop: set_controls({EPSILON.key: shown.stops[stop]}),
    )


def whose(view: View, model: ModelAtEpsilon, epsilon: float) -> None:
    """Draw whose ε it is, and the table behind the picture."""
    computed = model.epsilon
    stand_in = "" if computed == epsilon else f"Shown: {stand_in_for(computed, epsilon)} · "
    st.caption(unbroken(f"{stand_in}{verbatim(guarantee_in_short(model))}"), help=_how(view, model))
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


def under_the_picture(view: View, model: ModelAtEpsilon) -> None:
    """Draw what a reader of the answer must know, a line each."""
    for line in (*_better(view, model.epsilon), *_caveats(view)):
        st.caption(line)
    print_only.line(guarantee_at(model))


def _how(view: View, model: ModelAtEpsilon) -> str:
    """How the numbers came about, and what they mean."""
    chosen = "chosen under Expert" if view.focus != BEST else "chosen by a fixed rule, unseen"
    title, runs = view.titles[model.method], model.runs
    words = view.quality.words
    second = texts.MISSED
    if view.split.entry.predicts == "number":
        second = texts.R2
    elif view.problem.classes > 2:
        second = texts.BALANCED
    source = texts.SOURCES[model.source].format(runs=spaced(runs))
    parts = (
        f"{title}, {chosen}. {_features(view, model)}{source}",
        f"{in_band(runs, splits=model.splits)} ±: 95 % interval over splits and noise.",
        f"{words.meaning} {words.cost}",
        texts.REFERENCE_LAM.format(lam=plain(view.compared.lam)),
        second,
        guarantee_at(model),
    )
    return "\n\n".join(parts)


def _features(view: View, model: ModelAtEpsilon) -> str:
    if not view.split.maps or not predictor_named(model.method).is_linear:
        return ""
    features = features_at(view.study, view.split, model.method, model.epsilon)
    return f"Numbers are {texts.FEATURES[features]} at this ε, by rule. "


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


def every_method(view: View, epsilon: float) -> None:
    """Draw the quality of every method of the view at this ε, and the two parts of its cost."""
    rows = view.rows_at(epsilon)
    at = plain(float(rows["epsilon"].max()))
    st.subheader(f"Method by method at ε = {at}", anchor=False)
    if not view.decision.is_at_one_half:
        st.caption(texts.AT_ONE_HALF)
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
            model = ModelAtEpsilon.of(row)
            badges.status(model.status, guarantee_at(model), name=view.titles[model.method])
