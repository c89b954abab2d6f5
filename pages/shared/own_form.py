"""Draw the form for the columns of an uploaded table: suggestions to confirm, rows to change.

It holds a draft. The description in the address changes only by its button, so that no suggestion
counts before a person has confirmed it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.dialect import Dialect
from dpcore.datasets.own.description import entry_of
from dpcore.datasets.own.form import UNDECIDED, Form, form
from dpcore.datasets.own.mending import Mend, Mendable
from dpcore.datasets.own.notation import read, write
from dpcore.datasets.own.syntax import NUMBERS, Syntax
from dpcore.errors import InvalidInput, cut
from dpcore.words import spaced
from pages.shared import own_rows
from pages.shared import own_texts as texts
from pages.shared.session import set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    from pages.shared.uploads import File

COLUMNS = "own_columns"
OPEN, SLIP, DRAFT, NEXT = "own_form_open", "own_form_slip", "own_form_draft", "own_form_next"
MAX_NAMES, MAX_REFUSALS = 8, 5
NO_ROWS = Form((), "", suggested=True)


def is_open() -> bool:
    """Whether the columns of a described table are being changed."""
    return bool(stored(OPEN))


def open() -> None:
    """Show the form in place of the curves."""
    store(OPEN, True)


def close() -> None:
    """Show the curves again."""
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
    draft = own_rows.draw(replace(draft, predicted=predicted or ""), version)
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
        {
            own_rows.key_of(version, place, "kind"): kind
            for place, row in enumerate(rows)
            if row.kind == kind
        }
    )


def _origin(draft: Form) -> str:
    if not draft.suggested:
        return texts.OWN_FORM
    used = [row.name for row in draft.rows if row.used]
    suggestion = f"Suggested: {_named(used)}. " if used else ""
    return suggestion + texts.OWN_SUGGESTED


def _named(columns: Sequence[str]) -> str:
    names = f"**{', '.join(map(_shown, columns[:MAX_NAMES]))}**"
    more = len(columns) - MAX_NAMES
    return f"{names} and {spaced(more)} more" if more > 0 else names


def _shown(name: str) -> str:
    return verbatim(cut(name)) or texts.OWN_NO_NAME


def _unused(draft: Form) -> str:
    unused = draft.unused()
    lines = [
        f"- {words.format(names=_named(unused[lack]))}"
        for lack, words in texts.OWN_LACKS.items()
        if lack in unused
    ]
    return "\n".join([*([f"{texts.OWN_UNUSED}\n"] if lines else []), *lines])


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
