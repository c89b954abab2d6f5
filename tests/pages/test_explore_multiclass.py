"""Explore where one of several classes is told: one model a class, and the numbers of all."""

import pytest

from dpcore.controls.explore import PER_1000, THE_CHOSEN_METHODS
from dpcore.evaluation.study import Study
from dpcore.questions.cost.figure import RIGHT_GUESSES
from dpcore.words import percent
from tests.curves import answers
from tests.pages.explored import at, only_methods, readings
from tests.pages.shown import run

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    """The others would have to be computed for ten classes as well, and ten times as many trees."""
    only_methods(monkeypatch, "psgd")
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def opened(**link):
    usual = {"data": "Handwritten digits", "methods": "PSGD", "focus": "PSGD", "epsilon": "10"}
    return at(usual | link)


def test_the_digits_are_told_by_one_model_each_and_have_no_area():
    study = Study(dataset="optical_digits", methods=("psgd",), epsilons=(10.0,))
    row = answers(study).iloc[0]
    app = opened(compared_by="AUC")
    assert "compared_by" not in [each.key for each in app.segmented_control]
    assert "threshold" not in [each.key for each in app.slider]
    shown = readings(app)
    assert list(shown) == ["Accuracy", "Class average", RIGHT_GUESSES]
    assert shown["Accuracy"] == percent(row["accuracy"])
    assert shown["Class average"] == percent(row["balanced_accuracy"])
    app.session_state["view"] = THE_CHOSEN_METHODS
    assert PER_1000 not in run(app).pills(key="view").options
