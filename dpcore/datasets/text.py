"""Delimited text files, read in two ways that give the same columns.

`read_verified` is for bytes whose checksum is pinned: fast, without checks. `read_checked` is for
bytes from anyone: each row is checked, and what is wrong is named by line and field, never by the
value. Neither guesses a type; the `Layout` says what each field is.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import parquet, rows, values
from dpcore.datasets.faults import Faults
from dpcore.datasets.limits import (
    LARGEST_NUMBER,
    LARGEST_TABLE,
    MEGABYTE,
    MOST_FAULTS,
    MOST_FIELDS,
    MOST_ROWS,
)
from dpcore.datasets.values import Days
from dpcore.errors import InvalidInput, brief

if TYPE_CHECKING:
    import pandas as pd

LARGEST_UPLOAD = 32 * MEGABYTE
"""Bytes. The largest file of the catalogue has less than 25 MB."""
MAX_SAMPLE = 20_000
"""Rows that are looked at for how values are written; a later one is refused when all are read."""


def shown_mark(mark: str) -> str:
    """A mark for unknown values in words."""
    return mark or "an empty field"


@dataclass(frozen=True)
class Field:
    """One field of a row.

    Parameters
    ----------
    name : str
        Name in the header, or in the messages where there is no header.
    words : tuple of str
        The words allowed; empty for a number.
    codes : tuple of float
        The numbers allowed; empty for any finite number.
    missing_marks : tuple of str
        The marks for "unknown" that are also allowed, "" being an empty field.
    ignored : bool
        Whether the field is skipped, whatever it holds; with a header, or in `read_checked`, only.
    decimal_comma : bool
        Whether numbers are written like 1.234,5; a point that cannot part thousands is then
        refused (`read_checked` only).
    described : bool
        Whether a description says how its numbers are written, and may be changed.
    days : Days or None
        How a day becomes a number, where it holds days (`read_checked` only).
    person : bool
        Whether it says whose row it is, in any words: it becomes a number from 0 in the order of
        persons' first rows (`read_checked` only).
    """

    name: str
    words: tuple[str, ...] = ()
    codes: tuple[float, ...] = ()
    missing_marks: tuple[str, ...] = ()
    ignored: bool = False
    decimal_comma: bool = False
    described: bool = False
    days: Days | None = None
    person: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.words:
            shown = self.words if len(self.words) <= 8 else (*self.words[:7], "…")
            text = "one of " + ", ".join(shown)
        elif self.codes:
            text = "one of " + ", ".join(f"{code:g}" for code in self.codes)
        elif self.person:
            text = "filled in: it says whose row it is"
        elif self.days is not None:
            text = f"a day such as {self.days.example}"
        else:
            example = "12,5" if self.decimal_comma else "12.5"
            text = f"a plain number such as {example}, at most {LARGEST_NUMBER:,.0f} in size"
        if self.missing_marks:
            text += f", or {' or '.join(map(shown_mark, self.missing_marks))} for unknown"
        return text


@dataclass(frozen=True)
class Layout:
    """How one kind of file is written.

    Parameters
    ----------
    fields : tuple of Field
        In the order of the file.
    separator : str
        One character, or "" for any run of spaces or tabs.
    header : bool
        Whether the first line names the fields.
    comment : str
        Lines that begin with it are skipped; "" for none.
    label : str
        The field that is empty in a blank record, where any other may be empty too (`read_checked`
        only); "" where no record may be blank.
    """

    fields: tuple[Field, ...]
    separator: str = ","
    header: bool = False
    comment: str = ""
    label: str = ""


def read_verified(layout: Layout, data: bytes) -> pd.DataFrame:
    """The fields of a file whose checksum was verified.

    Returns
    -------
    pandas.DataFrame
        One column for each field: float64 for numbers and codes (NaN for unknown), strings (as a
        pandas categorical, NaN for unknown) for words.
    """
    import pandas as pd

    fields = [field for field in layout.fields if not field.ignored]
    names = [field.name for field in fields]
    skipped = 0
    if layout.comment:
        # Only leading lines that start with the marker are skipped: pandas' own `comment` option
        # would also cut off rows in which the character occurs later on.
        for line in data.splitlines():
            if not line.startswith(layout.comment.encode()):
                break
            skipped += 1
    # Where a header names the fields, it decides their order.
    frame = pd.read_csv(
        io.BytesIO(data),
        sep=layout.separator or r"\s+",
        names=None if layout.header else names,
        header=0 if layout.header else None,
        usecols=names,
        skiprows=skipped,
        skipinitialspace=True,
        quotechar='"',
        dtype={field.name: "category" if field.words else "float64" for field in fields},
        na_values={
            field.name: list(field.missing_marks) for field in fields if field.missing_marks
        },
        keep_default_na=False,
        engine="c",
    )
    return frame[names]


def read_checked(
    layout: Layout, data: bytes, filename: str, largest: int = LARGEST_UPLOAD
) -> pd.DataFrame:
    """The fields of a file from anyone, each row checked.

    Parameters
    ----------
    layout : Layout
        What the file should look like; where it has a header, it may be Parquet too.
    data : bytes
        The file.
    filename : str
        What to call it in a refusal.
    largest : int
        Bytes that the file may have, and what it decompresses to.

    Returns
    -------
    pandas.DataFrame
        As `read_verified`; days and persons as numbers.

    Raises
    ------
    InvalidInput
        Naming what is wrong; a `WrongTable` names lines and fields, and what is allowed there, and
        no value.
    """
    import pandas as pd

    faults = Faults(quoted(filename))
    fields = [field for field in layout.fields if not field.ignored]
    parts_by_field: list[list[Any]] = [[] for _ in fields]
    count = 0
    for block in _blocks(layout, data, faults, largest):
        count += len(block.lines)
        if count > MOST_ROWS:
            raise InvalidInput(
                f"{faults.name} has more than {MOST_ROWS:,} rows, the most that is taken."
            )
        blank = [
            column
            for field, column in zip(fields, block.columns, strict=True)
            if field.name == layout.label
        ]
        for field, column, parts in zip(fields, block.columns, parts_by_field, strict=True):
            gaps = _gaps(field, column, blank)
            parts.append(_read(field, column, gaps, block.lines, faults))
        if faults.enough:
            break
    faults.tell()
    if count == 0:
        raise _no_records(faults.name)
    return pd.DataFrame(
        {
            field.name: _joined(field, parts)
            for field, parts in zip(fields, parts_by_field, strict=True)
        },
        copy=False,
    )


def _blocks(layout: Layout, data: bytes, faults: Faults, largest: int) -> Iterator[rows.Block]:
    """The rows of the fields that are not ignored, once the header is found right."""
    expected = len(layout.fields)
    wanted = [place for place, field in enumerate(layout.fields) if not field.ignored]
    if layout.header and parquet.is_parquet(data):
        _check_header(layout, parquet.names_of(data, faults.name, largest), 1, faults.name)
        return parquet.blocks(data, faults, wanted, largest)
    rows.check_bytes(data, faults.name, largest)
    line, content = rows.first_line(data, faults.name, layout.comment)
    if not line:
        raise _no_records(faults.name)
    if layout.header:
        _check_header(layout, rows.fields_in(content, layout.separator), line, faults.name)
    return rows.blocks(
        data,
        faults,
        layout.separator,
        expected,
        wanted,
        after=line if layout.header else 0,
        comment=layout.comment,
    )


def _check_header(layout: Layout, titles: Sequence[str], line: int, name: str) -> None:
    # What the line names is not repeated: it may be a record.
    if len(titles) != len(layout.fields):
        reason = rows.ragged(len(titles), len(layout.fields), layout.separator)
        raise InvalidInput(f"{name}, line {line}: {reason}")
    for place, (title, field) in enumerate(zip(titles, layout.fields, strict=True), start=1):
        if title.strip() != field.name:
            raise InvalidInput(
                f"{name}, line {line}: it must name the columns, and column {place} "
                f"{brief(field.name)}."
            )


def _no_records(name: str) -> InvalidInput:
    return InvalidInput(f"{name} holds no records, but it must hold at least one.")


def _gaps(field: Field, column: Any, blank: list[Any]) -> Any:
    """Where a value may be missing and is; `blank` holds the outcome, if records may be blank."""
    import pyarrow as pa
    from pyarrow import compute

    is_empty = compute.equal(column, "")
    gaps = compute.and_(is_empty, compute.equal(blank[0], "")) if blank else None
    if field.person:
        return None
    if field.missing_marks:
        marked = compute.is_in(column, pa.array(field.missing_marks, pa.string()))
        gaps = marked if gaps is None else compute.or_(gaps, marked)
    return gaps


def _read(field: Field, column: Any, gaps: Any, lines: NDArray[np.int64], faults: Faults) -> Any:
    """The values of a field in some rows, as numbers; those that are not allowed are noted."""
    from pyarrow import compute

    known = column if gaps is None else compute.if_else(gaps, None, column)
    parsed: Any
    if field.person:
        parsed = column
        wrong = compute.equal(column, "").to_numpy(zero_copy_only=False)
    elif field.words:
        parsed, wrong = values.positions(known, sorted(set(field.words)))
    elif field.days is not None:
        parsed, wrong = values.days(known, field.days)
    else:
        parsed, wrong = values.numbers(known, field.decimal_comma, field.codes)
    for place in np.flatnonzero(wrong)[:MOST_FAULTS].tolist():
        value = column[place].as_py()
        faults.add(int(lines[place]), _reason(field, value), field.name, value)
    return parsed


def _reason(field: Field, value: str) -> str:
    """Why a value is wrong: what is allowed, and what to change where it is a matter of writing."""
    is_of_numbers = not (field.words or field.days or field.person)
    if is_of_numbers and values.has_other_mark(value, field.decimal_comma):
        mark = "point between thousands" if "," not in value else "comma"
        mark = "decimal point" if field.decimal_comma else mark
        way = "without" if field.decimal_comma else "with"
        instead = f", or be described {way} “; decimal comma”" if field.described else ""
        return f"{field.name} has a {mark}, but it must be {field.allowed}{instead}."
    is_empty = "" if value or field.person else " is empty, but it"
    return f"{field.name}{is_empty} must be {field.allowed}."


def _joined(field: Field, parts: list[Any]) -> Any:
    """One column of the frame, from those of the blocks."""
    import pandas as pd
    import pyarrow as pa

    if field.person:
        whole = pa.chunked_array(parts).combine_chunks()
        return whole.dictionary_encode().indices.to_numpy().astype(np.int64)
    joined = np.concatenate(parts)
    parts.clear()  # each column is there once
    if field.words:
        return pd.Categorical.from_codes(joined, categories=pd.Index(sorted(set(field.words))))
    return joined


def sample(
    data: bytes, filename: str, most: int, largest: int
) -> tuple[tuple[str, ...], list[Any]]:
    """The names in a file from anyone, and the text of its first rows, column by column.

    Parameters
    ----------
    data : bytes
    filename : str
    most : int
        Rows after which no further block is read; rows of another length are left out.
    largest : int
        As of `read_checked`.

    Returns
    -------
    names : tuple of str
    columns : list of lists of pyarrow.Array

    Raises
    ------
    InvalidInput
        If the file is empty or not text.
    """
    separator, names = header_of(data, filename, largest)
    fields = tuple(Field(name) for name in names)
    columns: list[list[Any]] = [[] for _ in names]
    count = 0
    faults = Faults(quoted(filename))
    for block in _blocks(Layout(fields, separator, header=True), data, faults, largest):
        for parts, column in zip(columns, block.columns, strict=True):
            parts.append(column)
        count += len(block.lines)
        if count >= most:
            break
    return names, columns


def distinct_values(data: bytes, filename: str) -> dict[str, set[str]]:
    """The texts in the first rows of a file from anyone, by column; raises as `sample`."""
    names, columns = sample(data, filename, MAX_SAMPLE, LARGEST_TABLE)
    return {
        name: {value for part in parts for value in part.unique().to_pylist()}
        for name, parts in zip(names, columns, strict=True)
    }


def header_of(
    data: bytes, filename: str, largest: int = LARGEST_UPLOAD
) -> tuple[str, tuple[str, ...]]:
    """The separator of a file from anyone, and the names in its first line.

    Parameters
    ----------
    data : bytes
        The file.
    filename : str
        What to call it in a refusal.
    largest : int
        As of `read_checked`.

    Returns
    -------
    separator : str
        A comma, a semicolon or a tab: whichever the first line has most of.
    names : tuple of str

    Raises
    ------
    InvalidInput
        If the file is empty or not text.
    """
    name = quoted(filename)
    if parquet.is_parquet(data):
        return ",", parquet.names_of(data, name, largest)
    rows.check_bytes(data, name, largest)
    line, content = rows.first_line(data, name)
    if not line:
        raise _no_records(name)
    separator = max((",", ";", "\t"), key=content.count)
    names = rows.fields_in(content, separator)
    if len(names) > MOST_FIELDS:
        raise InvalidInput(
            f"{name} has {len(names):,} columns, but it must have at most {MOST_FIELDS:,}."
        )
    return separator, tuple(title.strip() for title in names)


def quoted(value: str) -> str:
    """Untrusted text, shortened and quoted so that it fits into a sentence."""
    value = value.strip()
    return repr(value if len(value) <= 40 else value[:39] + "…")
