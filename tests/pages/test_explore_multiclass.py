"""Explore where one of several classes is told: one model a class, and the numbers of all."""

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.controls.explore import PER_1000
from dpcore.evaluation.study import Study
from tests.pages.explored import at_first, below_title, numbers, only_methods, sentence
from tests.pages.shown import APP

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    """The others would have to be computed for ten classes as well."""
    only_methods(monkeypatch, "psgd")


def opened(**link):
    app = AppTest.from_file(APP, default_timeout=240)
    usual = {"data": "Handwritten digits", "methods": "PSGD", "focus": "PSGD"}
    usual |= {"epsilon": "10"}
    for name, value in (usual | link).items():
        app.query_params[name] = value
    return app.run()


def test_the_digits_are_told_by_one_model_each():
    app = opened()
    assert not app.exception
    assert not app.warning
    assert below_title(app).startswith("Handwritten digits · 1,797 drawings · judged on ")
    study = Study(dataset="optical_digits", methods=("psgd",), epsilons=(10.0,))
    row = at_first(study)
    shown = numbers(app)
    assert shown["Accuracy"] == f"{100 * row['accuracy']:.1f} %"
    assert shown["Class average"] == f"{100 * row['balanced_accuracy']:.1f} %"
    assert "Missed · false alarms" not in shown
    assert any("10 classes: one model for each" in caption.value for caption in app.caption)
    assert PER_1000 not in app.pills(key="view").options
    assert sentence(app).startswith("At ε = 10 PSGD is right for ")
    assert "10 classes, √10 times the μ of one" in app.metric[0].help


def test_there_is_no_area_of_several_classes():
    app = opened(compared_by="AUC")
    assert not app.exception
    assert "AUC" not in {metric.label for metric in app.metric}
    assert "compared_by" not in [each.key for each in app.segmented_control]
