"""Explore where one of several classes is told: one model a class, and the numbers of all."""

import pytest

from dpcore.controls.explore import PER_1000
from dpcore.evaluation.study import Study
from tests.pages.explored import at_first, only_methods
from tests.pages.shown import numbers, open_page

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    """The others would have to be computed for ten classes as well."""
    only_methods(monkeypatch, "psgd")


def opened(**link):
    usual = {"data": "Handwritten digits", "methods": "PSGD", "focus": "PSGD", "epsilon": "10"}
    return open_page("explore", **(usual | link))


def test_the_digits_are_told_by_one_model_each_and_have_no_area():
    study = Study(dataset="optical_digits", methods=("psgd",), epsilons=(10.0,))
    row = at_first(study)
    app = opened(compared_by="AUC")
    assert "compared_by" not in [each.key for each in app.segmented_control]
    shown = numbers(app)
    assert "AUC" not in shown
    assert shown["Accuracy"] == f"{100 * row['accuracy']:.1f} %"
    assert shown["Class average"] == f"{100 * row['balanced_accuracy']:.1f} %"
    assert "Missed · false alarms" not in shown
    assert PER_1000 not in app.pills(key="view").options
    assert "10 classes, √10 times the μ of one" in app.metric[0].help
