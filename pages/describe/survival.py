"""Draw curves of survival: the picture that ε moves in, and the table below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.describe import EPSILON
from dpcore.figures.curves import stand_in_for
from dpcore.questions.survival import figure
from dpcore.questions.survival.summary import SurvivalSummary
from dpcore.questions.told import command, snippet
from dpcore.words import place_below, plain
from pages.describe.answer import answered, draw_picture, may_leave, written
from pages.shared import risk_box, uploads
from pages.shared.display import table_behind
from pages.shared.page_links import draw_anew
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from dpcore.questions.survival.question import SurvivalQuestion
    from pages.shared import work


def show(question: SurvivalQuestion) -> list[work.WatchedJobs]:
    """Draw the curves, or their place until they are there; returns the jobs under way."""
    job, summary = answered("survival", question, SurvivalSummary)
    if summary is None:
        return [job]
    st.fragment(_at_chosen_epsilon)(summary)
    return []


def _at_chosen_epsilon(summary: SurvivalSummary) -> None:
    """Draw everything that changes with ε; nothing else runs then."""
    above, question = st.container(), summary.question
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        epsilon = drawn(EPSILON, width=150)
        assert question.study.delta is not None
        risk_box.draw_gaussian(EPSILON, question.study.delta)
        place = place_below(summary.stops, epsilon)
        stop = summary.stops[place]
        table_behind(
            summary.rows,
            "survival",
            question.table_is,
            lambda: (command(question), snippet(question)),
            at=stop,
        )
    is_other = f"Shown: {stand_in_for(stop, epsilon)}. " if stop != epsilon else ""
    st.caption(is_other + figure.HOW)
    shown = uploads.cached_in_session(
        f"picture of survival {question.key}", lambda: figure.picture(summary)
    )
    with above:
        draw_picture(shown, "survival", summary.stops, place)
    st.subheader(f"The table at ε = {plain(stop)}", anchor=False)
    written(question.by, figure.groups(summary), figure.lines(summary, place))
    notes = figure.too_noisy(summary, place), figure.POINTWISE, figure.not_reached(summary)
    for note in filter(None, notes):
        st.caption(verbatim(note))
    may_leave(question.spelled_out(), stop)
    draw_anew()  # last: nobody waits for where the links lead
