"""Draw the rows of the form of a table's columns: plain fields, a page of them at a time.

What is filled in stays in the draft while its fields are not on screen. A field begins with what
the draft has, and is never set again: that would take back what is being typed.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.datasets.own.form import ANSWER, KINDS, LIST, PERSON, UNDECIDED, Form, Row
from dpcore.datasets.own.syntax import DAYS
from dpcore.words import spaced
from pages.shared import own_texts as texts
from pages.shared.session import control_value, set_controls
from pages.shared.verbatim import verbatim

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


def key_of(version: str, place: int, field: str) -> str:
    """Key of a field on screen."""
    return f"own_{version}_{place}_{field}"


def draw(draft: Form, version: str) -> Form:
    """Draw some rows of the form; returns it as it is filled in now."""
    rows = list(draft.rows)
    places = _shown(draft, version)
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="own_headings"):
            for heading, width in HEADINGS.items():
                st.caption(heading, width=width)
        for place in places:
            row = rows[place]
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                rows[place] = _drawn(row, version, place, is_predicted=row.name == draft.predicted)
    return replace(draft, rows=tuple(rows))


def _shown(draft: Form, version: str) -> list[int]:
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


def _drawn(row: Row, version: str, place: int, *, is_predicted: bool) -> Row:
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
        st.markdown(f":material/flag: **{name}**", width=NAME, help=texts.OWN_PREDICTED)
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
        row = replace(row, values=text("values", "Values", width, texts.OWN_LIST_HINT, **counts))
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
        titles = texts.OWN_BEYOND
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
