"""Headings of tables in words."""

import pytest

from dpcore.evaluation import curves
from dpcore.evaluation.scoring.classes import CLASSIFICATION
from dpcore.evaluation.scoring.regression import REGRESSION
from dpcore.evaluation.training.measures import METRICS
from dpcore.evaluation.training.trainer import COLUMNS
from dpcore.figures.headings import heading
from dpcore.questions.comparison.finished import CERTIFIED, CONFIG_FIELDS, SETTINGS
from dpcore.questions.risk_curves import question as column_curves


@pytest.mark.parametrize(
    "columns",
    [
        COLUMNS,
        (*SETTINGS, *CONFIG_FIELDS),
        (*METRICS, *CERTIFIED),
        column_curves.COLUMNS,
        (*curves.columns(CLASSIFICATION), "baseline", "accuracy_baseline", "auc_linear"),
        curves.columns(REGRESSION),
    ],
)
def test_no_two_columns_of_a_table_share_a_heading(columns):
    headings = [heading(column) for column in columns]
    assert len(set(headings)) == len(columns)
    assert not any("_" in words for words in headings)
