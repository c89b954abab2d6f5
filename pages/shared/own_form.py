"""Draw the form for the columns of an uploaded table: suggestions to confirm, rows to change.

It holds a draft. The description in the address changes only by its button, so that no suggestion
counts before a person has confirmed it. What is filled in stays in the draft while its fields are
not on screen: a page of rows is drawn at a time. A field begins with what the draft has, and is
never set again: that would take back what is being typed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets.delimited import Dialect
from dpcore.datasets.own.description import MAX_NAME_LETTERS, Mend, Mendable, entry_of
from dpcore.datasets.own.form import (
    ANSWER,
    DAYS,
    KINDS,
    LIST,
    NUMBERS,
    PERSON,
    UNDECIDED,
    Form,
    Row,
    Syntax,
    form,
)
from dpcore.datasets.own.notation import read, write
from dpcore.errors import InvalidInput, cut
from dpcore.words import spaced
from pages.shared.session import control_value, set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    from dpcore.datasets.own.form import Lack
    from dpcore.datasets.values import Beyond
    from pages.shared.uploads import File

OWN_SUGGESTED = (
    "Ranges and meanings come from the names alone. From the values only how they are written was "
    "recognised. What holds 0 and 1, or no and yes, may be an answer. Confirm what you know "
    "without these records. A range that is read off the data would break every proof."
)
OWN_FORM = (
    "Change what is wrong, then confirm. Ranges and lists must come from a codebook or common "
    "knowledge, **never from these records**."
)
OWN_PREDICTED = "This is what is predicted. Choose another one above."
OWN_LIST_HINT = "values, with commas"
OWN_BEYOND: dict[Beyond, str] = {
    "limit": "<5 is read as 5",
    "half": "<5 is read as 2.5",
    "unknown": "<5 is unknown",
}
OWN_UNUSED = "**Not used**, so the model will not learn from them:"
OWN_NO_NAME = "(no name)"
OWN_LACKS: dict[Lack, str] = {
    "kind": "{names}: values like 1.234 or 1,234 could mean 1.234 or 1234. Choose the kind of "
    "number.",
    "range": "{names}: the name does not say the range. Fill in the lowest and the highest value "
    "possible, for anyone.",
    "beyond": "{names}: choose how values like <5 are read.",
    "values": "{names}: the name does not say the list. Fill in all values possible, separated by "
    "commas; of two the second is the one looked for.",
    "days": "{names}: fill in the first and the last day possible, such as 2015-01-01.",
    "rows": "{names}: it says whose row it is. Fill in the most rows of one person.",
    "name": "{names}: no description can name it. In the file, name it once, in at most "
    f"{MAX_NAME_LETTERS} letters and signs.",
    "nothing": "{names}: not ticked, though nothing is missing.",
}
COLUMNS = "own_columns"
OPEN, SLIP, DRAFT, NEXT = "own_form_open", "own_form_slip", "own_form_draft", "own_form_next"
MAX_NAMES, MAX_REFUSALS = 8, 5
NO_ROWS = Form((), "", suggested=True)
MAX_SHOWN = 25
NAME, KIND, BOUND, UNIT, UNKNOWN = 190, 190, 95, 90, 120
GAPS = 2 * 8
"""Widths of fields, and of what parts three of them, in pixels."""
HEADINGS = {
    **{"Column": NAME, "Holds": KIND, "Lowest": BOUND, "Highest": BOUND},
    **{"Unit": UNIT, "Unknown is": UNKNOWN},
}
EVERY, USED, UNUSED = "All", "Used", "Not used"
MAX_LETTERS = 20_000


def is_open() -> bool:
    """Whether the columns of a described table are being changed."""
    return bool(stored(OPEN))


def open() -> None:
    store(OPEN, True)


def close() -> None:
    store(OPEN, False)


def tell(refusal: InvalidInput) -> None:
    """Show a refusal, with a button for each description that would hold instead."""
    refuse(refusal)
    if isinstance(refusal, Mendable):
        offer(refusal.mends)


def offer(mends: Iterable[Mend]) -> None:
    """Draw a button for each of these descriptions."""
    with st.container(horizontal=True):
        for mend in mends:
            is_taken = st.button(
                verbatim(mend.label),
                key=f"mend_{zlib.crc32(mend.columns.encode())}",
                icon=":material/build:",
                on_click=describe,
                args=(mend.columns,),
            )
            if is_taken:
                st.rerun()  # also what is drawn before it, and outside a fragment


def draw(columns: str, upload: File, syntaxes: Sequence[Syntax], dialect: Dialect) -> None:
    """Draw the form of a description and a file."""
    version = f"{upload.file_id}_{zlib.crc32(f'{columns}{dialect}'.encode())}"
    held, draft = stored(DRAFT) or ("", NO_ROWS)
    if held != version:
        # What is filled in outlives a slip in the text, of which no row can be read.
        if not held.startswith(upload.file_id) or _is_readable(columns):
            draft = form(columns, syntaxes)
        store(DRAFT, (version, replace(draft, rest=replace(draft.rest, dialect=dialect))))
    st.subheader("What may the columns hold?", anchor=False)
    _fragment(version)


def _is_readable(columns: str) -> bool:
    try:
        read(columns)
    except InvalidInput:
        return False
    return True


@st.fragment
def _fragment(version: str) -> None:
    draft: Form
    _, draft = stored(DRAFT)
    names = [row.name for row in draft.rows]
    above = st.container()
    with above:
        st.markdown(_origin(draft))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            predicted = st.selectbox(
                "What is predicted",
                names,
                names.index(draft.predicted) if draft.predicted in names else None,
                key=f"own_predicted_{version}",
                placeholder="Choose a column",
                width=260,
            )
            is_confirmed = st.button(
                "Confirm and use these columns",
                key="own_use",
                type="primary",
                icon=":material/check:",
            )
            if is_open() and st.button("Change nothing", key="own_cancel"):
                close()
                st.rerun()
    draft = _draw_rows(replace(draft, predicted=predicted or ""), version)
    store(DRAFT, (version, draft))
    if is_confirmed:
        _confirm(draft)
    with above:
        slip: tuple[Form, InvalidInput] | None = stored(SLIP)
        told = ""
        if slip is not None and slip[0] == draft:
            tell(slip[1])
            told = str(slip[1])
        for sentence in draft.refusals()[:MAX_REFUSALS]:
            if sentence != told:
                refuse(sentence)
        st.markdown(_unused(draft))


def numbers() -> dict[str, tuple[str, str]]:
    """The marks before decimals and between thousands, by the columns of numbers in the draft."""
    _, draft = stored(DRAFT) or ("", NO_ROWS)
    return {row.name: NUMBERS[row.kind] for row in draft.rows if row.is_number}


def set_numbers(kind: str) -> None:
    """Make all numbers of the draft this kind, in a callback."""
    version, draft = stored(DRAFT) or ("", NO_ROWS)
    rows = [
        replace(row, kind=kind) if row.is_number or row.kind == UNDECIDED else row
        for row in draft.rows
    ]
    store(DRAFT, (version, replace(draft, rows=tuple(rows))))
    set_controls(
        {key_of(version, place, "kind"): kind for place, row in enumerate(rows) if row.kind == kind}
    )


def _origin(draft: Form) -> str:
    if not draft.suggested:
        return OWN_FORM
    used = [row.name for row in draft.rows if row.used]
    suggestion = f"Suggested: {_named(used)}. " if used else ""
    return suggestion + OWN_SUGGESTED


def _named(columns: Sequence[str]) -> str:
    names = f"**{', '.join(map(_shown, columns[:MAX_NAMES]))}**"
    more = len(columns) - MAX_NAMES
    return f"{names} and {spaced(more)} more" if more > 0 else names


def _shown(name: str) -> str:
    return verbatim(cut(name)) or OWN_NO_NAME


def _unused(draft: Form) -> str:
    unused = draft.unused()
    lines = [
        f"- {words.format(names=_named(unused[lack]))}"
        for lack, words in OWN_LACKS.items()
        if lack in unused
    ]
    return "\n".join([*([f"{OWN_UNUSED}\n"] if lines else []), *lines])


def _confirm(draft: Form) -> None:
    try:
        description = draft.description()
        entry_of(description)
    except InvalidInput as refusal:
        store(SLIP, (draft, _of_form(refusal)))
    else:
        store(SLIP, None)
        store(NEXT, write(description))
        close()
        st.rerun()


def _of_form(refusal: InvalidInput) -> InvalidInput:
    words = str(refusal).removeprefix("The description: ")
    return Mendable(words, refusal.mends) if isinstance(refusal, Mendable) else InvalidInput(words)


def hand_in() -> None:
    """Set the description that was confirmed; call this before its control is drawn."""
    columns = stored(NEXT)
    if columns is not None:
        store(NEXT, None)
        set_controls({COLUMNS: columns})


def describe(columns: str) -> None:
    """Make this the description, in a callback or before its control is drawn."""
    set_controls({COLUMNS: columns})
    close()


def key_of(version: str, place: int, field: str) -> str:
    return f"own_{version}_{place}_{field}"


def _draw_rows(draft: Form, version: str) -> Form:
    """Draw some rows of the form; returns it as it is filled in now."""
    rows = list(draft.rows)
    places = _places_shown(draft, version)
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="own_headings"):
            for heading, width in HEADINGS.items():
                st.caption(heading, width=width)
        for place in places:
            row = rows[place]
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                rows[place] = _drawn_row(
                    row, version, place, is_predicted=row.name == draft.predicted
                )
    return replace(draft, rows=tuple(rows))


def _places_shown(draft: Form, version: str) -> list[int]:
    """The places of the rows on screen, where there are many of a choice."""
    places = list(range(len(draft.rows)))
    if len(places) <= MAX_SHOWN:
        return places
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = st.text_input(
            "Find a column", key=f"own_find_{version}", placeholder="Part of its name", width=220
        )
        among = st.segmented_control(
            "Columns", (EVERY, USED, UNUSED), key=f"own_among_{version}", default=EVERY
        )
        found = [
            place
            for place, row in enumerate(draft.rows)
            if (part or "").strip().casefold() in row.name.casefold()
            and (
                among not in (USED, UNUSED)
                or (among == USED) == (row.used or row.name == draft.predicted)
            )
        ]
        pages = max(1, -(-len(found) // MAX_SHOWN))
        page = 1
        if pages > 1:
            choice = zlib.crc32(f"{part} {among} {pages}".encode())
            page = st.pagination(pages, key=f"own_page_{version}_{choice}")
    st.caption(f"{spaced(len(found))} of {spaced(len(places))} columns")
    return found[(page - 1) * MAX_SHOWN : page * MAX_SHOWN]


def _drawn_row(row: Row, version: str, place: int, *, is_predicted: bool) -> Row:
    name = verbatim(row.name)

    def keyed(field: str, first: Any) -> dict[str, Any]:
        key = key_of(version, place, field)
        if control_value(key) is None and first is not None:
            set_controls({key: first})
        return {"key": key, "label_visibility": "collapsed"}

    def text(field: str, label: str, width: int, hint: str = "", **more: Any) -> str:
        typed = st.text_input(
            f"{label} of {name}",
            placeholder=hint or label.lower(),
            width=width,
            max_chars=MAX_LETTERS,
            **keyed(field, getattr(row, field)),
            **more,
        )
        return typed or ""

    if is_predicted:
        st.markdown(f":material/flag: **{name}**", width=NAME, help=OWN_PREDICTED)
    else:
        used = keyed("used", row.used) | {"label_visibility": "visible"}
        row = replace(row, used=st.checkbox(name, width=NAME, **used))
    kind = st.selectbox(
        f"What {name} holds",
        KINDS,
        None,
        placeholder="choose",
        required=True,
        width=KIND,
        **keyed("kind", row.kind or None),
    )
    row = replace(row, kind=kind or UNDECIDED)
    counts: dict[str, Any] = {"on_change": _count, "args": (version, place)}
    if row.kind == PERSON:
        return replace(row, highest=text("highest", "Most rows", BOUND, **counts))
    if row.kind in (ANSWER, LIST):
        width = 2 * BOUND + UNIT + GAPS
        row = replace(row, values=text("values", "Values", width, OWN_LIST_HINT, **counts))
    else:
        first, last = ("First day", "Last day") if row.kind in DAYS else ("Lowest", "Highest")
        row = replace(
            row,
            lowest=text("lowest", first, BOUND, **counts),
            highest=text("highest", last, BOUND, **counts),
        )
        if row.kind in DAYS:
            st.space(UNIT)
        else:
            row = replace(row, unit=text("unit", "Unit", UNIT))
    if not is_predicted:
        row = replace(row, unknown=text("unknown", "Unknown is", UNKNOWN))
    if row.is_number and (row.has_limits or row.beyond):
        titles = OWN_BEYOND
        chosen = st.selectbox(
            f"How values of {name} like <5 are read",
            list(titles),
            None,
            format_func=titles.__getitem__,
            placeholder="<5 is read as …",
            required=True,
            width=KIND,
            **keyed("beyond", row.beyond or None),
        )
        row = replace(row, beyond=chosen or "")
    return row


def _count(version: str, place: int) -> None:
    """Tick a row as soon as its range or list is filled in, and no longer when it is emptied."""
    typed = (
        control_value(key_of(version, place, field)) for field in ("lowest", "highest", "values")
    )
    set_controls({key_of(version, place, "used"): any(map(str.strip, filter(None, typed)))})
