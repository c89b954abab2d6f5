"""Correct a column's curve by hand: a small table, the curve that it makes, and its effect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.column_parts import terms_of
from dpcore.errors import InvalidInput
from dpcore.questions.risk_curves.by_hand import effect_part
from dpcore.questions.risk_curves.question import CURVE_OF, RiskCurvesQuestion, term_part
from dpcore.questions.risk_curves.terms import (
    MAX_HEIGHT,
    corrections_of,
    curve_rows,
    moved,
    of_map,
    with_edits,
    written,
)
from dpcore.questions.told import command, snippet
from dpcore.words import plain
from pages.explore import curve_jobs
from pages.shared import work
from pages.shared.display import download_csv, draw_file, plot, table_behind
from pages.shared.session import store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.questions.shown import Chosen
    from pages.explore.view import View

BY_HAND = (
    "{} in run {}, at ε = {}. Its noise comes from a seed: for exploration, and no release. "
    "Correcting a release **without looking at records** is post-processing and costs nothing. "
    "Correcting it while looking at accuracy on real records, or at a model without privacy, is "
    "**not private**."
)
HEIGHT = "In log odds, of a record of average length. Adding 0.7 doubles the odds."
EFFECT = (
    "Accuracy, AUC and calibration on the test records, before and after. They are **not "
    "private**: whoever corrects by them has looked at the records."
)
EFFECT_IS_MEASURED = "The effect is being measured: the line above says how far it is."
EDITS, OPEN, MEASURED = "edits by hand", "editor that is open", "model corrected by hand"
"""Names of what outlives a run: edits of each model, with which the open table began, and which
model is judged."""
PART, PRIVATE, CORRECTED = "Part", "Private model", "Corrected"


def jobs(study: RiskCurvesQuestion) -> tuple[work.WatchedJobs, ...]:
    """The job that judges a corrected model of this study, once that is asked for."""
    hand = stored(MEASURED)
    if hand is None or _of_all(hand, study) != study.study:
        return ()
    return curve_jobs.watched_alone("by hand", "Judging the corrected model", hand)


def show(view: View, study: RiskCurvesQuestion, rows: pd.DataFrame, chosen: Chosen) -> None:
    """Draw the editor of the chosen column, of the model that is looked at."""
    place = st.expander("Correct by hand", icon=":material/edit:", key="by_hand", on_change="rerun")
    if place.open:
        with place:
            terms = chosen.of_model(term_part(rows))
            _edit(view, study, terms, str(chosen.looked[CURVE_OF.key]))


def _edit(view: View, study: RiskCurvesQuestion, terms: pd.DataFrame, column: str) -> None:
    from dpcore.questions.risk_curves import hand_figure as figures

    model = terms.iloc[0]
    method, epsilon = str(model["method"]), float(model["epsilon"])
    st.markdown(BY_HAND.format(verbatim(str(model["title"])), int(model["run"]), plain(epsilon)))
    described = view.split.entry.column(column)
    mine = terms[terms["column"] == column]
    name = f"{EDITS} {study.key} {method} {model['feature_map']}"
    before: dict[str, dict[str, float]] = stored(name) or {}
    parts = [figures.part(row, described) for _, row in mine.iterrows()]
    heights = _edited(f"{name} {epsilon} {column}", parts, mine, before.get(column, {}))
    pairs = zip(mine["term"], mine["private"], heights, strict=True)
    changed = {str(term): height for term, old, height in pairs if height != old}
    alone = replace(study.study, methods=(method,), epsilons=(epsilon,))
    edits = {**before, column: changed}
    try:
        hand = RiskCurvesQuestion(alone, by_hand=corrections_of(edits))
    except InvalidInput as refused:
        refuse(refused)
        return
    store(name, {one: given for one, given in edits.items() if given})
    features = replace(view.split.preparation, features=model["feature_map"])
    own = terms_of(view.split.entry, of_map(features), described)
    every = with_edits(terms, hand.by_hand or ())
    here = every[every["column"] == column]
    curve = curve_rows(own, here)
    drawn = figures.corrected_curve(
        curve, model, view.split.entry, moved(own, here), dark=view.dark
    )
    plot(drawn, "by_hand_figure")
    _measured(hand)
    _take_along(hand, every, curve)


def _edited(
    key: str, parts: list[str], terms: pd.DataFrame, before: dict[str, float]
) -> list[float]:
    """Draw the table, and return the heights in it.

    A table that is edited must not be replaced, or its edits would be lost; it begins anew with
    what was corrected before, once another was open in between.
    """
    import pandas as pd

    opened, begun = stored(OPEN) or ("", {})
    if opened != key:
        begun = before
        store(OPEN, (key, begun))  # and no height of a model, which may be of one's own records
    pairs = zip(terms["term"], terms["private"], strict=True)
    table = pd.DataFrame(
        {
            PART: parts,
            PRIVATE: terms["private"].to_numpy(),
            CORRECTED: [begun.get(term, old) for term, old in pairs],
        }
    )
    number = st.column_config.NumberColumn
    edited = st.data_editor(
        table,
        key=key,
        hide_index=True,
        num_rows="fixed",
        disabled=[PART, PRIVATE],
        column_config={
            PRIVATE: number(help=HEIGHT, format="%.3f"),
            CORRECTED: number(
                help=HEIGHT, format="%.3f", min_value=-MAX_HEIGHT, max_value=MAX_HEIGHT
            ),
        },
    )
    return [float("nan") if pd.isna(one) else float(one) for one in edited[CORRECTED]]


def _measured(hand: RiskCurvesQuestion) -> None:
    from dpcore.questions.risk_curves.hand_figure import effect

    if stored(MEASURED) != hand:
        if st.button("Measure the effect", icon=":material/lock_open:", help=EFFECT):
            store(MEASURED, hand)
            st.rerun()  # the whole page: a job begins with it
        return
    if not curve_jobs.is_done(hand):
        st.markdown(EFFECT_IS_MEASURED)
        return
    rows = effect_part(curve_jobs.results(hand))
    st.markdown(verbatim(effect(rows)))
    table_behind(rows, "by_hand_effect", "What the correction changes on test records")


def _take_along(hand: RiskCurvesQuestion, terms: pd.DataFrame, curve: pd.DataFrame) -> None:
    with st.container(horizontal=True, gap="small"):
        draw_file(
            "Corrections (JSON)",
            lambda: written(hand.by_hand or ()),
            "corrections.json",
            key="corrections",
        )
        download_csv(terms, "corrected_parts")
        table_behind(
            curve,
            "by_hand",
            "Both curves of the column, in log odds",
            lambda: (command(hand, "corrected.csv"), snippet(hand)),
        )


def _of_all(hand: RiskCurvesQuestion, study: RiskCurvesQuestion) -> object:
    whole = study.study
    return replace(hand.study, methods=whole.methods, epsilons=whole.epsilons)
