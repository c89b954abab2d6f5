"""What a released model says of one person or of a file, and what each value has to do with it.

A model brings every record to one length, so a value moves the parts of all others. What a value
has to do with the outcome is therefore shown by the outcome itself: with this value, and with the
column's public reference in its place, all else as it is. The curve of a column is the outcome at
each of its values, all else as it is. Both are exact, and come from the same sums as `predict`.

Nothing here is stored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special
from scipy.special import expit

from dpcore.datasets.column_parts import UNKNOWN, values_of
from dpcore.datasets.own.description import file_field
from dpcore.datasets.own.notation import read
from dpcore.datasets.schema import Column, Entry
from dpcore.datasets.sources import columns_of
from dpcore.datasets.text import LARGEST_UPLOAD, Layout, read_described
from dpcore.errors import InvalidInput, number, one_of
from dpcore.release.check import Checked, check
from dpcore.release.check import read as read_certificate
from dpcore.release.grid import Array
from dpcore.release.made_up import NO_CERTIFICATE, NOT_KNOWN, NoiseAlone, noise_alone
from dpcore.release.model import ReleasedModel, read_model
from dpcore.spreadsheet import cell
from dpcore.words import as_set

if TYPE_CHECKING:
    import pandas as pd

MAX_COLUMNS = 60
"""Of a form that one person's values are typed into."""

Value = float | str | None
"""A number in its own unit, or a level as a file writes it; ``None`` is unknown."""
PersonValues = Mapping[str, Value]
NOISE = ("noise_alone_from", "noise_alone_to")
"""Columns of a CSV: the ends of what noise alone would say."""


def levels_of(column: Column) -> tuple[str, ...]:
    """How a file writes the levels of a category or an indicator; empty for a number."""
    return () if column.kind == "number" else column.codes or column.levels


def reference_of(model: ReleasedModel, column: Column) -> float | str:
    """The public value that others are compared with."""
    values = values_of(column, model.preparation)
    return values.numbers[values.reference] if values.numbers else levels_of(column)[0]


def value_of(column: Column, given: object) -> Value:
    """A value as the column allows it; a refusal names the column and what is allowed."""
    if given is None and column.missing_marks:
        return None
    if column.kind != "number":
        return one_of(column.name, str(given), levels_of(column))
    least, most = column.bounds
    if given is None:
        raise InvalidInput(
            f"{column.name} is empty, but it must be a number from {as_set(least)} to "
            f"{as_set(most)}."
        )
    return number(column.name, given, at_least=least, at_most=most)


def outcomes(model: ReleasedModel, people: Sequence[PersonValues]) -> Array:
    """The risk of each person by the logistic loss, else the score; shape (n,)."""
    scores = model.scores(frame_of(model.entry, people))
    return np.asarray(expit(scores)) if model.loss == "logistic" else scores


def parts(model: ReleasedModel, person: PersonValues) -> pd.DataFrame:
    """Tell what each value has to do with a person's outcome, in the model's order of columns.

    Columns: ``column``, ``unit``, ``value``, ``reference``, ``outcome`` (the same in each row),
    ``at_reference`` (with the reference in the value's place), ``part`` (their difference),
    ``least`` and ``most`` (outcomes that the column's values make possible, all else as it is).
    """
    import pandas as pd

    columns = model.entry.columns
    references = {column.name: reference_of(model, column) for column in columns}
    values = {column.name: _values(model, person, column) for column in columns}
    everyone = [
        person,
        *({**person, name: reference} for name, reference in references.items()),
        *({**person, name: value} for name, listed in values.items() for value in listed),
    ]
    outcome, *others = outcomes(model, everyone).tolist()
    there, rest = others[: len(columns)], others[len(columns) :]
    ends = []
    for listed in values.values():
        ends.append((min(rest[: len(listed)]), max(rest[: len(listed)])))
        rest = rest[len(listed) :]
    return pd.DataFrame(
        {
            "column": list(references),
            "unit": [column.unit for column in columns],
            "value": [_value_text(person[name]) for name in references],
            "reference": [_value_text(reference) for reference in references.values()],
            "outcome": outcome,
            "at_reference": there,
            "part": [outcome - other for other in there],
            "least": [least for least, _ in ends],
            "most": [most for _, most in ends],
        }
    )


def curve(model: ReleasedModel, person: PersonValues, name: str) -> pd.DataFrame:
    """The outcome at each value of one column, all else as it is.

    Columns: ``at`` (a number, else the place of a level), ``level`` ("" of a number), ``outcome``,
    and ``here``, the person's. An unknown number is where it counts: at the reference.
    """
    import pandas as pd

    column = model.entry.column(name)
    values, mine = _values(model, person, column), _counted(model, person, column)
    is_number = column.kind == "number"
    return pd.DataFrame(
        {
            "at": values if is_number else list(map(float, range(len(values)))),
            "level": [""] * len(values) if is_number else [_value_text(value) for value in values],
            "outcome": outcomes(model, [{**person, name: value} for value in values]),
            "here": [value == mine for value in values],
        }
    )


