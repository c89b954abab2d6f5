"""Draw uploaded tables: the file, how it is read, its columns' description, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.datasets.delimited import DELIMITERS, ENCODINGS, TO_BE_FOUND, Dialect
from dpcore.datasets.own import form
from dpcore.datasets.own.description import ENTRY, class_of, described
from dpcore.datasets.own.form import NUMBERS, Syntax
from dpcore.datasets.own.notation import MAX_LETTERS, read, write
from dpcore.datasets.parquet import is_parquet
from dpcore.datasets.schema import Entry
from dpcore.errors import InvalidInput
from pages.server import transfers
from pages.shared import own_form, uploads
from pages.shared.display import draw_file
from pages.shared.page_links import WHERE_HIDDEN
from pages.shared.session import control_value, follow, set_controls, store, stored
from pages.shared.verbatim import refuse

if TYPE_CHECKING:
    from pages.shared.uploads import File

UPLOAD_IS_DROPPED = (
    "When this page is loaded anew, or left for another one, the file has to be chosen again."
)
DECLARE_PUBLIC = "These records are public, or made up"
DECLARED_PUBLIC = (
    "Then looking at them is free: methods are compared by their results, and the page no longer "
    "warns. Leave it open for records of patients. A link never says it for you."
)
OWN_FIRST = (
    f"**Choose your file among the controls** {WHERE_HIDDEN}. It is a CSV or Parquet file that "
    "names its columns. A form then asks what each column may hold."
)
OWN_FILE_NEXT = (
    f"**The columns are described. Now choose your file among the controls** {WHERE_HIDDEN}."
)
OWN_PUBLIC = (
    "Ranges and lists come from a codebook or common knowledge, **never from these records**. A "
    "range that is read off the data would break every proof."
)
OWN_STAYS = (
    "The file stays on the machine that runs this page. The description of its columns goes into "
    "the link; the records never do."
)
OWN_COLUMNS = (
    "This is a Frictionless Table Schema in YAML or JSON; the form writes it. **A number** has a "
    "`minimum`, a `maximum`, and a `unit` if you like. **A date** has the first and the last day "
    "possible. **Any other column** has an `enum`, the list of its values. Of two outcomes the "
    "second is the one looked for. `predict` names what is predicted. `missingValues` says how "
    "unknown values are written; `''` is an empty field. `decimalChar`, `groupChar` and `format` "
    "say how numbers and days are. `beyondLimits` says whether <5 is its `limit`, `half` of it or "
    "`unknown`. `person: {field: patient_id, maximumRows: 3}` says whose row it is. Nothing is "
    "learned from that column. A column that is not described is left out. Ranges and lists must "
    "come from a codebook or common knowledge, **never from these records**. A range that is read "
    "off the data would break every proof. Values outside a range are brought into it and counted."
)
OWN_TOO_LONG = (
    "The description is too long for a link, so the address does not hold it. Save it as a file, "
    "and open that beside your table."
)
OWN_NO_TEXT = "The file is no text (UTF-8), but it must be a description in YAML or JSON."
READ_HOW = "How the file is read"
READ_AS_FOUND = "as found"
READ_NUMBERS = (
    "How all numbers are written. “As found” is by what each column allows; each one can also be "
    "changed below."
)
READ_ROWS = "The first rows as they will be read"
COLUMNS, FILE, LAST = own_form.COLUMNS, "upload_own", "own_entry"
OPENED, NOT_OPENED = "own descriptions opened", "own description not opened"
MAX_LETTERS_IN_LINK = 6_000
"""A link with so many letters, of any script, is still short enough for servers."""
EXAMPLE = """\
fields:
- {name: age, type: number, unit: years, constraints: {minimum: 18, maximum: 90}}
- {name: smoker, type: string, constraints: {enum: ['no', 'yes']}}
- {name: bmi, type: number, constraints: {minimum: 15, maximum: 50}, missingValues: ['', NA]}
- {name: progression, type: number, constraints: {minimum: 0, maximum: 350}}
predict: progression"""
CHOSEN, NUMBERS_LIKE = "own dialect", "numbers_like"
_FIELDS = ("encoding", "delimiter", "header_line")
MAX_ROWS = 6
WIDTH = 150
_ENCODINGS = {"": READ_AS_FOUND, **ENCODINGS}
_DELIMITERS = {"": READ_AS_FOUND, **DELIMITERS}


def entry_for(columns: str) -> Entry:
    """Return the entry of the description, or of the last valid one, so that the controls stay."""
    with suppress(InvalidInput):
        store(LAST, described(columns))
    last: Entry = stored(LAST) or ENTRY
    return last


def is_settled(columns: str) -> bool:
    """Whether the columns are described, and nobody is changing that in the form."""
    return _refusal(columns) is None and not own_form.is_open()


def _refusal(columns: str) -> InvalidInput | None:
    try:
        described(columns)
    except InvalidInput as refusal:
        return refusal
    return None


def controls(
    most: int = transfers.SMALL, *, asks_whether_public: bool = False
) -> tuple[File | None, str]:
    """Draw the controls of the file and the description, and return both."""
    upload = uploads.field(
        f"Your file (CSV or Parquet, at most {most} MB)", FILE, most, help=ENTRY.how_to_get
    )
    if upload is None and asks_whether_public:
        upload = uploads.handed_over()
    st.caption(UPLOAD_IS_DROPPED)
    _take_description(is_made_up=asks_whether_public)
    previous = stored(COLUMNS)
    if previous and control_value(COLUMNS) is None and COLUMNS not in st.query_params:
        # The reader comes back from a data set or page without this control.
        set_controls({COLUMNS: previous})
        if len(previous) <= MAX_LETTERS_IN_LINK:
            st.query_params[COLUMNS] = previous
    own_form.hand_in()
    columns = _description(most)
    if upload is None:
        own_form.close()
    elif _refusal(columns) is None:
        if asks_whether_public:
            upload = _declared(upload)
        _ask_about_class(columns)
        if not own_form.is_open():
            st.button(
                "Change the columns",
                icon=":material/edit_note:",
                on_click=own_form.open,
                width="stretch",
            )
    return upload, columns


def _description(most: int) -> str:
    held = control_value(COLUMNS)
    is_short = held is None or len(held) <= MAX_LETTERS_IN_LINK
    if not is_short:
        st.query_params.pop(COLUMNS, None)
    columns = st.text_area(
        "Its columns",
        key=COLUMNS,
        placeholder=EXAMPLE,
        height=160,
        max_chars=MAX_LETTERS,
        help=OWN_COLUMNS,
        bind="query-params" if is_short else None,
    )
    store(COLUMNS, columns)
    columns = (columns or "").strip()
    if not is_short:
        st.caption(OWN_TOO_LONG)
    count = stored(OPENED) or 0
    with st.container(horizontal=True):
        draw_file(
            "Save",
            lambda: columns,
            "columns.yaml",
            mime="application/yaml",
            help="The description as a file (YAML); no record is in it.",
            disabled=not columns,
            key="own_save",
        )
        with st.popover("Open", icon=":material/folder_open:"):
            key = f"own_description_{count}"
            st.file_uploader(
                "A description (YAML or JSON)",
                key=key,
                max_upload_size=transfers.allow(most),
                on_change=_open,
                args=(key, count),
            )
    if (refused := stored(NOT_OPENED)) is not None:
        refuse(refused)
    return columns


def _open(key: str, count: int) -> None:
    upload = control_value(key)
    if upload is None:
        return
    try:
        own_form.describe(upload.getvalue()[: 4 * MAX_LETTERS + 4].decode("utf-8-sig").strip())
    except UnicodeDecodeError:
        store(NOT_OPENED, OWN_NO_TEXT)
    else:
        store(NOT_OPENED, None)
    store(OPENED, count + 1)


def describe_next(columns: str, *, is_made_up: bool) -> None:
    """Have the controls begin with a description when they are drawn next, once.

    The controls of records that another page hands over take it if `is_made_up`, else the others.
    """
    store(f"{COLUMNS} {is_made_up}", columns)


def _take_description(is_made_up: bool) -> None:
    name = f"{COLUMNS} {is_made_up}"
    columns = stored(name)
    if columns is not None:
        store(name, None)
        set_controls({COLUMNS: columns})


def _declared(upload: File) -> File:
    """The file, with what the person declares of its records.

    In no address: a link is somebody else's word.
    """
    if upload.is_public:
        return upload
    is_public = st.checkbox(
        DECLARE_PUBLIC, key=f"own_public_{upload.file_id}", help=DECLARED_PUBLIC
    )
    return replace(upload, is_public=is_public)


def _ask_about_class(columns: str) -> None:
    mend = class_of(columns)
    if mend is not None:
        st.caption("A number from 0 to 1 is predicted. Is it yes or no?")
        own_form.offer([mend])


def how_to(columns: str, upload: File | None) -> None:
    """Show what to do next: choose a file, describe its columns, or mend that."""
    refusal = _refusal(columns) if columns else None
    if refusal is not None:
        own_form.tell(refusal)
    if upload is not None:
        _form(columns, upload)
        return
    st.markdown(OWN_FIRST if not columns or refusal else OWN_FILE_NEXT)
    st.markdown(OWN_PUBLIC)
    st.info(OWN_STAYS, icon=":material/upload_file:")
    _in_words()


def refused(columns: str, upload: File | None, refusal: InvalidInput) -> None:
    """Show why the table or a setting is refused, with the mends and the form."""
    own_form.tell(refusal)
    if upload is not None:
        _form(columns, upload)


def _form(columns: str, upload: File) -> None:
    dialect = dialect_of(columns, upload)
    _draw_reading(columns, upload, dialect)
    try:
        syntaxes = _syntaxes_of(upload, dialect)
    except InvalidInput as refusal:
        if columns:
            return  # reading the table is refused for the same reason
        refuse(refusal)
    else:
        own_form.draw(columns, upload, syntaxes, dialect)
    _in_words()


def _in_words() -> None:
    with st.expander("Or describe the columns as text", icon=":material/notes:"):
        st.code(EXAMPLE, language="yaml", wrap_lines=True)
        st.markdown(OWN_COLUMNS)


def dialect_of(columns: str, upload: File) -> Dialect:
    """How a file is written, as far as anyone has said so."""
    if columns:
        with suppress(InvalidInput):
            return read(columns).dialect
    file_id, chosen = stored(CHOSEN) or ("", TO_BE_FOUND)
    return chosen if file_id == upload.file_id else TO_BE_FOUND


def _syntaxes_of(file: File, dialect: Dialect) -> tuple[Syntax, ...]:
    """How the columns of a file are written, without any value of it."""
    looked_at, column_syntaxes = stored("syntaxes") or ("", ())
    if looked_at != (file.file_id, dialect):
        column_syntaxes = _looked(file, form.look, dialect)
        store("syntaxes", ((file.file_id, dialect), column_syntaxes))
    return column_syntaxes


def first_rows(
    file: File, dialect: Dialect, numbers: Mapping[str, tuple[str, str]], count: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names in a file and its first rows as they will be read, which nothing keeps."""
    names, rows = _looked(file, form.first_plain_rows, dialect, numbers, count)
    return names, rows


