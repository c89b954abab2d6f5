"""A stand-in: made-up records that read by their own description, whatever its numbers are."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from dpcore.datasets.own.rows import read_own
from dpcore.errors import InvalidInput
from dpcore.release import demonstration, made_up
from dpcore.release.made_up import RIGHT, made_up_records, stand_in
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


@pytest.mark.parametrize(
    "columns",
    [
        demonstration.columns(),
        "x: 0 to 1",
        "x: one of n, y",
        "x: one of n, y; unknown: NA\nz: one of n, y",
        "\n".join([*(f"x{each}: 0 to 1" for each in range(12)), "z: one of n, y"]),
    ],
)
def test_no_column_decides_alone_and_the_best_rule_is_right_for_as_many(columns):
    if "predict" not in columns:
        columns = f"{columns}\n{OUTCOME}"
    entry = entry_of(columns)
    for seed in range(10):
        log_odds = made_up_log_odds(entry, 4_000, seed)
        assert expit(np.abs(log_odds)).mean() == pytest.approx(RIGHT, abs=0.001)
        frame, labels = made_up_records(entry, 4_000, np.random.default_rng(seed))
        assert ((log_odds > 0) == (labels > 0)).mean() == pytest.approx(RIGHT, abs=0.03)
        for column in entry.columns:
            if len(entry.columns) > 3 and column.kind != "number":
                # What one yes or no tells by itself is far from what all tell together.
                values = pd.Series(labels).groupby(np.asarray(frame[column.name]))
                alone = (values.mean().abs() * values.size()).sum() / len(labels)
                assert 0.5 + alone / 2.0 < 0.72


def made_up_log_odds(entry, count, seed):
    generator = np.random.default_rng(seed)
    return made_up._scaled(
        made_up._sum_of_parts(entry, made_up._frame(entry, count, generator), generator)
    )


def test_a_single_record_is_made_up():
    assert len(stand_in(f"x: 0 to 1\nz: one of n, y\n{OUTCOME}", 1).splitlines()) == 2


def test_a_long_number_is_not_repeated():
    with pytest.raises(InvalidInput) as refusal:
        stand_in(f"age: 18 to {'9' * 5_000}\n{OUTCOME}", 10)
    assert len(str(refusal.value)) < 400
