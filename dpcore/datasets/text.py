"""Tables from anyone, as text or Parquet: faults are named by line and field, never by value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import delimited, parquet, values
from dpcore.datasets.delimited import (
    HEADER_WITHIN,
    TO_BE_FOUND,
    Dialect,
    check_bytes,
    clean_name,
    find_dialect,
    find_encoding,
    header_of,
    no_records,
)
from dpcore.datasets.faults import (
    LARGEST_NUMBER,
    LARGEST_TABLE,
    MAX_FAULTS,
    MAX_ROWS,
    MEGABYTE,
    Faults,
    WrongHeader,
)
from dpcore.datasets.values import Beyond, Days
from dpcore.errors import InvalidInput, brief
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

LARGEST_UPLOAD = 32 * MEGABYTE
"""Bytes. The largest file of the catalogue has less than 25 MB."""
MAX_SAMPLE = 20_000
"""Rows that are looked at for how values are written; a later one is refused when all are read."""
MAX_NAMED = 5


def shown_mark(mark: str) -> str:
    """A mark for unknown values in words."""
    return mark or "an empty field"


@dataclass(frozen=True)
class Field:
    """One field of a row."""

    name: str
    words: tuple[str, ...] = ()  # all that is allowed; empty for a number
    missing_marks: tuple[str, ...] = ()  # "" is an empty field; among numbers 999.0 is 999
    decimal_mark: str = "."
    thousands_mark: str = ""
    beyond: Beyond = ""  # what <5 or ≥90 becomes: its limit, half, unknown; "" refuses it
    described: bool = False  # by a description, which may be changed
    days: Days | None = None
    person: bool = False  # says whose row it is: numbered from 0 by first rows

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.words:
            shown = self.words if len(self.words) <= 8 else (*self.words[:7], "…")
            text = "one of " + ", ".join(shown)
        elif self.person:
            text = "filled in: it says whose row it is"
        elif self.days is not None:
            text = f"a day such as {self.days.example}"
        else:
            whole = f"1{self.thousands_mark}234" if self.thousands_mark else "12"
            example = f"{whole}{self.decimal_mark}5"
            text = (
                f"a plain number such as {example}, at most {spaced(round(LARGEST_NUMBER))} in size"
            )
        if self.missing_marks:
            text += f", or {' or '.join(map(shown_mark, self.missing_marks))} for unknown"
        return text


@dataclass(frozen=True)
class Layout:
    """How one kind of file is written."""

    fields: tuple[Field, ...]  # without a header all, in the file's order
    separator: str = ","  # "" for any run of blanks
    header: bool = False
    comment: str = ""  # begins lines to skip
    label: str = ""  # the field that is empty in a blank record; "" where none may be blank


def read_checked(
    layout: Layout, data: bytes, filename: str, largest: int = LARGEST_UPLOAD
) -> pd.DataFrame:
    """The fields of a file by its layout, separator included; else as `read_described`."""
    return read_described(layout, data, filename, largest, Dialect(delimiter=layout.separator))[0]


def read_described(
    layout: Layout, data: bytes, filename: str, largest: int, dialect: Dialect = TO_BE_FOUND
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The fields of a file from anyone, text or Parquet, each row checked; and notes.

    Numbers, days and persons are float64, words a categorical, both NaN where unknown. A refusal
    names lines and fields, and what is allowed there, and no value.
    """
    import pandas as pd
    from pyarrow import compute

    faults = Faults(quoted(filename))
    left_out, blocks = _blocks(layout, data, faults, largest, dialect)
    parts_by_field: list[list[Any]] = [[] for _ in layout.fields]
    count = empty_count = 0
    for block in blocks:
        count += len(block.rows)
        if count > MAX_ROWS:
            raise InvalidInput(delimited.too_many_rows(faults.name))
        pairs = list(zip(layout.fields, block.columns, strict=True))
        empty = [compute.equal(column, "") for field, column in pairs if not field.person]
        if empty:
            empty_count += compute.sum(reduce(compute.and_, empty)).as_py() or 0
        label = [column for field, column in pairs if field.name == layout.label]
        blank = compute.equal(label[0], "") if label else None
        for (field, column), parts in zip(pairs, parts_by_field, strict=True):
            parts.append(_read(field, column, blank, block.rows, faults))
        if faults.enough:
            break
    faults.tell()
    if count == 0:
        raise no_records(faults.name)
    frame = pd.DataFrame(
        {
            field.name: _joined(field, parts)
            for field, parts in zip(layout.fields, parts_by_field, strict=True)
        },
        copy=False,
    )
    ignored = "1 column was" if left_out == 1 else f"{spaced(left_out)} columns were"
    hollow = "1 row is" if empty_count == 1 else f"{spaced(empty_count)} rows are"
    counted = "it counts as a blank record" if empty_count == 1 else "they count as blank records"
    notes = {
        f"{ignored} ignored (not described).": left_out,
        f"{hollow} empty in every described column: {counted}.": empty_count,
    }
    return frame, tuple(note for note, number in notes.items() if number)


