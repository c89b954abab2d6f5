"""Delimited text files, read in two ways that give the same columns.

`read_verified` is for bytes whose checksum is pinned: fast, without checks. `read_checked` is for
bytes from anyone: each row is checked, and the first bad one is named by line, field and value.
Neither guesses a type; the `Layout` says what each field is.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

MEGABYTE = 1024 * 1024
LARGEST_UPLOAD = 32 * MEGABYTE
"""Bytes. The largest file of the catalogue has less than 25 MB."""
MOST_ROWS = 1_000_000
LONGEST_LINE = 10_000
"""Characters. No line of any set in the catalogue comes near it."""
LARGEST_NUMBER = 1e9
"""No quantity in any set comes near it; anything beyond is a broken file, not a measurement."""

BLANK = "blank"
"""The mark for "unknown" that stands for an empty field."""

_PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA_NUMBER = re.compile(r"[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?")


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
    missing_mark : str
        The mark for "unknown" that is also allowed; "" for none, `BLANK` for an empty field.
    ignored : bool
        Whether the field is skipped, whatever it holds; with a header, or in `read_checked`, only.
    decimal_comma : bool
        Whether numbers are written like 1,5; a point is then refused (`read_checked` only).
    """

    name: str
    words: tuple[str, ...] = ()
    codes: tuple[float, ...] = ()
    missing_mark: str = ""
    ignored: bool = False
    decimal_comma: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.words:
            shown = self.words if len(self.words) <= 8 else (*self.words[:7], "…")
            text = "one of " + ", ".join(shown)
        elif self.codes:
            text = "one of " + ", ".join(f"{code:g}" for code in self.codes)
        else:
            example = "12,5" if self.decimal_comma else "12.5"
            text = f"a plain number such as {example}, at most {LARGEST_NUMBER:,.0f} in size"
        if self.missing_mark:
            text += f", or {self.missing_mark} for unknown"
        return text


class WrongValue(InvalidInput):
    """A value that its field does not allow.

    Parameters
    ----------
    sentence : str
    field, value : str
        Name of the field, and its text in the file.
    """

    def __init__(self, sentence: str, field: str = "", value: str = "") -> None:
        super().__init__(sentence)
        self.field, self.value = field, value

    def __reduce__(self) -> tuple[type[WrongValue], tuple[str]]:
        # The sentence alone leaves the process that holds the records.
        return WrongValue, (str(self),)


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

    @property
    def separated_by(self) -> str:
        """The separator in words."""
        return {"": "blanks", ",": "commas", ";": "semicolons", "\t": "tabs"}[self.separator]


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
    found = pd.read_csv(
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
            field.name: ["" if field.missing_mark == BLANK else field.missing_mark]
            for field in fields
            if field.missing_mark
        },
        keep_default_na=False,
        engine="c",
    )
    return found[names]


def read_checked(layout: Layout, data: bytes, filename: str) -> pd.DataFrame:
    """The fields of a file from anyone, each row checked.

    Parameters
    ----------
    layout : Layout
        What the file should look like.
    data : bytes
        The file.
    filename : str
        What to call it in a refusal.

    Returns
    -------
    pandas.DataFrame
        As `read_verified`.

    Raises
    ------
    InvalidInput
        Naming the first bad line, the field, the value and what is allowed; a `WrongValue` where a
        field does not allow its value.
    """
    import pandas as pd

    name = quoted(filename)
    text = _decoded(data, name)
    columns: list[list[float | str | None]] = [[] for _ in layout.fields]
    converters = [
        (field, _converter(field), column.append)
        for field, column in zip(layout.fields, columns, strict=True)
    ]
    expected = len(layout.fields)
    labels = [index for index, field in enumerate(layout.fields) if field.name == layout.label]
    hint = ""
    if layout.separator == ",":
        hint = " A comma within a value needs quotation marks around that value."
    count = 0
    header_due = layout.header
    for line, row in _rows(layout, text, name):
        if len(row) != expected:
            raise InvalidInput(
                f"{name}, line {line}: it has {len(row)} field{'s' if len(row) != 1 else ''}, but "
                f"it must have {expected} separated by {layout.separated_by}.{hint}"
            )
        if header_due:
            header_due = False
            for title, field in zip(row, layout.fields, strict=True):
                if title.strip() != field.name:
                    raise InvalidInput(
                        f"{name}, line {line}: the header names {quoted(title)} where it must "
                        f"name {field.name}."
                    )
            continue
        count += 1
        if count > MOST_ROWS:
            raise InvalidInput(f"{name} has more than {MOST_ROWS:,} rows, the most that is taken.")
        blank = any(not row[index].strip() for index in labels)
        for value, (field, convert, append) in zip(row, converters, strict=True):
            if blank and not value.strip():
                append(None)
                continue
            try:
                append(convert(value.strip()))
            except ValueError:
                raise WrongValue(
                    f"{name}, line {line}: {field.name} is "
                    f"{quoted(value) if value.strip() else 'empty'}, but it must be "
                    f"{field.allowed}.",
                    field.name,
                    value.strip(),
                ) from None
    if count == 0:
        raise InvalidInput(f"{name} holds no records, but it must hold at least one.")
    return pd.DataFrame(
        {
            field.name: pd.Categorical(column, categories=sorted(set(field.words)))
            if field.words
            else np.array([np.nan if value is None else value for value in column], dtype=float)
            for field, column in zip(layout.fields, columns, strict=True)
            if not field.ignored
        }
    )


