"""The rows of a file from anyone, a block at a time, as columns of text.

A block is a few megabytes: memory is bounded whatever the file, and every step is one call for a
whole column. Only lines whose quotation marks are unusual are read one by one.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.faults import Faults
from dpcore.datasets.limits import LONGEST_LINE, MEGABYTE
from dpcore.errors import InvalidInput

BLOCK = 4 * MEGABYTE
_WORKBOOK = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How a file begins: of Excel today, as any ZIP archive, and before 2007."""
_BLANKS = " \t\v\f\x1c\x1d\x1e\x1f"


@dataclass(frozen=True)
class Block:
    """Some rows of a file.

    Parameters
    ----------
    lines : ndarray of int64, shape (rows,)
        Which line of the file each stands in, from 1.
    columns : sequence of pyarrow.Array
        The text of each wanted field, without blanks around it; "" for a gap.
    """

    lines: NDArray[np.int64]
    columns: Sequence[Any]

    def trimmed(self) -> Block:
        """The same without blanks around any field."""
        return Block(self.lines, [trimmed(column) for column in self.columns])


def first_line(data: bytes, name: str, comment: str = "") -> tuple[int, str]:
    """Number and text of the first line that is neither blank nor a comment; 0 without one.

    Raises
    ------
    InvalidInput
        If the file is not text up to there, or the line is too long.
    """
    for before, text in _pieces(data, name):
        for line, content in enumerate(io.StringIO(text), start=before + 1):
            content = content.rstrip("\n")
            if not content.strip() or (comment and content.startswith(comment)):
                continue
            if len(content) > LONGEST_LINE:
                raise InvalidInput(f"{name}, line {line}: {too_long(len(content))}")
            return line, content
    return 0, ""


def fields_in(content: str, separator: str) -> list[str]:
    """The fields of one line."""
    if not separator:
        return content.split()
    # One line at a time: a stray quotation mark must not swallow the lines after it.
    return next(csv.reader([content], delimiter=separator, skipinitialspace=True), [])


def blocks(
    data: bytes,
    faults: Faults,
    separator: str,
    expected: int,
    wanted: Sequence[int],
    *,
    after: int = 0,
    comment: str = "",
) -> Iterator[Block]:
    """The rows of a text; lines that are wrong are left out and noted.

    Parameters
    ----------
    data : bytes
    faults : Faults
    separator : str
        One character, or "" for any run of blanks.
    expected : int
        Number of fields in each line.
    wanted : sequence of int
        Places of the fields to read.
    after : int
        The line of the header; what stands before it is skipped, too.
    comment : str
        As of a `Layout`.
    """
    import pyarrow as pa
    from pyarrow import compute

    for before, text in _pieces(data, faults.name):
        every = compute.split_pattern(pa.array([text], pa.string()), "\n").flatten()
        lines = np.arange(before + 1, before + 1 + len(every))
        length = compute.utf8_length(every)
        has_blanks = not text.isascii() or any(blank in text for blank in _BLANKS)
        bare = compute.utf8_length(trimmed(every)) if has_blanks else length
        keep = _numpy(compute.greater(bare, 0)) & (lines > after)
        if comment:
            keep &= ~_numpy(compute.starts_with(every, comment))
        long = keep & (_numpy(length) > LONGEST_LINE)
        for place in np.flatnonzero(long).tolist():
            faults.add(int(lines[place]), too_long(length[place].as_py()))
        keep &= ~long
        if keep.any():
            block = _parsed(every.filter(keep), lines[keep], faults, separator, expected, wanted)
            yield block.trimmed() if has_blanks else block
        if faults.enough:
            return


def too_long(letters: int) -> str:
    """Why a line is wrong that has so many letters."""
    return f"it has {letters:,} characters, but it must have at most {LONGEST_LINE:,}."


def ragged(fields: int, expected: int, separator: str) -> str:
    """Why a line is wrong that has another number of fields."""
    hint = " A comma within a value needs quotation marks around that value."
    return (
        f"it has {fields} field{'s' if fields != 1 else ''}, but it must have {expected} separated "
        f"by {SEPARATED_BY[separator]}.{hint if separator == ',' else ''}"
    )


SEPARATED_BY = {"": "blanks", ",": "commas", ";": "semicolons", "\t": "tabs"}


