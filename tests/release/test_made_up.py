"""A stand-in: made-up records that read by their own description, whatever its numbers are."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from dpcore.datasets.own.rows import read_own
from dpcore.errors import InvalidInput
from dpcore.release.made_up import stand_in

OUTCOME = "predict y: one of a, b"


@pytest.mark.parametrize(
    ("low", "high"),
    [(18, 90), (0.12345678, 0.12345679), (20200101, 20201231), (-5, 1000000000), (0, 1)],
)
def test_every_number_is_within_its_range_and_few_are_the_same(low: float, high: float) -> None:
    columns = f"x: {low} to {high}\n{OUTCOME}"
    csv = stand_in(columns, 300)
    x = pd.read_csv(io.StringIO(csv))["x"]
    assert x.between(low, high).all()
    assert x.nunique() > 60
    assert read_own(columns, csv.encode(), "standin.csv").records == 300


@pytest.mark.parametrize(
    "columns", ["age: 18 to 90\npredict y: one of =x, ’=x", f"=s: 1 to 2\n’=s: 1 to 2\n{OUTCOME}"]
)
def test_what_would_become_one_by_the_safe_mark_is_refused(columns: str) -> None:
    with pytest.raises(InvalidInput):
        stand_in(columns, 10)


def test_a_long_number_is_not_repeated() -> None:
    with pytest.raises(InvalidInput) as refusal:
        stand_in(f"age: 18 to {'9' * 5_000}\n{OUTCOME}", 10)
    assert len(str(refusal.value)) < 400
