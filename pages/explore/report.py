"""Make the report of the first screen's model from the tables that the page has already."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.explore import BEST
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.study import gives_risks
from dpcore.evaluation.feature_maps import features_at
from dpcore.questions import register
from dpcore.questions.question import Question
from dpcore.questions.report.findings import BY_HAND, BY_RULE, Findings
from pages.explore import asked, curve_jobs
from pages.shared.session import stored

if TYPE_CHECKING:
    from pages.explore.view import View

LINEAR_ONLY = (
    "A report describes a linear model, and this is {}. Choose another under Expert, as “Numbers "
    "for”."
)
OF_RISKS = {
    "decision_curve": "decisions",
    "calibration": "reliability",
    "groups": "groups",
}
"""The questions that a report asks, and where it has their tables."""
WHAT = (
    "One model at this ε on two pages, with the **TRIPOD+AI** checklist. It is one file, to be "
    "read in a browser or printed. It holds what was judged in the tabs Net benefit, Calibration "
    "and Groups, if they were opened."
)


def show(view: View, model: ModelAtEpsilon) -> None:
    """Show the button that makes the report of a model."""
    if not gives_risks(model.method):
        st.caption(f":material/info: {LINEAR_ONLY.format(view.titles[model.method])}")
        return
    findings = _findings(view, model)

    def file() -> bytes:
        from dpcore.questions.report.build import report
        from dpcore.questions.report.html import html

        return html(report(findings, date.today())).encode()

    st.download_button(
        "Report (HTML)",
        file,  # made when it is asked for
        file_name=f"report_{view.study.dataset}.html",
        mime="text/html",
        icon=":material/description:",
        on_click="ignore",
        key="report",
        help=WHAT,
    )


def _findings(view: View, model: ModelAtEpsilon) -> Findings:
    method, edition, epsilon = model.method, model.edition, model.epsilon
    findings = Findings(
        study=view.study,
        calibration=view.calibration(method, edition, epsilon),
        split=view.split,
        features=features_at(view.study, view.split, method, epsilon),
        line=view.line[view.line["method"] == method],
        compared=view.compared,
        judged=view.judged,
        splits=view.records.splits,
        published=view.records.published,
        chosen=BY_RULE if view.focus == BEST else BY_HAND,
        positive_per_1000=view.ill_per_1000,
        threshold=view.threshold,
    )
    names, values = stored(asked.LAST) or ((), {})
    for name in filter(OF_RISKS.__contains__, names):
        question = asked.wanted(view, register.named(name), values)
        if isinstance(question, Question) and curve_jobs.is_done(question):
            table: Any = curve_jobs.results(question)
            if method in set(table["method"]):
                findings = replace(findings, **{OF_RISKS[name]: table})
    return findings
