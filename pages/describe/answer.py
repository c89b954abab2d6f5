"""Draw the answer: the picture that ε moves in, the table below it, and a closer look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dpcore.controls.describe import CLOSER, EPSILON, NUMBER, WITHIN
from dpcore.controls.release import MODEL, NUMBERS, TABLE
from dpcore.controls.release import OWN as RELEASED_OWN
from dpcore.datasets import OWN
from dpcore.figures.curves import stand_in_for
from dpcore.questions.describe import figure, words
from dpcore.questions.describe.question import DrawsQuestion
from dpcore.questions.describe.summary import TableSummary
from dpcore.questions.question import Question, task
from dpcore.questions.told import command, publishing, snippet
from dpcore.words import place_below, plain, spaced
from pages.shared import own_table, risk_box, uploads, work
from pages.shared.display import on_dark, plot, show_picture, table_behind
from pages.shared.page_links import draw_anew, link_to
from pages.shared.session import DESCRIBED, set_controls, store, stored
from pages.shared.verbatim import printable_line, refuse, verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from dpcore.errors import InvalidInput
    from dpcore.figures.picture import Picture
    from dpcore.questions.describe.question import DescribeQuestion
    from dpcore.questions.survival.question import SurvivalQuestion
    from dpcore.summaries.table_lines import Cell, TableLine
    from pages.describe.controls import DescribedTable

Asked = TypeVar("Asked", bound=Question)
Made = TypeVar("Made")

FIRST_SECONDS = 0.3
DRAWS = "draws that are looked at"
PICTURE_HEIGHT = 430
UPLOADED = (
    "These are your own records. Errors and true values are computed from them and are **not "
    "private**. The noise comes from a seed, which takes it off again: nothing of this may leave."
)

PUBLIC = (
    "These records are public, so nothing is paid for them here. A table of your own is paid from "
    "its ledger."
)
PUBLISHING = (
    "What is here comes from a seed. A table that may leave is paid once from its ledger, whose "
    "adjacency holds. Nobody can draw its noise again. You get it as CSV, for a paper and as JSON. "
    "Its certificate can be checked without data."
)
LEAVE, PAY = "May it leave?", "Pay for this table"


def heading(question: DescribeQuestion | SurvivalQuestion, place: DeltaGenerator) -> None:
    """Draw the line under the title."""
    about = question.study.entry
    made_up = "made-up " if about.made_up else ""
    place.caption(f"{about.title} · {spaced(about.records)} {made_up}{about.records_are}.")


def how_to_get(table: DescribedTable) -> None:
    """Show where missing records come from, and how to get them."""
    if table.dataset == OWN:
        own_table.how_to(table.columns, table.upload)
        return
    st.info(table.entry.how_to_get, icon=":material/download:")
    if table.source == "download" and st.button("Download it now", icon=":material/download:"):
        work.download(table.dataset)


def show_refusal(table: DescribedTable, refusal: InvalidInput) -> None:
    """Say why a table or a setting is refused."""
    if table.dataset == OWN:
        own_table.refused(table.columns, table.upload, refusal)
    else:
        refuse(refusal)


def warnings(table: DescribedTable) -> None:
    """Say that errors and true values of one's own records are not private."""
    if table.upload is not None and not table.upload.is_public:
        st.warning(UPLOADED, icon=":material/lock_open:")


def _submit(place: str, question: Question) -> None:
    if question.upload:
        uploads.learn(question, is_sweep=False)
    else:
        work.submit(place, task(question))


def rows_of(question: Question) -> pd.DataFrame:
    return uploads.curve_rows(question.key) if question.upload else work.result(question.key)


def job_of(name: str, question: Question) -> work.WatchedJobs:
    studies = {question.title: question}
    return work.WatchedJobs(name, work.CURVES, studies, _submit, FIRST_SECONDS, at_once=True)


def answered(
    name: str, question: Asked, make: Callable[[Asked, pd.DataFrame], Made]
) -> tuple[work.WatchedJobs, Made | None]:
    """The job of a question and what is made of its rows, or the place of its picture."""
    job = job_of(name, question)
    if job.drawn != "done":
        st.container(height=PICTURE_HEIGHT, border=False, key="skeleton_picture")
        return job, None
    made = uploads.cached_in_session(
        f"{name} {question.key}", lambda: make(question, rows_of(question))
    )
    return job, made


def draw_picture(picture: Picture, name: str, stops: Sequence[float], place: int) -> None:
    """Draw a picture that ε moves in; where it comes to rest ε is set."""
    show_picture(
        picture,
        key=f"{name}_picture",
        stop=place,
        on_move=lambda moved: set_controls({EPSILON.key: stops[moved]}),
    )


def show(question: DescribeQuestion) -> list[work.WatchedJobs]:
    """Draw the answer, or its place until it is there; returns the jobs under way."""
    job, summary = answered("describe", question, TableSummary)
    if summary is None:
        return [job]
    draws = stored(DRAWS)
    is_asked = isinstance(draws, DrawsQuestion) and replace(draws, column="") == DrawsQuestion.of(
        question
    )
    jobs = [job_of("draws", draws)] if is_asked else []
    st.fragment(_at_chosen_epsilon)(summary, [key for job in jobs for key in job.keys])
    return [job for job in jobs if job.drawn != "done"]