def _looked(file: File, look: Callable[..., Any], *more: object) -> Any:
    """What a look at a file gives, in a process that ends with it."""
    data = file.file_id, file.name, uploads.HEADERS, look, file, file.name
    looking = uploads.Upload(*data, *more)
    try:
        return looking.answer("", None)
    finally:
        looking.close()


def describable_columns() -> tuple[str, ...]:
    """The describable columns of the file that was looked at last, if any was."""
    _, column_syntaxes = stored("syntaxes") or ("", ())
    return tuple(each.name for each in column_syntaxes if each.has_plain_name)


def _draw_reading(columns: str, upload: File, dialect: Dialect) -> None:
    place = st.expander(
        READ_HOW, icon=":material/table_view:", on_change="rerun", key="own_reading"
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

    st.caption(READ_ROWS)
    # Under their places: a name may stand twice in the header.
    table = pd.DataFrame(rows, columns=[str(place) for place in range(len(names))])
    titles = {str(place): name or own_form.OWN_NO_NAME for place, name in enumerate(names)}
    st.dataframe(table, hide_index=True, column_config=titles, alt=READ_ROWS)


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
            placeholder=READ_AS_FOUND,
            **common("header_line", dialect.header_line or None),
        )
        key = _key(upload, NUMBERS_LIKE)
        st.selectbox(
            "Numbers like",
            list(NUMBERS),
            None,
            format_func=lambda kind: kind.removeprefix("number like ").replace("number", "1234.5"),
            placeholder=READ_AS_FOUND,
            key=key,
            help=READ_NUMBERS,
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