def _counted(model: ReleasedModel, person: PersonValues, column: Column) -> Value:
    """A person's value as it counts: an unknown number as the reference."""
    value = person[column.name]
    is_unknown = value is None and column.kind == "number"
    return reference_of(model, column) if is_unknown else value


def _values(model: ReleasedModel, person: PersonValues, column: Column) -> Sequence[Value]:
    """The values of a column that outcomes are computed at, the person's among them."""
    if column.kind == "number":
        numbers = values_of(column, model.preparation).numbers
        return sorted({*numbers, float(_counted(model, person, column) or 0.0)})
    return [*levels_of(column), *([None] if column.missing_marks else [])]


def _value_text(value: Value) -> str:
    if value is None:
        return UNKNOWN
    return value if isinstance(value, str) else as_set(value)


def frame_of(entry: Entry, people: Sequence[PersonValues]) -> pd.DataFrame:
    """People as records of a table, which they become in a file."""
    import pandas as pd

    columns: dict[str, object] = {}
    for column in entry.columns:
        values = [person[column.name] for person in people]
        if column.kind == "number":
            columns[column.name] = [np.nan if value is None else value for value in values]
        elif column.kind == "category":
            columns[column.name] = pd.Categorical(values, categories=list(column.levels))
        else:
            columns[column.name] = [float(column.codes.index(str(value))) for value in values]
    return pd.DataFrame(columns)


def predict(
    model: ReleasedModel, data: bytes, filename: str, noise: NoiseAlone | str = NO_CERTIFICATE
) -> str:
    """A CSV of one line a record, in the order of the file: its number, score or risk, and class.

    The class is that whose score is larger. Two more columns say between which risks noise alone
    would put it, where that is known. A record's prediction depends on its own line alone. The file
    is text, from anyone, whose first line names the columns in any order; those that the model does
    not use are left out. A refusal names lines, columns and what is allowed, no value of a record.
    """
    fields = tuple(map(file_field, read(model.columns).used))
    raw, _ = read_described(Layout(fields, header=True), data, filename, LARGEST_UPLOAD)
    frame = columns_of(model.entry.columns, raw)
    scores = model.scores(frame)
    outcome = model.entry.outcome
    no, yes = (code for code, _ in outcome.codes)
    ends = [(NOT_KNOWN, NOT_KNOWN)] * len(scores)
    if isinstance(noise, NoiseAlone):
        ends = [(f"{low:.6g}", f"{high:.6g}") for low, high in noise.intervals(frame).tolist()]
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(
        ["row", "risk" if model.loss == "logistic" else "score", cell(outcome.name), *NOISE]
    )
    shown = special.expit(scores) if model.loss == "logistic" else scores
    values = zip(shown.tolist(), scores.tolist(), ends, strict=True)
    for row, (value, score, pair) in enumerate(values, 1):
        table.writerow([row, repr(value), cell(yes if score > 0.0 else no), *pair])
    return written.getvalue()


@dataclass(frozen=True)
class PredictedBatch:
    """Predictions, and how many there are."""

    csv: str
    records: int
    positive: int  # of how many the model says the outcome's second value


def batch(model: bytes, certificate: bytes, data: bytes, filename: str) -> PredictedBatch:
    """Predict for a file of records by a model's file; without a certificate its bytes are empty.

    A refusal names the line, the column and what is allowed, but no value of a record.
    """
    released = read_model(model)
    predictions = predict(released, data, filename, noise_by(released, certificate))
    _, *rows = csv.reader(io.StringIO(predictions))
    yes = cell(released.entry.outcome.codes[1][0])
    return PredictedBatch(predictions, len(rows), sum(row[2] == yes for row in rows))


def noise_by(model: ReleasedModel, certificate: bytes) -> NoiseAlone | str:
    """`noise_alone` by the file of a certificate, where it holds."""
    holds = certificate and not checked(certificate, model).problems
    return noise_alone(model, read_certificate(certificate.decode()).document if holds else None)


def checked(certificate: bytes, model: ReleasedModel | bytes) -> Checked:
    """Check a file from anyone, and a model or its file, without a ledger."""
    try:
        text = certificate.decode()
    except UnicodeDecodeError:
        return Checked(("The certificate is no text, but it must be YAML in UTF-8.",), (), "")
    return check(text, None, read_model(model) if isinstance(model, bytes) else model)