def _blocks(
    layout: Layout, data: bytes, faults: Faults, largest: int, dialect: Dialect
) -> tuple[int, Iterator[delimited.Block]]:
    names = [field.name for field in layout.fields]
    if not layout.header:
        check_bytes(data, faults.name, largest)
        dialect = Dialect(find_encoding(data, faults.name, dialect.encoding), layout.separator)
        if layout.comment:
            data = re.sub(rb"(?m)^%s[^\r\n]*" % re.escape(layout.comment.encode()), b"", data)
        if not layout.separator:
            data = b"\n".join(b"\t".join(line.split()) for line in data.splitlines())
            dialect = Dialect(dialect.encoding, "\t")
        return 0, delimited.blocks(data, faults, dialect, 0, len(names), range(len(names)))
    header, dialect, after = _header(data, faults.name, largest, dialect, names)
    where = "" if not after else f", line {dialect.header_line}"
    _check_header(header, names, faults.name, where)
    places = [header.index(clean_name(name)) for name in names]
    left_out = len(header) - len(names)
    if not after:
        return left_out, parquet.blocks(data, faults, places, largest)
    return left_out, delimited.blocks(data, faults, dialect, after, len(header), places)


def _header(
    data: bytes, name: str, largest: int, dialect: Dialect, names: Sequence[str] = ()
) -> tuple[tuple[str, ...], Dialect, int]:
    """The names of the columns, how the text is written, and the header's last line."""
    if parquet.is_parquet(data):
        return parquet.names_of(data, name), dialect, 0
    check_bytes(data, name, largest)
    dialect = find_dialect(data, name, dialect, names)
    header, after = header_of(data, name, dialect)
    return header, dialect, after


def _check_header(header: Sequence[str], names: Sequence[str], name: str, where: str) -> None:
    """Refuse a header without each name once; what no description has is not repeated."""
    wanted = [clean_name(each) for each in names]
    absent = [each for each, cleaned in zip(names, wanted, strict=True) if cleaned not in header]
    if len(absent) == len(names):
        place = f"in the first {HEADER_WITHIN} lines of {name}" if where else f"in {name}"
        raise WrongHeader(
            f"No header was found {place}: nothing there names any of the described columns, "
            f"such as {brief(names[0])}."
        )
    if absent:
        raise WrongHeader(
            f"{name}{where}: the header does not name {_listed(absent)}, but it must name each "
            "described column once.",
            absent,
            set(header) - set(wanted),
        )
    pairs = zip(names, wanted, strict=True)
    several = [each for each, cleaned in pairs if header.count(cleaned) > 1]
    if several:
        raise WrongHeader(
            f"{name}{where}: the header names {_listed(several)} more than once, but it must name "
            "each described column once."
        )


