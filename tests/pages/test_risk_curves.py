"""The tab of risk curves: the sentences of the package, and no training."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.datasets import Preparation, entry
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.evaluation.study import Study
from dpcore.questions.risk_curves.by_hand import effect_part
from dpcore.questions.risk_curves.figure import column_curve
from dpcore.questions.risk_curves.hand_figure import effect
from dpcore.questions.risk_curves.question import RiskCurvesQuestion, curve_part
from dpcore.questions.risk_curves.terms import read
from dpcore.work import jobs
from dpcore.work.task import JobContext
from pages.shared.verbatim import verbatim
from tests.pages.explored import COHORT, at, leave, only_methods
from tests.pages.shown import charts, run, said

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

LINK = COHORT | {"patients": "100", "view": "Risk curves", "focus": "OPERA", "runs": "10"}
LINK |= {"feature_map": "As they are"}
ALL = Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
FEATURES = {"plain": "As they are", "additive": "A curve in each number (additive)"}


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    only_methods(monkeypatch, "opera")


def left(folder, features, columns=()):
    """The result of a job, as a worker leaves it."""
    study = RiskCurvesQuestion(replace(ALL, preparation=Preparation(features=features)), columns)
    return curve_part(leave(folder, study.key, study.answer(JobContext())))


def told(rows, epsilon, column, measure="log_odds"):
    one = rows[rows["column"] == column]
    without, line = one[one["method"] == REFERENCE], one[one["method"] == "opera"]
    line = line[line["epsilon"] == epsilon]
    drawn = column_curve(line, without, entry("cohort"), measure=measure)
    return verbatim(drawn.sentence)


def test_the_sentence_is_that_of_the_package_and_follows_every_control(tmp_path):
    lines, curves = (left(tmp_path, features) for features in FEATURES)
    app = at(LINK)
    assert "risk_curves_figure" in charts(app)
    assert told(lines, 1.0, "age") in said(app)
    app.number_input(key="epsilon").set_value(10.0).run()
    assert told(lines, 10.0, "age") in said(app)
    app.selectbox(key="curve_of").set_value("sex").run()
    assert told(lines, 10.0, "sex") in said(app)
    for measure in ("risk", "risk_at_average"):
        app.selectbox(key="curve_as").set_value(measure).run()
        assert told(lines, 10.0, "sex", measure) in said(app)
    bent = at(LINK | {"feature_map": FEATURES["additive"], "curve_of": "bmi"})
    assert told(curves, 1.0, "bmi") in said(bent)
    assert told(lines, 1.0, "bmi") not in said(bent)
    assert jobs._attempts
    assert not any("column" in jobs.Job(key).result() for key in jobs._attempts)


def test_a_curve_is_corrected_by_hand_and_its_effect_told_once_asked_for(tmp_path, monkeypatch):
    left(tmp_path, "additive")
    typed: dict[str, Any] = {}
    files: dict[str, Any] = {}

    def editor(table, **_):
        heights = [
            typed.get(part, old)
            for part, old in zip(table["Part"], table["Corrected"], strict=True)
        ]
        return table.assign(Corrected=heights)

    def button(label, make, *_, **__):
        files[label] = make()

    monkeypatch.setattr("streamlit.data_editor", editor)
    monkeypatch.setattr("streamlit.download_button", button)

    def once_more(app):
        app.session_state["by_hand"] = True  # open, which this kind of test forgets
        run(app)

    app = at(LINK | {"feature_map": FEATURES["additive"]})
    once_more(app)
    assert "**without looking at records** is post-processing and costs nothing" in said(app)
    typed |= {"straight line, 18 to 100 years": 2.0, "step at 93.7 years": 0.0}
    once_more(app)
    assert "By hand, the odds of age at 18 years are " in said(app)
    assert "Accuracy" not in said(app)

    edits = read(files["Corrections (JSON)"].encode())
    assert edits == (("age", "line", 2.0), ("age", "step 12", 0.0))
    # What was corrected stays while others are looked at.
    app.selectbox(key="curve_of").set_value("sex")
    once_more(app)
    typed["male"] = -0.25
    once_more(app)
    edits = read(files["Corrections (JSON)"].encode())
    assert edits == (("age", "line", 2.0), ("age", "step 12", 0.0), ("sex", "male", -0.25))

    alone = replace(ALL, epsilons=(1.0,), preparation=Preparation(features="additive"))
    hand = RiskCurvesQuestion(alone, by_hand=edits)
    rows = leave(tmp_path, hand.key, hand.answer(JobContext()))
    next(one for one in app.button if one.label == "Measure the effect").click()
    once_more(app)
    assert verbatim(effect(effect_part(rows))) in said(app)
    # At another ε the same heights are those of another model, which nobody has asked of.
    app.number_input(key="epsilon").set_value(10.0)
    once_more(app)
    assert "the correction changes" not in said(app)
    assert read(files["Corrections (JSON)"].encode()) == edits
    typed["male"] = float("nan")
    once_more(app)
    assert "'male' of 'sex' is nan, but it must be a finite number" in app.error[0].value
