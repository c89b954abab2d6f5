"""A delimited text file from anyone: how it is written, and its rows as columns of text."""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.faults import MAX_FIELDS, MAX_ROWS, MEGABYTE, Faults
from dpcore.datasets.values import is_number
from dpcore.errors import InvalidInput, reject
from dpcore.words import as_set, spaced

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "mac_roman": "Mac Roman",
    "cp850": "DOS 850",
}
DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "vertical bars", ",": "commas"}
"""The one that others are likelier to stand within the values of comes last."""
LOOKED_AT, HEADER_WITHIN = 50, 30
"""Records by which the delimiter is found, and those among which the header is."""
BEGINNING = MEGABYTE
"""Bytes that these must stand in."""
_WORKBOOK = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How a file begins: of Excel today, as any ZIP archive, and before 2007."""
# A note of any length is part of a record: the limit of a file's bytes holds here.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class Dialect:
    """How a file is written; what is left empty is found in the file."""

    encoding: str = ""  # as Python calls it
    delimiter: str = ""
    header_line: int = 0  # from 1


TO_BE_FOUND = Dialect()


class FileRecord(NamedTuple):
    """The fields of one record, and the lines of the file that it begins and ends in, from 1."""

    begin: int
    end: int
    fields: list[str]


def records(
    data: bytes, dialect: Dialect, after: int = 0, *, strict: bool = False
) -> Iterator[FileRecord]:
    """The records of a text after some lines, as Python reads them; empty lines are none.

    They begin and end where those of `blocks` do. With `strict` a quotation
    mark where none may stand is a `csv.Error`.
    """
    encoding = "utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding
    text = io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace", newline="")
    reader = csv.reader(
        islice(text, after, None), delimiter=dialect.delimiter, skipinitialspace=True, strict=strict
    )
    end = after
    for fields in reader:
        begin, end = end + 1, after + reader.line_num
        if fields:
            yield FileRecord(begin, end, fields)


def check_bytes(data: bytes, name: str, largest: int) -> None:
    """Refuse what can't be text."""
    if not data:
        raise InvalidInput(f"{name} is empty, but it must hold at least one record.")
    if len(data) > largest:
        raise InvalidInput(
            f"{name} has {as_set(math.ceil(len(data) * 10 / MEGABYTE) / 10)} MB, but it must "
            f"have at most {largest // MEGABYTE} MB."
        )
    if data.startswith(_WORKBOOK):
        raise InvalidInput(
            f"{name} is an Excel workbook or an archive, but it must be a text file: save the "
            "sheet as CSV, and take that."
        )


def find_encoding(data: bytes, name: str, given: str = "") -> str:
    """The encoding of a text: that given, else UTF-16 by its mark, UTF-8 or Windows-1252."""
    if given not in ("", *ENCODINGS):
        raise reject("encoding", given, f"one of {', '.join(ENCODINGS)}")
    encoding = given or "utf-8"
    if not given and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    place = _first_that_is_no_text(data, encoding)
    if place is not None and not given and encoding == "utf-8":
        encoding, place = "cp1252", _first_that_is_no_text(data, "cp1252")
    if place is None:
        return encoding
    line = data.count(b"\n", 0, place) + 1
    if data[place : place + 1] == b"\0":
        raise InvalidInput(
            f"{name}, line {line}: it holds a zero byte, but the file must be plain text."
        )
    shown = ENCODINGS[encoding] if given or encoding != "cp1252" else "UTF-8 or Windows-1252"
    raise InvalidInput(
        f"{name}, line {line}: it holds bytes that are not text, but the file must be text in "
        f"{shown}."
    )


def _first_that_is_no_text(data: bytes, encoding: str) -> int | None:
    """Place of the first byte that is a zero, or means nothing in the encoding."""
    if encoding != "utf-16" and b"\0" in data:
        return data.index(b"\0")
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), MEGABYTE):
        part = data[start : start + MEGABYTE]
        try:
            decoder.decode(part, final=start + len(part) == len(data))
        except UnicodeDecodeError as error:
            return start + len(part) - len(error.object) + error.start
    return None


def find_dialect(
    data: bytes, name: str, given: Dialect = TO_BE_FOUND, names: Collection[str] = ()
) -> Dialect:
    """How a text is written, by its first lines; what is given is not searched for."""
    if given.delimiter not in ("", *DELIMITERS):
        raise reject("delimiter", given.delimiter, f"one of {', '.join(map(repr, DELIMITERS))}")
    encoding = find_encoding(data, name, given.encoding)
    beginning = data[:BEGINNING]
    start = beginning[:64].decode(encoding, "replace")
    said = re.match('\ufeff*"?sep=([;,|\t])"?[\r\n]', start, re.I)
    after = given.header_line - 1 if given.header_line else 1 if said else 0
    wanted = set(map(clean_name, names))

    def judged(delimiter: str) -> tuple[int, float, Dialect]:
        first = list(islice(records(beginning, Dialect(encoding, delimiter), after), LOOKED_AT))
        counts = Counter(len(record.fields) for record in first if len(record.fields) > 1)
        usual, times = counts.most_common(1)[0] if counts else (1, 0)

        def rank(record: FileRecord) -> tuple[int, bool, bool]:
            held = len(wanted.intersection(map(clean_name, record.fields)))
            return held, len(record.fields) == usual, _is_words(record)

        if given.header_line or not first:
            line, held = after + 1, rank(first[0])[0] if first else 0
        else:
            header = max(first[:HEADER_WITHIN], key=rank)
            line, held = header.begin, rank(header)[0]
        return held, times / max(len(first), 1), Dialect(encoding, delimiter, line)

    delimiters = given.delimiter or (said[1] if said else DELIMITERS)
    return max(map(judged, delimiters), key=lambda each: each[:2])[2]


def _is_words(record: FileRecord) -> bool:
    """Whether all fields are words; the first may be empty, as that of row names is."""
    first, *others = map(clean_name, record.fields)
    return all(text and not is_number(text) for text in ([first] if first else []) + others)


def header_of(data: bytes, name: str, dialect: Dialect) -> tuple[tuple[str, ...], int]:
    """The names in the header of a text, and the line that it ends in."""
    header = next(records(data[:BEGINNING], dialect, dialect.header_line - 1), None)
    if header is None or not any(map(clean_name, header.fields)):
        raise no_records(name)
    if len(header.fields) > MAX_FIELDS:
        raise InvalidInput(
            f"{name} has {spaced(len(header.fields))} columns, but it must have at most "
            f"{spaced(MAX_FIELDS)}."
        )
    return tuple(map(clean_name, header.fields)), header.end


def clean_name(name: str) -> str:
    """A name without marks that nobody sees, without line breaks, and without blanks around it."""
    return re.sub(r"\s*[\r\n]\s*", " ", re.sub("[\ufeff\u200b]", "", name).strip())


def no_records(name: str) -> InvalidInput:
    """The refusal of a file without a row."""
    return InvalidInput(f"{name} holds no records, but it must hold at least one.")


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