def lines_of(data: bytes, filename: str, separator: str) -> Iterator[list[str]]:
    """The fields of each line of a file from anyone, whatever they hold, its header first.

    Raises
    ------
    InvalidInput
        If the file is empty, not text, or has a line that is too long.
    """
    name = quoted(filename)
    for _, row in _rows(Layout((), separator), _decoded(data, name), name):
        yield [value.strip() for value in row]


def header_of(data: bytes, filename: str) -> tuple[str, tuple[str, ...]]:
    """The separator of a file from anyone, and the names in its first line.

    Parameters
    ----------
    data : bytes
        The file.
    filename : str
        What to call it in a refusal.

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
    lines = io.StringIO(_decoded(data, name), newline=None)
    first = next((line for line in lines if line.strip()), "")
    separator = max((",", ";", "\t"), key=first.count)
    for _, row in _rows(Layout((), separator), first, name):
        return separator, tuple(field.strip() for field in row)
    raise InvalidInput(f"{name} holds no records, but it must hold at least one.")


def _decoded(data: bytes, name: str) -> str:
    if not data:
        raise InvalidInput(f"{name} is empty, but it must hold at least one record.")
    if len(data) > LARGEST_UPLOAD:
        raise InvalidInput(
            f"{name} has {math.ceil(len(data) * 10 / MEGABYTE) / 10:,} MB, but it must have at "
            f"most {LARGEST_UPLOAD // MEGABYTE} MB."
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{name} is written in UTF-16, but it must be saved as UTF-8 text.")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise InvalidInput(
            f"{name}, line {line}: it holds a zero byte, but the file must be plain text."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{name}, line {line}: it holds bytes that are not text, but the file must be plain "
            "UTF-8 text."
        ) from None


def _rows(layout: Layout, text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Line number (from 1) and fields of each line that is neither blank nor a comment."""
    for line, content in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        if not content.strip():
            continue
        if layout.comment and content.startswith(layout.comment):
            continue
        if len(content) > LONGEST_LINE:
            raise InvalidInput(
                f"{name}, line {line}: it has {len(content):,} characters, but it must have at "
                f"most {LONGEST_LINE:,}."
            )
        if layout.separator:
            # One line at a time: a stray quotation mark must not swallow the lines after it.
            yield (
                line,
                next(csv.reader([content], delimiter=layout.separator, skipinitialspace=True)),
            )
        else:
            yield line, content.split()


def _converter(field: Field) -> Callable[[str], float | str | None]:
    """A function from the text of one field to its value; ValueError when it is not allowed."""
    words, codes, missing_mark = frozenset(field.words), frozenset(field.codes), field.missing_mark

    def convert(text: str) -> float | str | None:
        if field.ignored or (missing_mark and text == missing_mark):
            return None
        if missing_mark == BLANK and not text:
            return None
        if words:
            if text not in words:
                raise ValueError(text)
            return text
        # `float` alone would also take "nan", "inf", "1_000" and digits of other scripts.
        if not is_number(text, field.decimal_comma):
            raise ValueError(text)
        value = float(text.replace(",", "."))
        if not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
            raise ValueError(text)
        if codes and value not in codes:
            raise ValueError(text)
        return value

    return convert


def is_number(text: str, decimal_comma: bool = False) -> bool:
    """Whether the text is a plain number, or one with a decimal comma (which may be left out)."""
    return bool((_COMMA_NUMBER if decimal_comma else _PLAIN_NUMBER).fullmatch(text))


def quoted(value: str) -> str:
    """Untrusted text, shortened and quoted so that it fits into a sentence."""
    value = value.strip()
    return repr(value if len(value) <= 40 else value[:39] + "…")
