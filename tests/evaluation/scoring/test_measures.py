"""A measure that compares models: what other files say of it is there, or this names the file."""

import pytest

from dpcore.controls.explore import COMPARED_BY, MAY_COST
from dpcore.datasets import load, prepare
from dpcore.evaluation.baselines import without_privacy
from dpcore.evaluation.marks import beginnings
from dpcore.evaluation.scoring import CLASSIFICATION, REGRESSION, SCORINGS, scoring_for
from dpcore.export.report.measured import WRITTEN
from dpcore.figures.headings import heading
from dpcore.figures.quality import WORDS, Quality

METRICS = {metric.column: metric for each in SCORINGS for metric in each.banded}


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


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_a_measure_is_said_in_words_and_has_its_choice(metric):
    assert metric.column in WORDS, "dpcore/figures/quality.py"
    words = WORDS[metric.column]
    for sentence in (words.meaning, words.cost):
        assert sentence.endswith("."), metric.column
    assert words.result.count("{value}") == 1
    assert Quality(metric).gap(-1.0).split()[-1] in ("lower", "points")
    assert metric.column in MAY_COST, "dpcore/controls/explore.py"
    assert metric.column in WRITTEN
    assert metric.column.startswith(beginnings())
    assert "_" not in heading(metric.column), "dpcore/figures/headings.py"


def test_each_measure_of_two_classes_can_be_chosen_and_no_other():
    # Of a number there is one measure, and nothing to choose.
    assert len(REGRESSION.banded) == 1
    chosen = {metric.column for metric in CLASSIFICATION.banded}
    assert set(COMPARED_BY.kind.options()) == chosen, "dpcore/controls/explore.py"
