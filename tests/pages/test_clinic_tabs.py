"""The tabs on risks, decisions and groups: numbers of the package, and no training."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpcore.controls.explore import CALIBRATION, EPSILONS, GROUPS, NET_BENEFIT, RISK_CURVES
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.evaluation.study import Study
from dpcore.questions.calibration.figure import reliability_curve
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.cost.question import CostQuestion, ReferenceQuestion
from dpcore.questions.decision_curve.question import DecisionCurveQuestion, worth_from
from dpcore.questions.groups.figure import gap, hurt
from dpcore.questions.groups.question import GroupsQuestion
from dpcore.questions.risks import correction
from dpcore.words import plain, spaced
from dpcore.work import jobs
from dpcore.work.task import JobContext
from pages.shared.verbatim import verbatim
from tests.pages.explored import COHORT, answered, at, leave, only_methods
from tests.pages.shown import charts, numbers, run, said

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

LINK = COHORT | {"patients": "100", "focus": "OPERA", "runs": "10", "threshold": "50"}
ALL = Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
DECISIONS, RISKS = DecisionCurveQuestion(ALL), CalibrationQuestion(ALL)
FOURIER = "Random Fourier (Gaussian kernel)"
DECISIONS_CORRECTED = replace(DECISIONS, corrected=True)
RISKS_CORRECTED = replace(RISKS, corrected=True)
GROUP_STUDIES = [
    GroupsQuestion(ALL, by=column, threshold=threshold)
    for column, threshold in (("sex", 0.5), ("age", 0.5), ("age", 0.2))
]


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
        reference, first = ReferenceQuestion(ALL), CostQuestion(ALL)
        every = (DECISIONS, RISKS, DECISIONS_CORRECTED, RISKS_CORRECTED, *GROUP_STUDIES, first)
        return {
            **{study.key: study.answer(JobContext()) for study in every},
            reference.key: reference.answer(JobContext()),
        }


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    only_methods(monkeypatch, "opera")


@pytest.fixture
def done(results, tmp_path):
    """Nothing has to be computed, and nothing is."""
    for key, outcome in results.items():
        leave(tmp_path, key, outcome)
    yield
    assert not set(results) & set(jobs._attempts)


def opened(view, **link):
    return at(LINK | {"view": view} | link)


def row_at(rows, epsilon, threshold):
    return rows[(rows["epsilon"] == epsilon) & (rows["threshold"] == threshold)].iloc[0]


@pytest.mark.usefixtures("done")
def test_net_benefit_follows_epsilon_and_threshold(results):
    rows = results[DECISIONS.key].rows
    app = opened(NET_BENEFIT)
    assert "decision_curve_figure" in charts(app)
    for epsilon, threshold in ((1.0, 0.5), (10.0, 0.5), (10.0, 0.2)):
        app.number_input(key="epsilon").set_value(epsilon)
        run(app).slider(key="threshold").set_value(round(100 * threshold))
        row, told = row_at(rows, epsilon, threshold), numbers(run(app))
        assert told["Sensitivity"] == f"{100 * row['true_positive_rate']:.1f} %"
        assert told["Specificity"] == f"{100 * row['true_negative_rate']:.1f} %"
        assert told["Predictive value"] == f"{100 * row['predictive_value']:.1f} %"
        counts = f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}"
        assert next(one.value for one in reversed(app.metric) if "alarms" in one.label) == counts
        benefit = plain(round(row["net_benefit"], 3))
        at_both = f"At ε = {plain(epsilon)} and a threshold of {100 * threshold:.0f} %"
        assert f"{at_both}, the net benefit of OPERA is {benefit}." in said(app)
    least = worth_from(rows, 0.2)
    assert least is not None
    assert f"treating everybody or nobody from ε = {plain(least)} on." in said(app)


@pytest.mark.usefixtures("done")
def test_costs_are_shown_once_both_are_given(results):
    app = opened(NET_BENEFIT, threshold="20", miss_cost="900")
    assert "Cost of wrong decisions" not in numbers(app)
    app.number_input(key="alarm_cost").set_value(100.0)
    row = row_at(results[DECISIONS.key].rows, 1.0, 0.2)
    cost = 900.0 * row["missed_per_1000"] + 100.0 * row["false_per_1000"]
    assert numbers(run(app))["Cost of wrong decisions"] == spaced(round(cost))
    assert "By these costs one would act from a risk of 10 % on." in said(app)
    # Another ε than those of the grid is answered at the nearest, which is said.
    app.number_input(key="epsilon").set_value(1.1)
    assert numbers(run(app))["Cost of wrong decisions"] == spaced(round(cost))
    assert "Counted at ε = 1, the nearest below 1.1." in said(app)


@pytest.mark.usefixtures("done")
def test_calibration_and_its_correction_are_those_of_the_package(results):
    app = opened(CALIBRATION)
    for epsilon, study in ((1.0, RISKS), (10.0, RISKS), (10.0, RISKS_CORRECTED)):
        app.number_input(key="epsilon").set_value(epsilon)
        run(app).toggle(key="corrected").set_value(study.corrected)
        rows = results[study.key].rows
        model, without = rows[rows["epsilon"] == epsilon], rows[rows["method"] == REFERENCE]
        told, row = numbers(run(app)), model.iloc[0]
        assert told["Slope"] == plain(round(row["calibration_slope"], 2))
        assert told["Intercept"] == plain(round(row["calibration_intercept"], 2))
        assert told["Calibration error"] == f"{100 * row['calibration_error']:.1f} %"
        assert reliability_curve(model, without, people="patients").sentence in said(app)
        assert ("Correcting the risks takes" in said(app)) == study.corrected
    assert correction(ModelAtEpsilon.of(row)) in said(app)
    app = opened(NET_BENEFIT, corrected="true", threshold="20")
    row = row_at(results[DECISIONS_CORRECTED.key].rows, 1.0, 0.2)
    assert numbers(app)["Sensitivity"] == f"{100 * row['true_positive_rate']:.1f} %"
    assert f"is {plain(round(row['net_benefit'], 3))}." in said(app)


@pytest.mark.usefixtures("done")
def test_groups_follow_every_control(results):
    sex, age, earlier = (results[study.key].rows for study in GROUP_STUDIES)
    app = opened(GROUPS)
    assert {"groups_figure", "groups_figure_1"} <= charts(app)

    def holds(rows, epsilon, measure):
        without, line = rows[rows["method"] == REFERENCE], rows[rows["method"] == "opera"]
        hurting = hurt(line[line["epsilon"] == epsilon], without, measure)
        sentences = (
            f"At ε = {plain(epsilon)}, {hurting[0].lower()}{hurting[1:]}",
            gap(line, without, measure, epsilon).sentence,
        )
        return all(verbatim(sentence) in said(app) for sentence in sentences)

    assert holds(sex, 1.0, "missed_per_1000")
    app.number_input(key="epsilon").set_value(10.0).run()
    assert holds(sex, 10.0, "missed_per_1000")
    app.selectbox(key="group_by").set_value("age").run()
    assert holds(age, 10.0, "missed_per_1000")
    app.selectbox(key="group_measure").set_value("auc").run()
    assert holds(age, 10.0, "auc")
    app.slider(key="threshold").set_value(20).run()
    app.selectbox(key="group_measure").set_value("true_positive_rate").run()
    assert holds(earlier, 10.0, "true_positive_rate")
    assert not holds(age, 10.0, "true_positive_rate")
    # Other data have columns of their own.
    app.selectbox(key="data").set_value("breast_cancer")
    assert answered(run(app)).selectbox(key="group_by").value == "mean radius"


@pytest.mark.parametrize(
    ("view", "name", "value", "told"),
    [
        (NET_BENEFIT, "threshold", "100", "“100”, but it must be a number from"),
        (NET_BENEFIT, "threshold", "nan", "“nan”, but it must be a number from"),
        (NET_BENEFIT, "miss_cost", "-1", "“-1”, but it must be a number from"),
        (GROUPS, "group_by", "shoe", "it uses the first column."),
        (GROUPS, "group_by", "[x](http://y) `z`", "it uses the first column."),
        (RISK_CURVES, "curve_of", "[x](http://y) `z`", "the curve of"),
        (GROUPS, "group_by", "é" * 999, "it uses the first column."),
    ],
)
@pytest.mark.usefixtures("done")
def test_a_hostile_link_is_answered_and_left_out(view, name, value, told):
    app = opened(view, **{name: value})
    assert told in app.warning[0].value
    assert "](http" not in app.warning[0].value
    assert name not in app.query_params


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ({"view": NET_BENEFIT}, "Judging risks"),
        ({"view": GROUPS}, "Comparing groups"),
        ({"view": GROUPS, "loss": "Huber SVM"}, "This needs risks"),
        ({"view": RISK_CURVES, "feature_map": FOURIER}, "features is 'fourier', but it must be"),
        ({"methods": "Naive Bayes", "focus": "Naive Bayes"}, "gives classes, not risks."),
        (
            {"methods": "ObjPert", "focus": "ObjPert", "corrected": "true"},
            "must be proved by the curve of one Gaussian, as DP-GD is",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_nothing_is_counted_before_the_tab_is_open_nor_without_risks(link, told):
    app = at(LINK | {"view": CALIBRATION} | link)
    assert told in said(app)
    assert not charts(app) & {"decision_curve_figure", "groups_figure"}
    closed = opened("Per thousand")
    assert not any("progress" in str(bar.key) for bar in closed.get("progress"))
    assert not {"group_by", "curve_of"} & {box.key for box in closed.selectbox}


def test_what_is_in_hand_is_what_the_page_waits_for(monkeypatch):
    held: list[set[str]] = []
    monkeypatch.setattr("pages.explore.asked.in_hand", lambda _, tab, keys: {*keys, "left"})
    monkeypatch.setattr("pages.shared.work.only", lambda _, keys: held.append(set(keys)))
    opened(GROUPS)
    assert {GROUP_STUDIES[0].key, "left"} <= held[-1]
