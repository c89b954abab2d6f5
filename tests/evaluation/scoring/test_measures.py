"""A scoring measures what it compares models by."""

import pytest

from dpcore.datasets import load, prepare
from dpcore.evaluation.baselines import without_privacy
from dpcore.evaluation.scoring import scoring_for


@pytest.fixture(scope="module", params=["breast_cancer", "diabetes"])
def split(request):
    return prepare(load(request.param))


def test_a_scoring_measures_what_it_compares_by(split):
    scoring = scoring_for(split)
    columns = {metric.column for metric in scoring.banded}
    assert {metric.column for metric in scoring.measures(split)} == columns
    assert columns <= set(scoring.measured)
    assert {metric.of_one_run for metric in scoring.banded} <= set(scoring.run_columns)
    (weights,) = without_privacy(split).linear
    assert set(scoring.intervals(split, weights)) == columns
    assert set(scoring.guesses(split)) == columns
