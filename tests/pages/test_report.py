"""The report among what one takes along: from the tables of the tabs that were open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import dpcore
from dpcore.datasets import load
from dpcore.evaluation.study import Study
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.cost.question import ReferenceQuestion
from dpcore.questions.decision_curve.question import DecisionCurveQuestion
from dpcore.questions.groups.question import GroupsQuestion
from dpcore.work.task import JobContext
from tests.pages.explored import COHORT, at, leave, only_methods, open_tab

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

LINK = COHORT | {"patients": "100", "focus": "OPERA", "runs": "10", "threshold": "20"}
ALL = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(0.1, 1.0), runs=10)
UNCORRECTED = (
    DecisionCurveQuestion(ALL),
    CalibrationQuestion(ALL),
    GroupsQuestion(ALL, by="sex", threshold=0.2),
)
JUDGED = (*UNCORRECTED, *(replace(one, corrected=True) for one in UNCORRECTED))
Made = dict[str, Callable[[], bytes]]


@pytest.fixture
def buttons(monkeypatch):
    """What each button for a download would give."""
    result: Made = {}

    def button(label, data, **_):
        result[label] = data

    monkeypatch.setattr("streamlit.delta_generator.DeltaGenerator.download_button", button)
    monkeypatch.setattr("streamlit.download_button", button)
    return result


def left_by_workers(monkeypatch, folder, *methods):
    """The results of the jobs of these methods."""
    only_methods(monkeypatch, *methods)
    monkeypatch.setattr("pages.explore.curve_jobs.grid", lambda *_: ALL.epsilons)
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    reference = ReferenceQuestion(ALL)
    for key, outcome in (
        *((one.key, one.answer(JobContext())) for one in JUDGED),
        (reference.key, reference.answer(JobContext())),
    ):
        leave(folder, key, outcome)


def test_the_report_is_that_of_the_front_door_with_what_the_open_tabs_judged(
    monkeypatch, tmp_path, buttons
):
    left_by_workers(monkeypatch, tmp_path, "opera")
    app = at(LINK)
    open_tab(app, "Take along")
    made = buttons["Report (HTML)"]().decode()
    for tab in ("Net benefit", "Calibration", "Groups", "Take along"):
        open_tab(app, tab)
    page = buttons["Report (HTML)"]().decode()
    wanted = dpcore.report(
        ALL, 1.0, "opera", threshold=0.2, by="sex", records=load("cohort", records=100)
    )
    assert page == wanted
    # Nobody had chosen a column, so that no groups were compared.
    assert "Not computed for this report." in made
    assert "Not computed for this report." not in page
    # Risks are corrected in the report where they were in the tab that was open last.
    open_tab(app, "Groups").toggle(key="corrected").set_value(True).run()
    open_tab(app, "Take along")
    judging = {"threshold": 0.2, "by": "sex", "corrected": True}
    wanted = dpcore.report(ALL, 1.0, "opera", **judging, records=load("cohort", records=100))
    assert buttons["Report (HTML)"]().decode() == wanted
