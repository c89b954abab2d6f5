"""Parquet files from anyone, turned into the text that every reader of tables takes.

One meaning for both formats: the record in row r of the file stands in line r + 1 of the text.
"""

from __future__ import annotations

import io
import re

from dpcore.datasets.text import LARGEST_UPLOAD, LONGEST_LINE, MEGABYTE, MOST_ROWS, quoted
from dpcore.errors import InvalidInput

MAGIC = b"PAR1"
MOST_FIELDS = 2_000
BATCH = 4_096
"""Rows decoded at once, so that a value repeated a million times is noticed early."""
LARGEST_FOOTER = 16 * MEGABYTE


def text_of(data: bytes, filename: str, largest: int = LARGEST_UPLOAD) -> bytes:
    """The same bytes, or what `as_text` makes of those that claim to be a Parquet file."""
    return as_text(data, filename, largest) if data.startswith(MAGIC) else data


def as_text(data: bytes, filename: str, largest: int) -> bytes:
    """The table as UTF-8 text with commas, its header first; a gap is an empty field.

    Parameters
    ----------
    data : bytes
        The file, from anyone.
    filename : str
        What to call it in a refusal.
    largest : int
        Bytes that the text may have, and the decompressed columns.

    Raises
    ------
    InvalidInput
        One sentence without any value of the records.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    name = quoted(filename)
    text = io.BytesIO()
    rows = 0
    try:
        file = parquet.ParquetFile(
            io.BytesIO(data),
            thrift_string_size_limit=LARGEST_FOOTER,
            thrift_container_size_limit=1_000_000,
        )
        schema = _checked_schema(file, name, largest)
        options = csv.WriteOptions(include_header=False)
        text.write((",".join(f'"{title}"' for title in schema.names) + "\n").encode())
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            columns = [
                _as_words(column, f"{name}, column {quoted(title)}", rows)
                for title, column in zip(schema.names, batch.columns, strict=True)
            ]
            csv.write_csv(pa.table(columns, names=schema.names), text, options)
            rows += batch.num_rows
            if text.tell() > largest or rows > MOST_ROWS:
                raise InvalidInput(
                    f"{name} decompresses to more than {MOST_ROWS:,} rows or "
                    f"{largest // MEGABYTE} MB, the most that is taken."
                )
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        # The library's own words may hold values.
        raise InvalidInput(f"{name} cannot be read, but it must be a whole Parquet file.") from None
    return text.getvalue()


def _checked_schema(file, name: str, largest: int):  # type: ignore[no-untyped-def]
    """The columns of a file whose claims are within limits."""
    import pyarrow as pa

    claims, schema = file.metadata, file.schema_arrow
    size = sum(claims.row_group(place).total_byte_size for place in range(claims.num_row_groups))
    if not 1 <= len(schema.names) <= MOST_FIELDS:
        raise InvalidInput(
            f"{name} has {len(schema.names):,} columns, but it must have 1 to {MOST_FIELDS:,}."
        )
    if not 0 <= claims.num_rows <= MOST_ROWS:
        raise InvalidInput(f"{name} has more than {MOST_ROWS:,} rows, the most that is taken.")
    if size > largest:
        raise InvalidInput(
            f"{name} decompresses to more than {largest // MEGABYTE} MB, the most that is taken."
        )
    for place, field in enumerate(schema, start=1):
        if not re.fullmatch(r"[^\",;\t\r\n]*", field.name):
            raise InvalidInput(
                f"{name}, column {place}: its name must have no quotation mark, comma, semicolon, "
                "tab or line break."
            )
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if not any(
            check(kind)
            for check in (
                *(pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean),
                *(pa.types.is_string, pa.types.is_large_string, pa.types.is_date),
                *(pa.types.is_timestamp, pa.types.is_decimal, pa.types.is_null),
            )
        ):
            raise InvalidInput(
                f"{name}, column {place}: it must hold numbers, text, dates or yes and no, "
                "not nested or binary values."
            )
    return schema


def _as_words(column, where: str, before: int):  # type: ignore[no-untyped-def]
    """A column as text, each value by itself: a moment at midnight is a date."""
    import pyarrow as pa
    from pyarrow import compute

    words = column.cast(pa.string())
    if pa.types.is_timestamp(column.type):
        date = column.cast(pa.date32(), safe=False)
        is_date = compute.equal(date.cast(column.type), column)
        words = compute.if_else(is_date, date.cast(pa.string()), words)
    if pa.types.is_floating(column.type):
        words = compute.if_else(compute.is_nan(column), None, words)
    broken = compute.or_(
        compute.greater(compute.binary_length(words), LONGEST_LINE),
        compute.match_substring_regex(words, r"[\r\n\x00]"),
    )
    place = compute.index(broken, True).as_py()
    if place >= 0:
        raise InvalidInput(
            f"{where}, line {before + place + 2}: it must be text of at most {LONGEST_LINE:,} "
            "letters without a line break."
        )
    return words