def _at_chosen_epsilon(summary: TableSummary, watched: Sequence[str]) -> None:
    """Draw everything that changes with ε; nothing else runs then."""
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        epsilon = drawn(EPSILON, width=150)
        risk_box.draw_gaussian(EPSILON, summary.delta)
        number = drawn(NUMBER, among=summary.numbers, width=210)
        within = drawn(WITHIN, width=190)
        place = place_below(summary.stops, epsilon)
        stop = summary.stops[place]
        table_behind(
            summary.rows,
            "describe",
            summary.question.table_is,
            lambda: (command(summary.question), snippet(summary.question)),
            at=stop,
        )
    is_other = f"Shown: {stand_in_for(stop, epsilon)}. " if stop != epsilon else ""
    reached = uploads.cached_in_session(
        f"reached {summary.question.key} {within}", lambda: words.reached(summary, within)
    )
    st.caption(is_other + reached)
    shown = uploads.cached_in_session(
        f"picture {summary.question.key} {number}", lambda: figure.picture(summary, number)
    )
    with above:
        draw_picture(shown, "describe", summary.stops, place)
    if drawn(CLOSER):
        _closer(summary, place, number, watched)
    _table(summary, place)
    may_leave(summary.question, stop)
    draw_anew()  # last: nobody waits for where the links lead


def may_leave(question: DescribeQuestion | SurvivalQuestion, epsilon: float) -> None:
    """Say how such a table of one's own leaves, with the way to pay for it on Release."""
    st.subheader(LEAVE, anchor=False)
    if question.study.dataset == OWN:
        st.caption(PUBLISHING)
        store(DESCRIBED, question)
        leaving = ((TABLE, RELEASED_OWN), (MODEL, NUMBERS))
        settings = {control.key: str(control.text(value)) for control, value in leaving}
        script, link = link_to(LEAVE, **settings)
        st.page_link(script, label=PAY, icon=":material/output:", query_params=link)
    else:
        st.caption(PUBLIC)
    st.code(publishing(question, epsilon), language="bash", wrap_lines=True)


def _closer(summary: TableSummary, place: int, number: str, watched: Sequence[str]) -> None:
    """Draw a number as it might come out, and its histogram, once their job is done."""
    column = str(summary.of(number)["column"].iloc[0])
    question = DrawsQuestion.of(summary.question, column)
    if work.state(question.key) != "done":
        if question.key not in watched:
            store(DRAWS, question)
            st.rerun()  # jobs begin in a run of the whole page
        st.caption(f"{question.doing}: the line below says how far it is.")
        return
    every = rows_of(question)
    rows = every[every["epsilon"] == summary.stops[place]]
    dark = on_dark()
    figures = [("draws_figure", figure.draws(rows, summary, number, dark))]
    bars = figure.histogram(rows, summary, column, dark)
    if bars is not None:
        figures.append(("histogram_figure", bars))
    for side, (key, shown) in zip(st.columns(len(figures), gap="medium"), figures, strict=True):
        with side:
            plot(shown, key)
    table_behind(rows, "draws", "Ten draws of the noise")


def _table(summary: TableSummary, place: int) -> None:
    st.subheader(f"The table at ε = {plain(summary.stops[place])}", anchor=False)
    written(summary.question.by, summary.groups, words.lines(summary, place))
    notes = words.too_noisy(summary, place), words.INTERVALS, words.on_grid(summary), words.POINT
    for note in filter(None, notes):
        st.caption(verbatim(note))


def written(by: str, groups: Sequence[str], lines: Iterable[TableLine]) -> None:
    """Draw a table as HTML: headings of rows and columns are told to who does not see it."""
    by = by.replace("_", " ")
    head = "".join(f'<th scope="col">{_text(group)}</th>' for group in groups)
    parts = [f'<thead><tr><th scope="col">{_text(by and f"by {by}")}</th>{head}</tr></thead>']
    for line in lines:
        kind = "number" if line.cells else "column"
        cells = "".join(map(_cell, line.cells))
        span = "" if line.cells else f' colspan="{len(groups) + 1}"'
        name = f'<th scope="row"{span}>{_text(line.heading)}</th>'
        parts.append(f'<tr class="{kind}">{name}{cells}</tr>')
    about = 'class="described" role="region" aria-label="The table" tabindex="0"'
    st.html(f"<div {about}><table>{''.join(parts)}</table></div>")


def _cell(cell: Cell) -> str:
    kind = "" if cell.readable else ' class="noisy" title="too noisy to read"'
    interval = f" <small>({_text(cell.interval)})</small>" if cell.interval else ""
    return f"<td{kind}>{_text(cell.value)}{interval}</td>"


def _text(text: str) -> str:
    return escape(printable_line(text))
