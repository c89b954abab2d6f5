"""Published and cross-checked values of the Gaussian mechanism (tests/reference/vectors.csv)."""

import csv
import json
from pathlib import Path

import pytest

from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_sigma,
    classical_sigma,
)

FUNCTIONS = {
    "gaussian_sigma_classical": classical_sigma,
    "gaussian_sigma_analytic": analytic_sigma,
    "gaussian_delta": analytic_delta,
    "gaussian_epsilon": analytic_epsilon,
}

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = [row for row in csv.DictReader(file) if row["kind"] in FUNCTIONS]


def test_every_kind_has_its_rows() -> None:
    counts = {kind: sum(row["kind"] == kind for row in ROWS) for kind in FUNCTIONS}
    assert counts == {
        "gaussian_sigma_classical": 2,
        "gaussian_sigma_analytic": 6,
        "gaussian_delta": 3,
        "gaussian_epsilon": 3,
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['kind']} {row['params']}")
def test_the_reference_value_is_met(row: dict[str, str]) -> None:
    computed = FUNCTIONS[row["kind"]](**json.loads(row["params"]))
    expected = float(row["value"])
    kind, _, digits = row["tolerance"].rpartition(" ")
    if kind == "rel":
        assert computed == pytest.approx(expected, rel=float(digits), abs=0.0)
    else:
        assert computed == pytest.approx(expected, rel=0.0, abs=float(digits))


def test_one_query_at_a_delta_above_a_half_is_met() -> None:
    # The single-query row of gaussian_sigma_composed.
    assert analytic_sigma(1.0, 0.78760074) == pytest.approx(1 / 3, abs=1e-6)
    assert analytic_sigma(1.0, 0.78760074, 6 * 25**0.5) == pytest.approx(10.0, abs=1e-6)
