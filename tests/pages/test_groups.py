"""The tab on groups of people: the sentences of the package, and no training."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpcore.controls.explore import (
    CALIBRATION,
    EPSILONS,
    GROUPS,
    NET_BENEFIT,
    RISK_CURVES,
    TAKE_ALONG,
)
from dpcore.evaluation import jobs, work
from dpcore.evaluation.clinic.group_task import GroupStudy, compared
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.study import Study
from dpcore.figures.groups import gap, hurt
from dpcore.figures.words import plain
from pages.explore.clinic import in_hand
from pages.shared.verbatim import verbatim
from tests.pages.explored import only_methods
from tests.pages.test_explore import COHORT, at, spoken

pytestmark = pytest.mark.usefixtures("alone")

LINK = COHORT | {"patients": "100", "view": "Groups", "focus": "OPERA", "runs": "10"}
ALL = Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
STUDIES = [
    GroupStudy(ClinicStudy(ALL, (threshold,)), column)
    for column, threshold in (("sex", 0.5), ("age", 0.5), ("age", 0.2))
]


@pytest.fixture(scope="module")
def tables():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
        return [compared(study) for study in STUDIES]


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    only_methods(monkeypatch, "opera")


@pytest.fixture
def counted(tables, tmp_path):
    """The jobs' results, as a worker leaves them."""
    folder = tmp_path / jobs.FOLDER
    folder.mkdir()
    for study, rows in zip(STUDIES, tables, strict=True):
        (folder / f"{study.key}.csv").write_text(rows.to_csv(index=False, na_rep=work.MISSING))


def told(rows, epsilon, measure):
    without, line = rows[rows["method"] == REFERENCE], rows[rows["method"] == "opera"]
    hurting = hurt(line[line["epsilon"] == epsilon], without, measure)
    sentences = (
        f"At ε = {plain(epsilon)}, {hurting[0].lower()}{hurting[1:]}",
        gap(line, without, measure, epsilon).sentence,
    )
    return [verbatim(sentence) for sentence in sentences]


@pytest.mark.slow("runs whole pages")
@pytest.mark.usefixtures("counted")
def test_the_sentences_are_those_of_the_package_and_follow_every_control(tables):
    sex, age, earlier = tables
    app = at(LINK)

    def holds(rows, epsilon, measure):
        assert not app.exception
        return all(sentence in spoken(app) for sentence in told(rows, epsilon, measure))

    assert {"groups_figure", "gap_figure"} <= {str(chart.key) for chart in app.get("plotly_chart")}
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
    assert not {study.key for study in STUDIES} & set(jobs._attempts)


@pytest.mark.slow("runs whole pages")
@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("value", ["shoe", "[x](http://y) `z`", "", "é" * 999])
def test_a_hostile_column_in_the_link_is_left_out(value):
    app = at(LINK | {"group_by": value})
    assert "which this page does not offer" in app.warning[0].value
    assert "it uses the first column." in app.warning[0].value
    assert "](http" not in app.warning[0].value
    assert app.selectbox(key="group_by").value == "sex"


@pytest.mark.slow("runs whole pages")
@pytest.mark.usefixtures("counted")
def test_a_link_opens_a_column_and_other_data_have_their_own():
    app = at(LINK | {"group_by": "age", "group_measure": "Sensitivity"})
    assert not app.warning
    assert app.selectbox(key="group_by").value == "age"
    app.selectbox(key="data").set_value("breast_cancer").run()
    assert not app.exception
    assert app.selectbox(key="group_by").value == "mean radius"


@pytest.mark.slow("runs whole pages")
def test_nothing_is_compared_before_the_tab_is_open_nor_without_risks():
    closed = at(LINK | {"view": "Per 1,000"})
    assert "group_by" not in {box.key for box in closed.selectbox}
    assert "Groups are being compared" in spoken(at(LINK))
    huber = at(LINK | {"loss": "Huber SVM"})
    assert "This needs risks, which only **logistic regression** gives." in spoken(huber)


def test_a_tab_that_is_left_goes_on_being_computed_until_the_settings_change(monkeypatch):
    session: dict[str, object] = {}
    monkeypatch.setattr("pages.explore.clinic.store", session.__setitem__)
    monkeypatch.setattr("pages.explore.clinic.stored", session.get)
    monkeypatch.setattr("pages.explore.clinic.control_text", lambda _: "OPERA")
    view, other = (SimpleNamespace(study=replace(ALL, seed=seed)) for seed in (0, 7))
    assert in_hand(view, GROUPS, {"groups"}) == {"groups"}  # type: ignore[arg-type]
    assert in_hand(view, NET_BENEFIT, {"risks"}) == {"groups", "risks"}  # type: ignore[arg-type]
    assert in_hand(view, TAKE_ALONG, set()) == {"groups", "risks"}  # type: ignore[arg-type]
    # What a tab wants no more would keep others waiting.
    assert in_hand(view, CALIBRATION, {"new"}) == {"groups", "new"}  # type: ignore[arg-type]
    assert in_hand(other, RISK_CURVES, {"curves"}) == {"curves"}  # type: ignore[arg-type]
    monkeypatch.setattr("pages.explore.clinic.control_text", lambda _: "DP-GD")
    assert in_hand(other, GROUPS, set()) == set()  # type: ignore[arg-type]


@pytest.mark.slow("runs whole pages")
def test_what_is_in_hand_is_what_the_page_waits_for(monkeypatch):
    held: list[set[str]] = []
    monkeypatch.setattr("pages.explore.clinic.in_hand", lambda _, tab, keys: {*keys, "left"})
    monkeypatch.setattr("pages.shared.shared_jobs.only", lambda _, keys: held.append(set(keys)))
    at(LINK)
    assert {STUDIES[0].key, "left"} <= held[-1]
