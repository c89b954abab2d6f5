"""Made-up tables whose population is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from dpcore.datasets import Table, entry
from dpcore.datasets.schema import Column

STAGES = ("I", "II", "III", "IV")
SHARES = (0.6, 0.25, 0.14, 0.01)


def described(records, *, missing=True):
    """Four columns of three kinds: one may be unknown, unless `missing` is left out."""
    cohort = entry("cohort")
    marks = ("",) if missing else ()
    columns = (
        cohort.column("age"),
        cohort.column("sex"),
        replace(cohort.column("bmi"), missing_marks=marks),
        Column("stage", "category", "stage", levels=STAGES),
    )
    return replace(cohort, columns=columns, records=records)


def drawn(records, seed, *, missing=True):
    """A table of so many records."""
    random = np.random.default_rng(seed)
    label = np.where(random.random(records) < 0.3, 1, -1).astype(np.int8)
    bmi = np.clip(18 + random.gamma(3.0, 3.0, records) + 2 * (label > 0), 14, 55)
    if missing:
        bmi[random.random(records) < 0.1] = np.nan
    frame = pd.DataFrame(
        {
            "age": np.clip(random.normal(np.where(label > 0, 68, 52), 15), 18, 100),
            "sex": words(random.random(records) < 0.5, ("female", "male")),
            "bmi": bmi,
            "stage": words(random.choice(4, records, p=SHARES), STAGES),
        }
    )
    return Table(described(records, missing=missing), frame, label)


def words(places, levels):
    """A column of words by their places."""
    return pd.Categorical.from_codes(np.asarray(places, dtype=int), categories=list(levels))


NAMES = ("age", "sex", "bmi", "stage")
