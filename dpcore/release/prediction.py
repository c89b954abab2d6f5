"""Predictions of a released model for the records of a CSV file."""

from __future__ import annotations

import csv
import io

from scipy import special

from dpcore.datasets.own.notation import read
from dpcore.datasets.own.rows import file_field
from dpcore.datasets.sources import columns_of
from dpcore.datasets.text import Field, Layout, header_of, quoted, read_checked
from dpcore.errors import InvalidInput
from dpcore.release.model import ReleasedModel
from dpcore.spreadsheet import cell


def predict(model: ReleasedModel, data: bytes, filename: str) -> str:
    """A CSV of one line a record, in the order of the file: its number, score or risk, and class.

    The class is that whose score is larger. A record's prediction depends on its own line alone.

    Parameters
    ----------
    model : ReleasedModel
    data : bytes
        Text, from anyone; its first line names the columns, in any order. Columns that the model
        does not use are left out, the outcome among them.
    filename : str
        What to call it in a refusal.

    Raises
    ------
    InvalidInput
        Naming lines, columns and what is allowed, and no value of a record.
    """
    used = {field.name: field for field in read(model.columns).used}
    separator, header = header_of(data, filename)
    for name in used:
        if header.count(name) != 1:
            raise InvalidInput(
                f"The first line of {quoted(filename)} names {name} {header.count(name)} times, "
                "but it must name it once: the model uses it."
            )
    fields = tuple(
        file_field(used[name]) if name in used else Field(name, ignored=True) for name in header
    )
    raw = read_checked(Layout(fields, separator, header=True), data, filename)
    frame = columns_of(model.entry.columns, raw)
    scores = model.scores(frame)
    outcome = model.entry.outcome
    no, yes = (code for code, _ in outcome.codes)
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["row", "risk" if model.loss == "logistic" else "score", cell(outcome.name)])
    shown = special.expit(scores) if model.loss == "logistic" else scores
    for row, (value, score) in enumerate(zip(shown.tolist(), scores.tolist(), strict=True), 1):
        table.writerow([row, repr(value), cell(yes if score > 0.0 else no)])
    return written.getvalue()
