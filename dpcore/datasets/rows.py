"""The rows of a text from anyone as columns of text, a block of a few megabytes at a time."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.dialect import BEGINNING, DELIMITERS, Dialect, records
from dpcore.datasets.faults import Faults
from dpcore.datasets.limits import MAX_ROWS, MEGABYTE
from dpcore.errors import InvalidInput
from dpcore.words import spaced

BLOCK = 4 * MEGABYTE
"""Bytes, and the most of one row."""


@dataclass(frozen=True)
class Block:
    """Some rows of a file, with the trimmed text of each wanted field, "" for a gap."""

    rows: NDArray[np.int64]  # their numbers in the file, from 0
    columns: Sequence[Any]


def blocks(
    data: bytes, faults: Faults, dialect: Dialect, after: int, expected: int, wanted: Sequence[int]
) -> Iterator[Block]:
    """The rows of a text; those that are wrong are left out and noted.

    An empty line, or one that holds blanks alone, is no row; one of delimiters alone is. Rows begin
    after line `after`, the header.
    """
    import pyarrow as pa
    from pyarrow import csv as parser

    left_out: list[int] = []
    faults.lines = lambda rows: lines_of(data, dialect, after, rows)

    def note(row: Any) -> str:
        left_out.append(row.number - after - 1)
        is_blank = row.actual_columns == 1 and not row.text.strip()
        if not is_blank:
            faults.add(left_out[-1], ragged(row.actual_columns, expected, dialect.delimiter))
        return "error" if faults.enough or len(left_out) > MAX_ROWS else "skip"

    names = [str(place) for place in range(expected)]
    row = 0
    try:
        with parser.open_csv(
            pa.BufferReader(_without_blanks_before_quotation(data, dialect.delimiter)),
            parser.ReadOptions(
                use_threads=False,
                block_size=BLOCK,
                skip_rows=after,
                column_names=names,
                encoding="utf8" if dialect.encoding == "utf-8" else dialect.encoding,
            ),
            parser.ParseOptions(
                delimiter=dialect.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=True,
                invalid_row_handler=note,
            ),
            parser.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=[names[place] for place in wanted],
                strings_can_be_null=False,
                check_utf8=False,
            ),
        ) as reader:
            for batch in reader:
                rows = np.arange(row, row + batch.num_rows + len(left_out))
                rows = np.setdiff1d(rows, left_out, assume_unique=True)[: batch.num_rows]
                row = int(rows[-1]) + 1 if len(rows) else row
                left_out[:] = [place for place in left_out if place >= row]
                yield Block(rows, [trimmed(column) for column in batch.columns])
                if faults.enough:
                    return
    except pa.ArrowInvalid:
        if len(left_out) > MAX_ROWS:
            raise InvalidInput(too_many_rows(faults.name)) from None
        is_empty = next(records(data, dialect, after), None) is None
        if not is_empty and not faults.enough:
            reason = f"it has no end within {BLOCK // MEGABYTE} MB: is a quotation mark not closed?"
            faults.add(row, reason)
        return
    _check_quotation(data, faults, dialect, after, row + len(left_out))


def _without_blanks_before_quotation(data: bytes, delimiter: str) -> Any:
    """The same bytes where they begin without such blanks, which the library takes for values."""
    import pyarrow as pa
    from pyarrow import compute

    pattern = rf'(\A|[\r\n{re.escape(delimiter)}]) +"'
    if not re.search(pattern.encode(), data[:BEGINNING]):
        return data
    text = pa.array([data], pa.binary())
    return compute.replace_substring_regex(text, pattern, r'\1"')[0].as_buffer()


def _check_quotation(data: bytes, faults: Faults, dialect: Dialect, after: int, count: int) -> None:
    """Note a row that runs into the next lines by a quotation mark that stands where none may."""
    ending = b"\n" if b"\n" in data else b"\r"
    lines = data.count(ending) + (not data.endswith(ending))
    if faults.found or b'"' not in data or lines - after == count:
        return  # each row has its line
    whole = 0
    try:
        for _ in records(data, dialect, after, strict=True):
            whole += 1
    except csv.Error:
        faults.add(whole, "its quotation marks must open and close around whole fields.")


def lines_of(data: bytes, dialect: Dialect, after: int, rows: Sequence[int]) -> list[int]:
    """The lines that some rows begin in, which are in order and numbered as `blocks` does."""
    wanted = set(rows)
    begins = {}
    for row, record in enumerate(islice(records(data, dialect, after), rows[-1] + 1)):
        if row in wanted:
            begins[row] = record.begin
    return [begins[row] for row in rows]


def too_many_rows(name: str) -> str:
    return f"{name} has more than {spaced(MAX_ROWS)} rows, the most that is taken."


def ragged(fields: int, expected: int, delimiter: str) -> str:
    hint = " A comma within a value needs quotation marks around that value."
    return (
        f"it has {fields} field{'s' if fields != 1 else ''}, but it must have {expected} separated "
        f"by {DELIMITERS.get(delimiter, repr(delimiter))}.{hint if delimiter == ',' else ''}"
    )


def trimmed(column: Any) -> Any:
    """A column of text without blanks around it."""
    from pyarrow import compute

    return compute.utf8_trim_whitespace(column)
