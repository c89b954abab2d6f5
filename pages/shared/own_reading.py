"""Show a file's first rows as they will be read, and take what is said of it by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets.dialect import DELIMITERS, ENCODINGS, TO_BE_FOUND, Dialect
from dpcore.datasets.own import syntax
from dpcore.datasets.own.notation import read, write
from dpcore.datasets.own.syntax import NUMBERS, Syntax
from dpcore.datasets.parquet import is_parquet
from dpcore.errors import InvalidInput
from pages.shared import own_form, uploads
from pages.shared import own_texts as texts
from pages.shared.session import control_value, follow, set_controls, store, stored
from pages.shared.verbatim import refuse

if TYPE_CHECKING:
    from pages.shared.uploads import File

CHOSEN, NUMBERS_LIKE = "own dialect", "numbers_like"
_FIELDS = ("encoding", "delimiter", "header_line")
MAX_ROWS = 6
WIDTH = 150
_ENCODINGS = {"": texts.READ_AS_FOUND, **ENCODINGS}
_DELIMITERS = {"": texts.READ_AS_FOUND, **DELIMITERS}


def dialect_of(columns: str, upload: File) -> Dialect:
    """How a file is written, as far as anyone has said so."""
    if columns:
        with suppress(InvalidInput):
            return read(columns).dialect
    file_id, chosen = stored(CHOSEN) or ("", TO_BE_FOUND)
    return chosen if file_id == upload.file_id else TO_BE_FOUND


def syntaxes(file: File, dialect: Dialect) -> tuple[Syntax, ...]:
    """How the columns of a file are written, without any value of it."""
    looked_at, column_syntaxes = stored("syntaxes") or ("", ())
    if looked_at != (file.file_id, dialect):
        column_syntaxes = _looked(file, syntax.look, dialect)
        store("syntaxes", ((file.file_id, dialect), column_syntaxes))
    return column_syntaxes


def first_rows(
    file: File, dialect: Dialect, numbers: Mapping[str, tuple[str, str]], count: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names in a file and its first rows as they will be read, which nothing keeps."""
    names, rows = _looked(file, syntax.first_rows, dialect, numbers, count)
    return names, rows


def _looked(file: File, look: Callable[..., Any], *more: object) -> Any:
    """What a look at a file gives, in a process that ends with it."""
    data = file.file_id, file.name, uploads.HEADERS, look, file, file.name
    looking = uploads.Upload(*data, *more)
    try:
        return looking.answer("", None)
    finally:
        looking.close()


def names() -> tuple[str, ...]:
    """The describable columns of the file that was looked at last, if any was."""
    _, column_syntaxes = stored("syntaxes") or ("", ())
    return tuple(each.name for each in column_syntaxes if each.has_plain_name)


def draw(columns: str, upload: File, dialect: Dialect) -> None:
    """Draw the panel, once it is opened."""
    place = st.expander(
        texts.READ_HOW, icon=":material/table_view:", on_change="rerun", key="own_reading"
    )
    if not place.open:
        return
    with place:
        if not is_parquet(upload.getvalue()):
            _choices(columns, upload, dialect)
        try:
            names, rows = first_rows(upload, dialect, own_form.numbers(), MAX_ROWS)
        except InvalidInput as refusal:
            refuse(refusal)
            return
        _table(names, rows)


def _table(names: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    import pandas as pd

    st.caption(texts.READ_ROWS)
    # Under their places: a name may stand twice in the header.
    table = pd.DataFrame(rows, columns=[str(place) for place in range(len(names))])
    titles = {str(place): name or texts.OWN_NO_NAME for place, name in enumerate(names)}
    st.dataframe(table, hide_index=True, column_config=titles, alt=texts.READ_ROWS)


def _choices(columns: str, upload: File, dialect: Dialect) -> None:
    def common(field: str, value: object) -> dict[str, Any]:
        key = _key(upload, field)
        follow(key, value)
        return {"key": key, "on_change": _take, "args": (columns, upload), "width": WIDTH}

    with st.container(horizontal=True):
        for label, field, titles in (
            ("Encoding", "encoding", _ENCODINGS),
            ("Fields parted by", "delimiter", _DELIMITERS),
        ):
            st.selectbox(
                label,
                list(titles),
                format_func=titles.__getitem__,
                **common(field, getattr(dialect, field)),
            )
        st.number_input(
            "Line with the names",
            1,
            1_000,
            None,
            step=1,
            placeholder=texts.READ_AS_FOUND,
            **common("header_line", dialect.header_line or None),
        )
        key = _key(upload, NUMBERS_LIKE)
        st.selectbox(
            "Numbers like",
            list(NUMBERS),
            None,
            format_func=lambda kind: kind.removeprefix("number like ").replace("number", "1234.5"),
            placeholder=texts.READ_AS_FOUND,
            key=key,
            help=texts.READ_NUMBERS,
            on_change=_take_numbers,
            args=(key,),
            width=WIDTH,
        )


def _take(columns: str, upload: File) -> None:
    encoding, delimiter, line = (control_value(_key(upload, field)) for field in _FIELDS)
    chosen = Dialect(encoding or "", delimiter or "", line or 0)
    store(CHOSEN, (upload.file_id, chosen))
    if columns:
        with suppress(InvalidInput):
            set_controls({own_form.COLUMNS: write(replace(read(columns), dialect=chosen))})


def _key(upload: File, field: str) -> str:
    return f"own_{field}_{upload.file_id}"


def _take_numbers(key: str) -> None:
    if kind := control_value(key):
        own_form.set_numbers(kind)