def _parsed(
    rows: Any,
    lines: NDArray[np.int64],
    faults: Faults,
    separator: str,
    expected: int,
    wanted: Sequence[int],
) -> Block:
    """The fields of lines that are neither blank nor too long."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as parser

    delimiter = separator or "\t"
    if separator:
        rows = _usual_quotation(rows, separator)
    else:
        rows = compute.replace_substring_regex(trimmed(rows), r"\s+", "\t")
    wrong: list[int] = []

    def note(row: Any) -> str:
        place = row.number - 1
        wrong.append(place)
        if not faults.enough:
            faults.add(int(lines[place]), ragged(row.actual_columns, expected, separator))
        return "skip"

    whole = compute.binary_join(pa.ListArray.from_arrays([0, len(rows)], rows), "\n")[0]
    names = [str(place) for place in range(expected)]
    table = parser.read_csv(
        pa.BufferReader(whole.as_buffer()),
        parser.ReadOptions(use_threads=False, column_names=names, block_size=2**30),
        parser.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if separator else False,
            ignore_empty_lines=False,
            invalid_row_handler=note,
        ),
        parser.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=[names[place] for place in wanted],
            strings_can_be_null=False,
            check_utf8=False,
        ),
    ).combine_chunks()
    columns = [
        column.chunk(0) if column.num_chunks else pa.array([], pa.string())
        for column in table.columns
    ]
    return Block(np.delete(lines, wrong), columns)


def _usual_quotation(rows: Any, separator: str) -> Any:
    """The same lines, in which a field is in quotation marks as a whole, or has none in it."""
    import pyarrow as pa
    from pyarrow import compute

    has_marks = compute.match_substring(rows, '"')
    if not compute.any(has_marks).as_py():
        return rows
    field = f'(?:[^"{separator}]*|"(?:[^"]|"")*")'
    usual = compute.match_substring_regex(rows, rf"\A{field}(?:{separator}{field})*\z")
    odd = compute.and_(has_marks, compute.invert(usual))
    if not compute.any(odd).as_py():
        return rows
    rewritten = []
    for content in rows.filter(odd).to_pylist():
        line = io.StringIO()
        csv.writer(line, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="").writerow(
            fields_in(content, separator)
        )
        rewritten.append(line.getvalue())
    return compute.replace_with_mask(rows, odd, pa.array(rewritten, pa.string()))


def _pieces(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    """Whole lines, a few megabytes at a time, and how many stand before them.

    Raises
    ------
    InvalidInput
        Where the bytes are no text.
    """
    ending = b"\n" if b"\n" in data else b"\r"
    start, before = 3 * data.startswith(b"\xef\xbb\xbf"), 0
    while start < len(data):
        end = data.find(ending, start + BLOCK) + 1 or len(data)
        piece = data[start:end]
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            text = piece.decode()
        except UnicodeDecodeError as error:
            line = before + piece.count(b"\n", 0, error.start) + 1
            raise InvalidInput(
                f"{name}, line {line}: it holds bytes that are not text, but the file must be "
                "plain UTF-8 text."
            ) from None
        yield before, text
        start, before = end, before + piece.count(b"\n")


def check_bytes(data: bytes, name: str, largest: int) -> None:
    """Refuse what can't be text.

    Raises
    ------
    InvalidInput
    """
    if not data:
        raise InvalidInput(f"{name} is empty, but it must hold at least one record.")
    if len(data) > largest:
        raise InvalidInput(
            f"{name} has {math.ceil(len(data) * 10 / MEGABYTE) / 10:,} MB, but it must have at "
            f"most {largest // MEGABYTE} MB."
        )
    if data.startswith(_WORKBOOK):
        raise InvalidInput(
            f"{name} is an Excel workbook or an archive, but it must be a text file: save the "
            "sheet as CSV, and take that."
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{name} is written in UTF-16, but it must be saved as UTF-8 text.")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise InvalidInput(
            f"{name}, line {line}: it holds a zero byte, but the file must be plain text."
        )


def trimmed(column: Any) -> Any:
    """A column of text without blanks around it."""
    from pyarrow import compute

    return compute.utf8_trim_whitespace(column)


def _numpy(column: Any) -> NDArray[Any]:
    return np.asarray(column.to_numpy(zero_copy_only=False))
