"""Draw step 2: what one person is in the table. It edits the one description of its columns."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets.own.description import restated
from dpcore.datasets.own.field import Person
from dpcore.datasets.own.notation import read
from dpcore.datasets.persons import MAX_ROWS_A_PERSON
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.release.table import facts
from pages.release import texts
from pages.release.records import ChosenTable
from pages.release.steps import ReleaseStep
from pages.shared import own_form, own_reading, own_table
from pages.shared.session import control_value, follow, stored
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm

ONE_ROW, WHOSE, MAX = "release_one_row", "release_person", "release_person_rows"
USUAL_ROWS = 3


def refusal(columns: str) -> InvalidInput | None:
    """Say why a table of this description cannot be read for a release, if so."""
    try:
        facts(columns)
    except InvalidInput as refused:
        return refused
    return None


def draw(form: ControlForm, records: ChosenTable | None, *, is_own: bool) -> ReleaseStep:
    columns = records.columns if records is not None else (stored(own_form.COLUMNS) or "").strip()
    is_described = not is_own or own_table.is_settled(columns)
    person = read(columns).person if is_described else None
    if is_own and is_described:
        _ask(columns, person)
    adjacency = Adjacency(form.draw("release_unit"))
    if not is_described:
        st.caption(texts.PROMISE)
        return ReleaseStep("not possible yet", texts.FIRST_COMES_FIRST)
    has_rows = person is not None and person.column
    st.caption(f"{texts.PROMISE_ROWS if has_rows else texts.PROMISE} {texts.NUMBER_IS_PUBLIC}")
    if person is None:
        return ReleaseStep("to do", texts.SAY_PERSON)
    if (refused := refusal(columns)) is not None:
        own_form.tell(refused)
        return ReleaseStep("to do", texts.SAY_PERSON)
    text = texts.ONE_PERSON_ROWS if person.column else texts.ONE_PERSON
    column = verbatim(person.column)
    return ReleaseStep(
        "done", text.format(most=person.most, column=column, difference=adjacency.difference)
    )


def _ask(columns: str, person: Person | None) -> None:
    follow(ONE_ROW, person == Person())
    if st.checkbox(texts.ONE_ROW, key=ONE_ROW, on_change=_say, args=(columns,)):
        return
    described = {field.name for field in read(columns).fields}
    names = [name for name in own_reading.names() if name not in described]
    if person is not None:
        follow(WHOSE, person.column)
        follow(MAX, person.most)
        names = list(dict.fromkeys([person.column, *names]))
    elif control_value(MAX) is None:
        follow(MAX, USUAL_ROWS)
    with st.container(horizontal=True):
        st.selectbox(
            texts.WHOSE,
            names,
            index=None,
            key=WHOSE,
            placeholder="Choose or type a column",
            help=texts.WHOSE_HELP,
            accept_new_options=True,
            on_change=_say,
            args=(columns,),
            width=300,
        )
        st.number_input(
            texts.MAX_ROWS,
            1,
            MAX_ROWS_A_PERSON,
            key=MAX,
            help=texts.MAX_ROWS_HELP,
            on_change=_say,
            args=(columns,),
            width=300,
        )


def _say(columns: str) -> None:
    whose = (control_value(WHOSE) or "").strip()
    person: Person | None = None
    if control_value(ONE_ROW):
        person = Person()
    elif whose:
        person = Person(whose, int(control_value(MAX) or USUAL_ROWS))
    # The description may have been edited since the fields were drawn.
    edited = (control_value(own_form.COLUMNS) or columns).strip()
    own_form.describe(restated(edited, person))
