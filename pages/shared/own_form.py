"""The form for the columns of an uploaded table: suggestions to confirm, and rows to change.

It holds a draft. The description in the address changes only by its button, so that no suggestion
counts before a person has confirmed it.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets.own.description import described
from dpcore.datasets.own.form import KINDS, Form, Syntax, form
from dpcore.datasets.own.mend import Mend, Mendable
from dpcore.datasets.own.typed_numbers import written
from dpcore.errors import InvalidInput, cut
from pages.shared import own_texts as texts
from pages.shared.session import control_value, set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    from pages.shared.uploads import File

COLUMNS = "own_columns"
OPEN, SLIP = "own_form_open", "own_form_slip"
CONFIRMED, NEXT = "own_form_confirmed", "own_form_next"
CHANGES_SECONDS = 0.7
"""Streamlit's tables hand changes over after 0.15 s."""
MOST_NAMES = 8


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
            st.button(
                verbatim(mend.label),
                key=f"mend_{zlib.crc32(mend.columns.encode())}",
                icon=":material/build:",
                on_click=describe,
                args=(mend.columns,),
            )


def draw(columns: str, upload: File, syntaxes: Sequence[Syntax]) -> None:
    """Draw the form of a description and a file."""
    draft = form(columns, syntaxes)
    version = f"{upload.file_id}_{zlib.crc32(columns.encode())}"
    st.subheader("What may the columns hold?", anchor=False)
    st.markdown(_origin(draft))
    _editor(draft, f"own_rows_{version}")
    refused, unused = st.container(), st.empty()
    names = [row.name for row in draft.rows]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "What is predicted",
            names,
            names.index(draft.predicted) if draft.predicted else None,
            key=f"own_predicted_{version}",
            placeholder="Choose a column",
            width=260,
        )
        # The text is above the choice, and depends on it.
        on_screen = _on_screen(draft, version)
        unused.markdown(_unused(on_screen, _filled_in(draft, on_screen, version)))
        st.button(
            "Confirm and use these columns",
            key="own_use",
            type="primary",
            icon=":material/check:",
            on_click=store,
            args=(CONFIRMED, version),
        )
        if is_open():
            st.button("Change nothing", key="own_cancel", on_click=close)
    if stored(CONFIRMED) == version:
        _confirm(draft, version)
    slip: tuple[str, InvalidInput] | None = stored(SLIP)
    told = ""
    if slip is not None and slip[0] == version:
        tell(slip[1])
        told = str(slip[1])
    with refused:
        for sentence in on_screen.refusals():
            if sentence != told:
                refuse(sentence)


def _origin(draft: Form) -> str:
    """Where the rows come from, in Markdown."""
    if not draft.suggested:
        return texts.OWN_FORM
    used = [row.name for row in draft.rows if row.used]
    suggestion = f"Suggested by name: {_named(used)}. " if used else ""
    return suggestion + texts.OWN_SUGGESTED


def _named(columns: Sequence[str]) -> str:
    """The first of these columns in Markdown, and how many more there are."""
    names = f"**{', '.join(map(_shown, columns[:MOST_NAMES]))}**"
    more = len(columns) - MOST_NAMES
    return f"{names} and {more:,} more" if more > 0 else names


def _shown(name: str) -> str:
    """A column's name in Markdown, whatever it holds."""
    return verbatim(cut(name)) or texts.OWN_NO_NAME


def _unused(draft: Form, filled_in: Sequence[str]) -> str:
    """How values are written, and which columns are not used and why, in Markdown."""
    unused = draft.unused()
    filled_in_note = (
        [f"{texts.OWN_FILLED_IN.format(names=_named(filled_in))}\n"] if filled_in else []
    )
    lines = [
        f"- {words.format(names=_named(unused[lack]))}"
        for lack, words in texts.OWN_LACKS.items()
        if lack in unused
    ]
    heading = [f"{texts.OWN_UNUSED}\n"] if lines else []
    return "\n".join([f"{texts.OWN_VALUES}\n", *filled_in_note, *heading, *lines])


def _editor(draft: Form, key: str) -> None:
    import pandas as pd

    rows = [
        asdict(row)
        | {
            "kind": row.kind or None,
            "lowest": _shown_bound(row.lowest),
            "highest": _shown_bound(row.highest),
        }
        for row in draft.rows
    ]
    config = st.column_config
    # A column of numbers makes 2 of "0,2", unless the browser's language has a decimal comma.
    bound = partial(config.TextColumn, width=70, help=texts.OWN_RANGE, alignment="right")
    st.data_editor(
        pd.DataFrame(rows).astype({"lowest": "string", "highest": "string"}),
        key=key,
        hide_index=True,
        disabled=["name"],
        placeholder="–",
        column_config={
            "used": config.CheckboxColumn("Use", width=50),
            "name": config.TextColumn("Column", width=100),
            "kind": config.SelectboxColumn("Holds", options=KINDS, required=True, width=110),
            "lowest": bound("Lowest"),
            "highest": bound("Highest"),
            "unit": config.TextColumn("Unit", width=70),
            "values": config.TextColumn("Values, with commas", width=150, help=texts.OWN_LIST),
            "unknown": config.TextColumn("Unknown is", width=90, help=texts.OWN_UNKNOWN),
        },
        alt="A row for each column of your file: whether it is used, and what it may hold",
    )


def _shown_bound(bound: float | str | None) -> str | None:
    return written(bound) if isinstance(bound, int | float) else bound


def _edits(version: str) -> dict[int, dict[str, Any]]:
    """The changes on screen: by place, then by a row's field."""
    edits: dict[int, dict[str, Any]] = control_value(f"own_rows_{version}")["edited_rows"]
    return edits


def _on_screen(draft: Form, version: str) -> Form:
    """The draft with the changes on screen."""
    return draft.edited(_edits(version), control_value(f"own_predicted_{version}") or "")


def _filled_in(draft: Form, on_screen: Form, version: str) -> list[str]:
    """Columns that are used because they are filled in, where no tick appears in their box."""
    edits = _edits(version)
    return [
        before.name
        for place, (before, after) in enumerate(zip(draft.rows, on_screen.rows, strict=True))
        if after.used and not before.used and "used" not in edits.get(place, {})
    ]


def _confirm(draft: Form, version: str) -> None:
    """Make the draft, with the changes on screen, the description.

    The table in the browser hands a change over some time after it was made, so that a click right
    after it comes first. A change that comes meanwhile runs the page anew, and this waits again.
    """
    time.sleep(CHANGES_SECONDS)
    st.empty()  # a new run begins here
    store(CONFIRMED, None)
    try:
        columns = _on_screen(draft, version).description()
        described(columns)
    except InvalidInput as refusal:
        store(SLIP, (version, refusal))
    else:
        store(NEXT, columns)
        close()
        st.rerun()


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
