"""Predictions of a released model for the records of a CSV file."""

from __future__ import annotations

import csv
import io

from scipy import special

from dpcore.datasets.own.notation import read
from dpcore.datasets.own.rows import file_field
from dpcore.datasets.sources import columns_of
from dpcore.datasets.text import LARGEST_UPLOAD, Layout, read_described
from dpcore.release.model import ReleasedModel
from dpcore.release.noise_alone import NO_CERTIFICATE, UNKNOWN, NoiseAlone
from dpcore.spreadsheet import cell

NOISE = ("noise_alone_from", "noise_alone_to")
"""Columns of a CSV: the ends of what noise alone would say."""


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
    ends = [(UNKNOWN, UNKNOWN)] * len(scores)
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
