"""A stand-in: made-up records that read by their own description, whatever its numbers are."""

import io

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets.own.rows import read_own
from dpcore.errors import InvalidInput
from dpcore.release import demonstration
from dpcore.release.made_up import made_up_records, stand_in
from dpcore.release.model import entry_of

OUTCOME = "predict y: one of a, b"


@pytest.mark.parametrize(
    ("low", "high"),
    [(18, 90), (0.12345678, 0.12345679), (20200101, 20201231), (-5, 1000000000), (0, 1)],
)
def test_every_number_is_within_its_range_and_few_are_the_same(low, high):
    columns = f"x: {low} to {high}\n{OUTCOME}"
    csv = stand_in(columns, 300)
    x = pd.read_csv(io.StringIO(csv))["x"]
    assert x.between(low, high).all()
    assert x.nunique() > 60
    assert read_own(columns, csv.encode(), "standin.csv").records == 300


@pytest.mark.parametrize(
    "columns", ["age: 18 to 90\npredict y: one of =x, ’=x", f"=s: 1 to 2\n’=s: 1 to 2\n{OUTCOME}"]
)
def test_what_would_become_one_by_the_safe_mark_is_refused(columns):
    with pytest.raises(InvalidInput):
        stand_in(columns, 10)


def test_no_column_decides_alone():
    entry = entry_of(demonstration.columns())
    for seed in range(10):
        frame, labels = made_up_records(entry, 4_000, np.random.default_rng(seed))
        for column in entry.columns:
            if column.kind != "number":
                # What one yes or no tells by itself is far from what all tell together.
                values = pd.Series(labels).groupby(np.asarray(frame[column.name]))
                alone = (values.mean().abs() * values.size()).sum() / len(labels)
                assert 0.5 + alone / 2.0 < 0.72
