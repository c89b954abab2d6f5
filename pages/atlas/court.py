"""Draw the library court: each published violation as a card, and one by itself, which is tried."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpcore.audit.court import cases
from dpcore.audit.court.case import Case
from dpcore.audit.study import CourtStudy
from dpcore.controls.verify import CASE
from dpcore.questions.court.question import CourtQuestion, told
from dpcore.questions.question import records_of, task
from dpcore.questions.told import command, snippet
from dpcore.words import at_least, at_most, plain
from pages.shared import work
from pages.shared.display import draw_numbers, table_behind
from pages.shared.session import set_controls
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

PLACE = "court"
WIDTH = 320  # pixels that a card has at least
ABOUT = (
    "Published violations of privacy claims, each beside its mended twin. A case is tried when it "
    "is opened. What is wrong is re-enacted, but where the case says otherwise."
)
COLOURS = {"refuted": "red", "not refuted": "green"}


def draw() -> None:
    """Draw every case as a card, or the one that is chosen."""
    key = drawn(CASE)
    if key is not None:
        _alone(cases()[key])
        return
    st.caption(ABOUT)
    questions = {case.title: _question(case) for case in cases().values()}
    first, *_ = questions.values()
    every = work.WatchedJobs(
        PLACE,
        PLACE,
        questions,
        _submit,
        should_run=lambda: work.begun(first.key),
        begin="Try all",
        idle=lambda _: "Each case takes seconds.",
        one_by_one=True,
    )
    work.watch([every])
    grid = st.grid(2, min_column_width=WIDTH)
    for case in cases().values():
        with grid.cell(), st.container(border=True, key=f"case_{case.key}", gap="xsmall"):
            st.button(
                f"**{case.title}**",
                key=f"open case {case.key}",
                type="tertiary",
                icon=":material/chevron_right:",
                icon_position="right",
                on_click=set_controls,
                args=({CASE.key: case.key},),
            )
            _about(case)
            _standing(case, _row(_question(case)))


def _question(case: Case) -> CourtQuestion:
    return CourtQuestion(CourtStudy(case.key), mended=True)


def _submit(place: str, question: CourtQuestion) -> None:
    work.submit(place, task(question))


def _row(question: CourtQuestion) -> dict[str, Any] | None:
    """Its row, where it was tried here before."""
    if work.state(question.key) != "done":
        return None
    return records_of(work.result(question.key))[0]


def _about(case: Case) -> None:
    found = f"{case.library} {case.versions}".strip()
    st.markdown(f":small[{verbatim(found)}, [{verbatim(case.source)}]({case.link})]")
    st.markdown(case.wrong)


def _standing(case: Case, row: dict[str, Any] | None) -> None:
    claimed, sure = f"ε = {at_most(case.claim.bound)} is claimed", ""
    if row is None:
        words = f":gray-badge[not tried here yet] {claimed}."
    else:
        lost, twin = at_least(row["attacked"]), at_least(row["twin_attacked"])
        words = (
            f"{_badge(row['verdict'])} {claimed}, ε ≥ {lost} is lost.  \n"
            f"{_badge(row['twin_verdict'])} Mended: ε ≥ {twin}."
        )
        sure = f" What is lost is so at {plain(100.0 * row['confidence'])} %."
    st.markdown(words, help=verbatim(f"Claimed: {case.claim.statement}{sure}"))


def _badge(verdict: str) -> str:
    return f":{COLOURS.get(verdict, 'gray')}-badge[{verdict}]"


def _alone(case: Case) -> None:
    question = _question(case)
    job = work.WatchedJobs(PLACE, PLACE, {case.title: question}, _submit, at_once=True)
    st.button(
        "All cases",
        icon=":material/arrow_back:",
        on_click=set_controls,
        args=({CASE.key: None},),
    )
    row = _row(question)
    if row is not None:
        st.markdown(f"#### {verbatim(told(row))}")
    _about(case)
    if row is None:
        work.watch([job])
    else:
        sure = f"at {plain(100.0 * row['confidence'])} %"
        draw_numbers(
            [
                (
                    "Claimed ε",
                    at_most(row["claimed"]),
                    f"δ = {plain(row['delta'])}",
                    row["claimed_by"],
                ),
                ("Lost ε, at least", at_least(row["attacked"]), sure, case.wrong),
                ("Mended", at_least(row["twin_attacked"]), sure, case.twin),
            ],
            3,
        )
    st.markdown(f"**Attack:** {case.attack}  \n**Mended twin:** {case.twin}")
    took = "" if row is None else f" It took {plain(round(row['seconds'], 2))} s."
    st.caption(f"{case.origin[:1].upper()}{case.origin[1:]}.{took}")
    if row is not None:
        table_behind(
            question.table(work.result(question.key)),
            f"court_{case.key}",
            "The case as it was tried",
            lambda: (command(question), snippet(question)),
        )
