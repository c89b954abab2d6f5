"""Show the account: what is spent, what is left of the budget, and what still fits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.account import (
    Account,
    ModelRoom,
    Room,
    Statement,
    fitted,
    model_rooms,
    rooms,
    state,
)
from dpcore.accounting.entries import AccountEntry, to_csv
from dpcore.controls.explore import COHORTS
from dpcore.controls.options import exactly
from dpcore.controls.plan import MODEL_DATA
from dpcore.datasets import availability, entry
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study
from dpcore.figures.quality import ACCURACY
from dpcore.progress import Progress
from dpcore.questions.account import figure, told, words
from dpcore.questions.account.usual import first_day, usual
from dpcore.questions.cost.question import LossQuestion
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.question import task
from dpcore.words import as_set, at_most, place_below, plain, spaced
from pages.plan import controls, entries
from pages.shared import page_links, work
from pages.shared.display import (
    download,
    draw_file,
    draw_numbers,
    on_dark,
    plot,
    show_command,
    show_python,
    table_behind,
)
from pages.shared.session import store, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to

if TYPE_CHECKING:
    import pandas as pd

EXPLORE = "What does it cost?"
Fit = tuple[AccountEntry, ...] | None
"""The entries with as much noise as fits the budget, where they break it."""
MOMENT = 1.0
"""Seconds that the page waits: nearly every account takes less."""
LOSS = "loss"
"""Where the job is kept that measures what models lose."""
ONE_MODEL = (
    "The largest ε that one more model may have beside all entries, one method for each kind of "
    "proof. All together spend less than their sum, so it may be more than what is left."
)


def show() -> Waiting:
    """Draw the budget, the answer, the entries, and what follows; returns unfinished tasks."""
    place = st.container(horizontal=True, vertical_alignment="bottom")
    answer_place = st.container()
    rows, refusal = entries.current(), None
    try:
        with place:
            typed = controls.typed_budget()
        limit, adjacency, people = typed.limit, typed.adjacency, typed.people
        rows = entries.follow(people)
        account = Account(limit, tuple(rows.values()), adjacency)
    except InvalidInput as error:
        refusal = error
    # Before the numbers that follow from it: who goes back at their sight is a step further.
    with answer_place:
        entries.write()
        if refusal is not None:
            refuse(refusal)
    if refusal is not None:
        _rows({}, rows, _people_of(rows))
        return []
    with answer_place:
        entries.too_many(people)
        body = st.container(key="account_answer" if rows else None)
    answer, waiting = answer_to(
        "account",
        "Adding up the account",
        (account, people),
        lambda progress: _added_up(account, people, progress),
        wait=MOMENT,
        quick=True,
    )
    shown = {}
    with body:
        if isinstance(answer, str):
            refuse(answer)
        elif answer is None:
            st.caption("The answer comes here.")
        else:
            statement, fitting, fit = answer
            shown = dict(zip(rows, statement.entries, strict=True))
            _answer(statement, fitting, fit)
            _chart(statement)
        controls.note_budget(limit, adjacency, people)
    _rows(shown, rows, people, account, answer[0] if isinstance(answer, tuple) else None)
    if isinstance(answer, tuple):
        waiting += _model(answer[0], people)
        _below(answer[0])
    return waiting


def _people_of(rows: entries.Rows) -> int:
    return next((entry.records for entry in rows.values() if entry.records), 1)


def _rows(
    shown: entries.Rows,
    rows: entries.Rows,
    people: int,
    account: Account | None = None,
    statement: Statement | None = None,
) -> None:
    with st.container(border=True, gap="small"):
        entries.example()
        entries.draw(shown, account, statement)
        entries.buttons(people)


def _added_up(
    account: Account, people: int, progress: Progress
) -> tuple[Statement, tuple[Room, ...], Fit] | str:
    first = first_day(date.today())
    try:
        statement = state(account, lambda share, message: progress(0.7 * share, message))
        usual_ones = [usual("training", first, people), usual("release", first)]
        more = rooms(
            statement, usual_ones, lambda share, message: progress(0.7 + 0.3 * share, message)
        )
    except InvalidInput as refusal:
        return str(refusal)
    fit = None
    if not statement.is_within:
        with suppress(InvalidInput):  # what is already spent is more
            fit = fitted(account, lambda _, message: progress(1.0, message))
    return statement, more, fit


def _answer(statement: Statement, fitting: tuple[Room, ...], fit: Fit) -> None:
    guarantee, limit = statement.guarantee, statement.account.budget
    answer = words.spent(statement)
    if fit is None:
        answer += f" {words.left(fitting, statement)}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"#### {verbatim(answer)}", width="stretch")
        if fit is not None:
            st.button(
                f"Fit to ε = {plain(limit.epsilon)}",
                icon=":material/check:",
                on_click=_fit,
                args=(statement.account.entries, fit),
            )
    done, said = stored("account fitted") or (None, "")
    if done == statement.account.entries:
        st.caption(verbatim(said))
    today = date.today()
    fits = any(room.count for room in fitting)
    more = "; one more may add less than it costs alone" if fits else ""
    basis = words.held_by(statement)
    draw_numbers(
        (
            (
                "ε of all entries",
                _most(guarantee.epsilon),
                f"proved · {basis}",
                "What all the entries spend together, whatever their order; an upper bound.",
            ),
            (
                "ε left",
                words.remainder(statement),
                f"of {plain(limit.epsilon)}{more}",
                f"The budget less what all the entries spend together. {basis}.",
            ),
            (
                "ε spent by today",
                at_most(statement.spent_by(today)),
                f"on {words.day(today)}",
                f"What the entries up to today have spent together. {basis}.",
            ),
        ),
        across=3,
    )


def _fit(before: tuple[AccountEntry, ...], fit: tuple[AccountEntry, ...]) -> None:
    entries.put(fit)
    store("account fitted", (fit, words.changed(before, fit)))


def _most(epsilon: float | None) -> str:
    return "none" if epsilon is None else at_most(epsilon)


def _chart(statement: Statement) -> None:
    if statement.guarantee.epsilon is not None and statement.entries:
        plot(figure.spending(statement, dark=on_dark()), "account_figure")
        table_behind(figure.calendar(statement), "calendar", "ε spent after each day")


def _model(statement: Statement, people: int) -> Waiting:
    place = st.expander(
        "One model more: which ε, and what does it lose?",
        icon=":material/explore:",
        on_change="rerun",
        key="model_room",
    )
    if not place.open:
        return []
    rooms_of_models, waiting = answer_to(
        "model room",
        "Looking for the ε of one model more",
        statement.account,
        lambda progress: model_rooms(statement, progress=progress),
        wait=MOMENT,
        quick=True,
    )
    with place:
        if rooms_of_models is None:
            st.caption("The answer comes here.")
        else:
            st.caption(ONE_MODEL)
            models = [each.entry for each in rooms_of_models if each.entry is not None]
            losses = _lost(models, statement.account, people) if models else {}
            for each in rooms_of_models:
                _room_of(each, statement.account, losses.get(each.method, ""))
    return waiting


def _room_of(room: ModelRoom, account: Account, lost: str) -> None:
    name = words.title(room.method)
    with st.container(horizontal=True, vertical_alignment="center"):
        if room.entry is None:
            st.markdown(f"**{verbatim(name)}** · {verbatim(room.reason)}", width="stretch")
            return
        st.markdown(
            f"**{verbatim(words.noise(room.entry))}**",
            width="stretch",
            help=words.basis(room.entry, account),
        )
        shown = exactly(room.entry.epsilon or 0.0)
        script, link = page_links.link_to(EXPLORE, epsilon=shown, methods=name, focus=name)
        st.page_link(
            script,
            label=f"{name} at ε = {shown} on Explore",
            icon=":material/arrow_forward:",
            query_params=link,
        )
        st.button(
            "Add it",
            key=f"add model {room.method}",
            icon=":material/playlist_add:",
            help=f"Add {name} at this ε to the account",
            on_click=entries.add_dated,
            args=(room.entry,),
        )
    if lost:
        st.markdown(verbatim(lost))


def _lost(models: Sequence[AccountEntry], account: Account, people: int) -> dict[str, str]:
    """Draw whose records are learned from; returns what each model loses there, by method.

    The synthetic cohort has about as many patients as the account counts `people`. The result is
    empty as long as no loss is known.
    """
    dataset = drawn(MODEL_DATA, width=320)
    about = entry(dataset)
    if availability(dataset) not in ("built in", "local"):
        st.caption(f"{about.title} is not on this machine yet. Explore downloads it.")
        return {}
    records = COHORTS[place_below(COHORTS, people)] if dataset == "cohort" else None
    try:
        question = LossQuestion(
            Study(dataset=dataset, records=records, adjacency=str(account.adjacency)),
            tuple(
                (str(one.method), float(one.epsilon or 0.0), one.delta or account.budget.delta)
                for one in models
            ),
        )
    except InvalidInput as refusal:
        refuse(refusal)
        return {}
    st.caption(
        f"Learned from {spaced(records or about.records)} {about.records_are} ({about.title}), "
        "and judged on others."
    )
    work.only(LOSS, [question.key])
    job = work.WatchedJobs(LOSS, LOSS, {question.doing: question}, _submit)
    if job.drawn != "done":
        work.watch([job])
        return {}
    rows = work.result(question.key)
    return {str(row["method"]): _loss(row) for _, row in rows.iterrows()}


def _submit(place: str, question: LossQuestion) -> None:
    work.submit(place, task(question))


def _loss(row: pd.Series) -> str:
    cost = Cost.of(row, float(row["accuracy_baseline"]), ACCURACY)
    return (
        f"Right for {ACCURACY.shown(cost.value)} at ε = {as_set(row['epsilon'])}; {cost.without}. "
        f"Of that {cost.parts}."
    )


def _below(statement: Statement) -> None:
    if statement.entries:
        with st.expander("Each entry by itself", icon=":material/table_rows:"):
            st.caption(
                "Each by itself, all its times together. All together spend less than the sum of "
                "these."
            )
            download(
                figure.by_entry(statement),
                "account_entries",
                "Cost of each entry alone",
                figure.HEADINGS,
            )
    with st.expander("Take along: files, command line, Python", icon=":material/file_save:"):
        with st.container(horizontal=True):
            draw_file("Account (CSV)", lambda: to_csv(statement.account.entries), told.FILE)
            draw_file(
                "Calendar (.ics)",
                lambda: told.calendar(statement),
                "privacy_calendar.ics",
                icon=":material/calendar_month:",
            )
        show_command(told.command(statement.account))
        show_python(told.snippet(statement.account))
