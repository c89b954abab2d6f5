"""Predictions for the records of a file, as the page has them made in a confined process."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from dpcore.release.check import Checked, check, read
from dpcore.release.explained import read_model
from dpcore.release.model import ReleasedModel
from dpcore.release.noise_alone import NoiseAlone, noise_alone
from dpcore.release.prediction import predict
from dpcore.spreadsheet import cell


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
    return noise_alone(model, read(certificate.decode()).document if holds else None)


def checked(certificate: bytes, model: ReleasedModel | bytes) -> Checked:
    """Check a file from anyone, and a model or its file, without a ledger."""
    try:
        text = certificate.decode()
    except UnicodeDecodeError:
        return Checked(("The certificate is no text, but it must be YAML in UTF-8.",), (), "")
    return check(text, None, read_model(model) if isinstance(model, bytes) else model)
