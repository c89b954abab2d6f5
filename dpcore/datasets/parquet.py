"""Parquet files from anyone, as the columns of text that every reader of tables takes.

Row r of the file stands in line r + 1, below the names; a gap is an empty field. A false claim
takes what memory there is: read where that is limited (`dpcore.confined`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from dpcore.datasets.delimited import Block, clean_name, too_many_rows, trimmed
from dpcore.datasets.faults import MAX_FAULTS, MAX_FIELDS, MAX_ROWS, MEGABYTE, Faults
from dpcore.errors import InvalidInput, brief
from dpcore.words import plain, spaced

MAGIC = b"PAR1"
BATCH, CELLS = 8_192, 4_194_304
"""Rows decoded at once, and fields, so that a value repeated a million times is noticed early."""
LARGEST_FOOTER = 2 * MEGABYTE
"""What describes the columns takes more than 200 times as much once it is read."""
FOOTER_END = 8
"""Bytes at the end of a file: the footer's length, and `MAGIC` again."""


def is_parquet(data: bytes) -> bool:
    """Whether the bytes claim to be a Parquet file."""
    return data.startswith(MAGIC)


def names_of(data: bytes, name: str) -> tuple[str, ...]:
    """The names of the columns, whatever these hold."""
    with _whole(name):
        return tuple(map(clean_name, _opened(data, name).schema_arrow.names))


def readable(data: bytes, name: str) -> list[int]:
    """Places of the columns that can be described, by their types and names; raises as `blocks`."""
    with _whole(name):
        schema = _opened(data, name).schema_arrow
        return [
            place
            for place, field in enumerate(schema)
            if _is_readable(field.type) and schema.names.count(field.name) == 1
        ]


def blocks(data: bytes, faults: Faults, wanted: Sequence[int], largest: int) -> Iterator[Block]:
    """The rows of a file from anyone, as `delimited.blocks` gives those of a text."""
    name = faults.name
    faults.lines = lambda rows: [row + 2 for row in rows]
    with _whole(name):
        file = _opened(data, name)
        fields = [file.schema_arrow.field(place) for place in wanted]
        for field in fields:
            if not _is_readable(field.type):
                raise InvalidInput(
                    f"{name}, column {brief(clean_name(field.name))}: it must hold numbers, text, "
                    "dates or yes and no, not durations, times, nested or binary values."
                )
        file = _with_dictionaries(data, file, fields, name, largest)
        titles = [field.name for field in fields]
        batch_rows = max(1, min(BATCH, CELLS // max(1, len(titles))))
        row = size = 0
        for batch in file.iter_batches(batch_rows, columns=titles, use_threads=False):
            columns: list[Any] = []
            for title in titles:
                column = batch.column(title)
                if size + _expanded(column) > largest:
                    raise InvalidInput(_too_much(name, largest))
                columns.append(_as_words(column, title.strip(), row, faults))
                size += columns[-1].nbytes
            yield Block(np.arange(row, row + batch.num_rows), columns)
            row += batch.num_rows
            if faults.enough:
                return


def _with_dictionaries(
    data: bytes, file: Any, fields: Sequence[Any], name: str, largest: int
) -> Any:
    """The same file, in which a text that repeats is there once until its size is checked."""
    from pyarrow import parquet

    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    places = {file.schema.column(place).path: place for place in range(len(file.schema))}
    claims = {
        field.name: [group.column(places[field.name]) for group in groups] for field in fields
    }
    size = sum(claim.total_uncompressed_size for each in claims.values() for claim in each)
    if size > largest:
        raise InvalidInput(_too_much(name, largest))
    # A text that is written by differences is not read as a dictionary.
    texts = [
        field.name
        for field in fields
        if _is_text(field.type)
        and not any("DELTA" in each for claim in claims[field.name] for each in claim.encodings)
    ]
    return parquet.ParquetFile(io.BytesIO(data), metadata=file.metadata, read_dictionary=texts)


def _expanded(column: Any) -> int:
    import pyarrow as pa
    from pyarrow import compute

    if not (pa.types.is_dictionary(column.type) and _is_text(column.type)):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary).take(column.indices)
    return compute.sum(lengths).as_py() or 0


def _too_much(name: str, largest: int) -> str:
    return f"{name} decompresses to more than {largest // MEGABYTE} MB, the most that is taken."


@contextmanager
def _whole(name: str) -> Iterator[None]:
    """Turn what the library says, which may hold values, into one sentence."""
    import pyarrow as pa

    try:
        yield
    except (InvalidInput, MemoryError):  # who limits the memory says how much it is
        raise
    except (pa.ArrowException, OSError, ValueError):
        raise InvalidInput(f"{name} cannot be read, but it must be a whole Parquet file.") from None


def _check_footer(data: bytes, name: str) -> None:
    end = data[-FOOTER_END:]
    length = int.from_bytes(end[:4], "little")
    if end.endswith(MAGIC) and LARGEST_FOOTER < length < len(data):
        raise InvalidInput(
            f"{name} describes its columns in {plain(length / MEGABYTE)} MB, but it must do so in "
            f"at most {LARGEST_FOOTER // MEGABYTE} MB: write fewer columns, or fewer groups of "
            "rows."
        )


def _opened(data: bytes, name: str) -> Any:
    """A file whose claims are within limits."""
    from pyarrow import parquet

    _check_footer(data, name)
    file = parquet.ParquetFile(
        io.BytesIO(data),
        thrift_string_size_limit=LARGEST_FOOTER,
        thrift_container_size_limit=1_000_000,
    )
    columns = len(file.schema_arrow.names)
    if not 1 <= columns <= MAX_FIELDS:
        raise InvalidInput(
            f"{name} has {spaced(columns)} columns, but it must have 1 to {spaced(MAX_FIELDS)}."
        )
    if not 0 <= file.metadata.num_rows <= MAX_ROWS:
        raise InvalidInput(too_many_rows(name))
    return file


def _is_readable(kind: Any) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    checks = (
        *(pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, _is_text),
        *(pa.types.is_date, pa.types.is_timestamp, pa.types.is_decimal, pa.types.is_null),
    )
    return any(check(kind) for check in checks)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_words(column: Any, title: str, before: int, faults: Faults) -> Any:
    """A column as text, each value by itself: a moment at midnight is a date."""
    import pyarrow as pa
    from pyarrow import compute

    if _is_text(column.type):
        return _checked_text(column, title, before, faults)
    words = column.cast(pa.string())
    if pa.types.is_timestamp(column.type):
        date = column.cast(pa.date32(), safe=False)
        is_date = compute.equal(date.cast(column.type), column)
        words = compute.if_else(is_date, date.cast(pa.string()), words)
    if pa.types.is_floating(column.type):
        words = compute.if_else(compute.is_nan(column), None, words)
    return words.fill_null("")


def _checked_text(column: Any, title: str, before: int, faults: Faults) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    words = column.cast(pa.string()).fill_null("")
    try:
        words.validate(full=True)
    except pa.ArrowInvalid:
        values = words.cast(pa.binary()).to_pylist()
        is_text = np.array([value.decode(errors="ignore").encode() == value for value in values])
        for place in np.flatnonzero(~is_text)[:MAX_FAULTS].tolist():
            reason = "it holds bytes that are not text, but it must be UTF-8 text."
            faults.add(before + place, f"{brief(title)}: {reason}")
        words = compute.if_else(pa.array(is_text), words, "")
    return trimmed(words)
