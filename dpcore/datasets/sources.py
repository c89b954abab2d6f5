"""From the fields of a file to the columns of the catalogue, and sets that need no file."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Classes, Column, Entry, Label, Labels, Table
from dpcore.datasets.text import Field, Layout
from dpcore.errors import InvalidInput
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Remark:
    """Something counted while reading; the sentence is shown where the count is not zero."""

    key: str
    count: int
    sentence: str


@dataclass(frozen=True)
class FileSource:
    """A data set that is read from files."""

    entry: Entry
    layout: Layout
    # Raw fields to columns but the site; no row may depend on another. None: they are the columns.
    decode: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    # counts in the decoded columns that are worth a note
    remark: Callable[[pd.DataFrame], tuple[Remark, ...]] | None = None


@dataclass(frozen=True)
class BuiltIn:
    """A data set that needs no file."""

    entry: Entry
    build: Callable[[int | None, int], Table]


def field_of(column: Column) -> Field:
    if column.kind == "number":
        return Field(column.name, missing_marks=column.missing_marks, days=column.days)
    return Field(column.name, column.codes or column.levels, column.missing_marks)


def label_field(label: Label | Classes | Column) -> Field:
    """The field that the label is read from."""
    if isinstance(label, Column):
        return field_of(label)
    if isinstance(label, Classes):
        return Field(label.name, label.titles)
    return Field(label.name, tuple(text for text, _ in label.codes))


def fields_of(entry: Entry) -> tuple[Field, ...]:
    """The fields of a file that holds the columns of the entry in their order, then the label."""
    return (*map(field_of, entry.written), label_field(entry.label))


def columns_of(columns: tuple[Column, ...], raw: pd.DataFrame) -> pd.DataFrame:
    """The fields named like `columns`, decoded; an indicator becomes 0 or 1."""
    import pandas as pd

    decoded: dict[str, object] = {}
    for column in columns:
        field = raw[column.name]
        if column.kind == "number":
            decoded[column.name] = field.to_numpy(dtype=float)
            continue
        positions = _positions(column.name, field, column.codes or column.levels)
        if column.kind == "category":
            decoded[column.name] = pd.Categorical.from_codes(
                positions, categories=pd.Index(column.levels)
            )
        else:
            decoded[column.name] = positions.astype(float)
    return pd.DataFrame(decoded, copy=False)


def labels_of(label: Label | Classes | Column, raw: pd.DataFrame) -> Labels:
    """The label as ±1 (unknown: 0), a class from 0 (unknown: -1) or a number (nan), shape (n,)."""
    if isinstance(label, Column):
        return raw[label.name].to_numpy(dtype=float)
    if isinstance(label, Classes):
        return _positions(label.name, raw[label.name], label.titles).astype(np.int8)
    positions = _positions(label.name, raw[label.name], tuple(text for text, _ in label.codes))
    return np.array([*(sign for _, sign in label.codes), 0], dtype=np.int8)[positions]


def _positions(name: str, field: pd.Series, texts: tuple[str, ...]) -> NDArray[np.int64]:
    positions = field.cat.set_categories(list(texts)).cat.codes.to_numpy().astype(np.int64)
    is_unknown = (positions < 0) & field.notna().to_numpy()
    if is_unknown.any():
        row = int(np.flatnonzero(is_unknown)[0])
        raise ValueError(f"{name} of record {row + 1} is not a level of the codebook")
    return positions


FloatArray = NDArray[np.float64]

DIGITS = "digits.csv.gz"
"""64 counts of 0 to 16 inked pixels, then the digit."""


def read_bundled(name: str, delimiter: str | None = ",", skiprows: int = 0) -> FloatArray:
    """The numbers in one of scikit-learn's files; importing it to read them takes half a second."""
    spec = importlib.util.find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "datasets" / "data" / name
    return np.loadtxt(path, delimiter=delimiter, skiprows=skiprows)


def bundled(entry: Entry, rows: Callable[[], tuple[FloatArray, Labels]]) -> BuiltIn:
    """The set of that entry; `rows` gives its columns, in the entry's order, and its labels."""

    def build(records: int | None, seed: int) -> Table:
        del seed
        if records is not None:
            raise InvalidInput(
                f"records is {records!r}, but {entry.key} has {spaced(entry.records)} records and "
                "takes none."
            )
        import pandas as pd

        values, label = rows()
        return Table(
            entry, pd.DataFrame(values, columns=[each.name for each in entry.columns]), label
        )

    return BuiltIn(entry, build)
