"""Explore where a number is predicted: words, figures and numbers are those of errors."""

import pytest

from dpcore.erm.losses import RESIDUAL_LOSSES
from dpcore.erm.methods import register
from dpcore.evaluation.study import Study
from dpcore.questions.cost.figure import RIGHT_GUESSES
from dpcore.words import plain
from pages.shared import work
from tests.curves import answers
from tests.pages.expert import with_expert_open
from tests.pages.explored import answered, at, only_methods, readings, sentence
from tests.pages.shown import picture, said
from tests.pages.waiting import until

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

DATA = "Diabetes progression"


@pytest.fixture(autouse=True)
def closed_forms(monkeypatch):
    """Beside the method of the rule there are two, none of which is trained."""
    only_methods(monkeypatch, "outpert", "opera")


def opened(**link):
    return at({"data": DATA} | link)


def test_the_first_view_speaks_of_errors_only():
    app = opened(
        number_methods=["OPERA", "OutPert"], view="Best method", epsilon="0.01", focus="OPERA"
    )
    study = Study("diabetes", loss="squared", methods=("opera",), epsilons=(0.01,))
    row = answers(study).iloc[0]
    shown = readings(app)
    assert list(shown) == ["RMSE", "R²", RIGHT_GUESSES]
    assert shown["RMSE"] == plain(row["rmse"])
    assert shown["R²"] == plain(row["r2"], 2)
    assert picture(app)["people"] is None
    assert sentence(app).startswith(f"At ε = 0.01 OPERA is off by {plain(row['rmse'])} (RMSE)")
    main = " ".join(text.value for text in (*app.main.markdown, *app.main.caption))
    main += str(picture(app))
    for word in ("accuracy", "missed", "majority", "false alarm", "commoner", "points"):
        assert word not in main.lower()
    # Another data set brings the other words back.
    answered(app.selectbox(key="data").set_value("breast_cancer").run())
    assert "Right decisions" in readings(app)


def test_only_methods_that_learn_numbers_are_offered():
    app = with_expert_open(opened(compared_by="AUC"))
    offered = [
        method.title
        for method in register().values()
        if method.key != "nonprivate" and set(method.losses) & set(RESIDUAL_LOSSES)
    ]
    assert app.pills(key="number_methods").options == offered
    assert "SgdPert" not in offered
    # There is no area of a number.
    assert "compared_by" not in [each.key for each in app.segmented_control]


def test_a_curve_that_is_finished_while_the_page_is_drawn_is_shown(monkeypatch):
    only_methods(monkeypatch, "opera", "adassp")
    app = opened(number_methods=["OPERA", "AdaSSP"], view="Take along", runs="10")
    until(lambda: "adassp" in set(app.dataframe[0].value["method"]), app)
    # Asked once, it is not there yet; the next time it is, as for a job that ends in between.
    noun, really = [], work.state

    def late(key):
        noun.append(key)
        return really(key) if len(noun) > 1 else "running"

    monkeypatch.setattr(work, "state", late)
    again = opened(number_methods=["OPERA", "AdaSSP"], view="Take along", runs="10")
    assert len(noun) > 1
    assert "adassp" in set(again.dataframe[0].value["method"])
    assert "is being trained" not in said(again)
