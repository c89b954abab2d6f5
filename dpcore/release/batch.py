"""Predictions for the records of a file, as the page has them made in a confined process."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from dpcore.release.check import Checked, check
from dpcore.release.explained import read_model
from dpcore.release.prediction import predict
from dpcore.spreadsheet import cell


@dataclass(frozen=True)
class PredictedBatch:
    """Predictions, and how many there are.

    Parameters
    ----------
    csv : str
        As of `predict`.
    records, positive : int
        How many there are, and of how many the model says the outcome's second value.
    """

    csv: str
    records: int
    positive: int


def batch(model: bytes, data: bytes, filename: str) -> PredictedBatch:
    """The predictions of a model's file for a file of records.

    Parameters
    ----------
    model : bytes
        As JSON.
    data, filename
        As of `predict`.

    Raises
    ------
    InvalidInput
        Naming the line and the column and what is allowed, but no value of a record.
    """
    read = read_model(model)
    predictions = predict(read, data, filename)
    _, *rows = csv.reader(io.StringIO(predictions))
    yes = cell(read.entry.outcome.codes[1][0])
    return PredictedBatch(predictions, len(rows), sum(outcome == yes for _, _, outcome in rows))


def checked(certificate: bytes, model: bytes) -> Checked:
    """`check` of two files from anyone, without a ledger."""
    try:
        text = certificate.decode()
    except UnicodeDecodeError:
        return Checked(("The certificate is no text, but it must be YAML in UTF-8.",), (), "")
    return check(text, None, read_model(model))
