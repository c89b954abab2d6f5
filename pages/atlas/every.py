"""Put every method on trial: a table of the best attack on each, and buttons that try again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from dpcore.audit.bounds import Verdict
from dpcore.controls.verify import ATTACK, EDITION, METHOD, USUAL, VIEW, titles
from dpcore.questions.question import task
from dpcore.questions.verify import every
from dpcore.questions.verify.every import Try
from dpcore.questions.verify.question import VerifyQuestion
from dpcore.words import lowered, raised
from dpcore.work.jobs import Job
from pages.shared import work
from pages.shared.display import Rounding, download_csv, show_command, to_the_safe_side
from pages.shared.session import set_controls, store, stored

PLACE = "every"
ASKED = "every asked"
"""The trials that the session has asked for, by name."""
SHOWN = {
    "method": st.column_config.TextColumn("Method", pinned=True, width=150),
    "verdict": st.column_config.TextColumn("Verdict"),
    "claimed": st.column_config.NumberColumn("Claimed ε", format="%.3g"),
    "proved": st.column_config.NumberColumn("Proved ε", format="%.3g"),
    "attacked": st.column_config.NumberColumn("Attacked ε", format="%.3g"),
    "ratio": st.column_config.ProgressColumn("Of the promise", format="%.2f", max_value=1.0),
    "confidence": st.column_config.NumberColumn("Confidence", format="%.2f"),
    "delta": st.column_config.NumberColumn("δ", format="%g"),
    "adjacency": st.column_config.TextColumn("Adjacency"),
    "proved_by": st.column_config.TextColumn("Proved by"),
    "bound_by": st.column_config.TextColumn("Bound by"),
    "tries": st.column_config.NumberColumn("Tries"),
    "outputs": st.column_config.NumberColumn("Outputs"),
    "seconds": st.column_config.NumberColumn("Seconds", format="%.1f"),
    "tried_at": st.column_config.TextColumn("Tried"),
    "attack": st.column_config.TextColumn("Best attack", width="large"),
}

SAFE: dict[str, Rounding] = {
    "claimed": (raised, 3),
    "proved": (raised, 3),
    "attacked": (lowered, 3),
    "ratio": (lowered, 2),
    "confidence": (lowered, 2),
}


def draw() -> None:
    """Draw what was tried here, and what is being tried."""
    first = every.first_tries()
    tries = {question: list(_ended(question)) for question in first}
    table = every.table(tries, titles())
    tried = sum(bool(ended) for ended in tries.values())
    refuted = int((table["verdict"] == str(Verdict.REFUTED)).sum())
    st.markdown(
        f"#### {tried} of {len(first)} promises were tried here; refuted: {refuted}."
        if tried
        else "#### Nothing was tried here yet."
    )
    above = st.container()
    chosen = st.dataframe(
        to_the_safe_side(table, SAFE),
        hide_index=True,
        column_config=SHOWN,
        column_order=list(SHOWN),
        height="content",
        on_select="rerun",
        selection_mode="single-row",
        placeholder="–",
        alt="Each promise, with what is claimed, proved and shown to be lost",
        key="every promise",
    )["selection"]["rows"]
    untried = [question for question, ended in tries.items() if not ended]
    with above.container(horizontal=True):
        if untried:
            _ask_button(f"Try what was not tried ({len(untried)})", untried)
        if chosen:
            question = first[chosen[0]]
            again = next(
                each for each in every.further_tries(question) if Job(each.key).done_at is None
            )
            _ask_button(f"Try {every.titled(question, titles())} again", [again])
            number = table["attack_number"].iloc[chosen[0]]
            watched = {
                VIEW.key: "one",
                METHOD.key: question.study.method,
                EDITION.key: question.study.edition,
                ATTACK.key: USUAL if pd.isna(number) else f"{number:.0f}",
            }
            st.button(
                "Watch it",
                icon=":material/visibility:",
                on_click=set_controls,
                args=(watched,),
            )
    if asked := stored(ASKED):
        with above:
            work.watch(
                [work.WatchedJobs(PLACE, PLACE, asked, _submit, one_by_one=True, at_once=True)]
            )
    st.caption(
        "Of each the best attack. Each trial has 99 %; the confidence is that no trial of this "
        "method shows too much."
    )
    download_csv(table, "every_promise")
    show_command(
        "python -m dpcore verify --all --json",
        "python -m dpcore verify --all --edition published --json",
    )


def _ask_button(label: str, questions: Sequence[VerifyQuestion]) -> None:
    named = {every.titled(each, titles()): each for each in questions}
    st.button(
        label,
        icon=":material/play_arrow:",
        on_click=store,
        args=(ASKED, named),
        help="Outputs are drawn in the background, from a few seconds to a minute a method.",
    )


def _submit(place: str, question: VerifyQuestion) -> None:
    work.submit(place, task(question), is_sweep=True)


def _ended(question: VerifyQuestion) -> Iterator[Try]:
    for each in every.further_tries(question):
        ended = Job(each.key).done_at
        if ended is None:
            return
        yield Try(work.result(each.key), ended)