def _listed(names: Sequence[str]) -> str:
    shown = [brief(name) for name in names[:MAX_NAMED]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {spaced(more)} more" if more else "")


def _read(field: Field, column: Any, blank: Any, numbers: NDArray[np.int64], faults: Faults) -> Any:
    """The values of a field in some rows, as numbers; those that are not allowed are noted."""
    import pyarrow as pa
    from pyarrow import compute

    is_empty = compute.equal(column, "")
    if field.person:
        parsed, wrong = column, is_empty.to_numpy(zero_copy_only=False)
    else:
        known = column
        if field.missing_marks:
            marks = pa.array(field.missing_marks, pa.string())
            known = compute.if_else(compute.is_in(column, marks), None, known)
        if blank is not None:
            known = compute.if_else(compute.and_(is_empty, blank), None, known)
        parsed, wrong = _parsed(field, known)
    for place in np.flatnonzero(wrong)[:MAX_FAULTS].tolist():
        value = column[place].as_py()
        faults.add(int(numbers[place]), _reason(field, value), field.name, value)
    return parsed


def _parsed(field: Field, known: Any) -> tuple[Any, Any]:
    if field.words:
        return values.positions(known, field.words, field.missing_marks)
    if field.days is not None:
        return values.days(known, field.days, field.missing_marks)
    written = field.decimal_mark, field.thousands_mark
    return values.numbers(known, *written, field.missing_marks, field.beyond)


def _reason(field: Field, value: str) -> str:
    is_of_numbers = not (field.words or field.days or field.person)
    decimal_comma = field.decimal_mark == ","
    if is_of_numbers and re.match(values.BEYOND, value):
        rule = (
            "is read as half of its limit, which takes limits of 0 or more that a value is below"
            if field.beyond == "half"
            else "must be a sign such as < and a number"
            if field.beyond
            else "may be read as its limit, as half of it or as unknown, but only if the "
            "description says as which"
        )
        return f"{field.name} is only said to lie beyond a limit, such as <5: that {rule}."
    if is_of_numbers and values.has_other_mark(value, decimal_comma):
        mark = "point between thousands" if "," not in value else "comma"
        mark = "decimal point" if decimal_comma else mark
        way = "without" if decimal_comma else "with"
        instead = f", or be described {way} a decimal comma" if field.described else ""
        return f"{field.name} has a {mark}, but it must be {field.allowed}{instead}."
    is_empty = "" if value or field.person else " is empty, but it"
    return f"{field.name}{is_empty} must be {field.allowed}."


def _joined(field: Field, parts: list[Any]) -> Any:
    import pandas as pd
    import pyarrow as pa

    if field.person:
        whole = pa.chunked_array(parts).combine_chunks()
        return whole.dictionary_encode().indices.to_numpy().astype(np.int64)
    joined = np.concatenate(parts)
    parts.clear()  # each column is there once
    if field.words:
        return pd.Categorical.from_codes(joined, categories=pd.Index(field.words))
    return joined


def sample(
    data: bytes, filename: str, most: int, largest: int, dialect: Dialect = TO_BE_FOUND
) -> tuple[tuple[str, ...], list[Any]]:
    """The names in a file from anyone, and the text of its first rows, column by column."""
    faults = Faults(quoted(filename))
    header, dialect, after = _header(data, faults.name, largest, dialect)
    places: Sequence[int] = range(len(header))
    if after:
        blocks = delimited.blocks(data, faults, dialect, after, len(header), places)
    else:
        places = parquet.readable(data, faults.name)
        blocks = parquet.blocks(data, faults, places, largest)
    columns: list[list[Any]] = [[] for _ in places]
    count = 0
    for block in blocks:
        for parts, column in zip(columns, block.columns, strict=True):
            parts.append(column)
        count += len(block.rows)
        if count >= most:
            break
    return tuple(header[place] for place in places), columns


def distinct_values(
    data: bytes, filename: str, dialect: Dialect = TO_BE_FOUND
) -> dict[str, set[str]]:
    """The texts in the first rows of a file from anyone, by column; raises as `sample`."""
    names, columns = sample(data, filename, MAX_SAMPLE, LARGEST_TABLE, dialect)
    distinct: dict[str, set[str]] = {}
    for name, parts in zip(names, columns, strict=True):
        distinct.setdefault(name, {value for part in parts for value in part.unique().to_pylist()})
    return distinct


def first_rows(
    data: bytes, filename: str, dialect: Dialect, count: int, largest: int = LARGEST_TABLE
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names in a file from anyone, and its first rows as they will be read, row by row."""
    names, columns = sample(data, filename, count, largest, dialect)
    texts = [[value for part in parts for value in part[:count].to_pylist()] for parts in columns]
    return names, list(zip(*(column[:count] for column in texts), strict=True))


def quoted(value: str) -> str:
    """Untrusted text, shortened and quoted so that it fits into a sentence."""
    value = value.strip()
    return repr(value if len(value) <= 40 else value[:39] + "…")
