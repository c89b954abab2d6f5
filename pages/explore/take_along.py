"""Offer Explore's results as CSV, commands, Python code, and a report of its first model."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dpcore.controls.explore import BEST
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.curves import for_a_file
from dpcore.evaluation.splits import features_at
from dpcore.evaluation.study import gives_risks
from dpcore.questions import register
from dpcore.questions.question import Question
from dpcore.questions.register import named
from dpcore.questions.report.findings import BY_HAND, BY_RULE, Findings
from dpcore.questions.told import YOUR_COLUMNS, commands, snippet
from pages.explore import asked, curve_jobs
from pages.explore.numbers import AtStop
from pages.shared.display import download_csv, draw_file, show_command, show_python, show_table
from pages.shared.session import stored

if TYPE_CHECKING:
    from pages.explore.view import View

AT_THE_THRESHOLD = (
    "This table is of accuracy at 50 %. That of the first screen, and its command, stand behind "
    "“Table, CSV and code” under the picture."
)
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


def show(view: View, stop: AtStop, _: float) -> None:
    """Show the table, its CSV, the report, and two ways to compute the table again.

    It holds the chosen methods, and the one on the first screen.
    """
    taken = view.with_method(stop.model.method)
    study = taken.study
    table = pd.concat(map(for_a_file, taken.chosen_tables), ignore_index=True)
    name = f"{study.dataset}_{study.loss}"
    show_table(table, name, "Every number of the chosen methods")
    if not view.decision.is_at_one_half:
        st.caption(AT_THE_THRESHOLD)
    with st.container(horizontal=True, gap="small"):
        download_csv(table, name)
        show_report(view, stop.model)
    parts = [named("cost")(part) for part in taken.parts]
    show_command(commands(parts))
    columns_note = f" {YOUR_COLUMNS} holds the description of its columns." if study.columns else ""
    st.caption(f"With --every-run it lists every single run.{columns_note}")
    show_python(snippet(*parts))


def show_report(view: View, model: ModelAtEpsilon) -> None:
    if not gives_risks(model.method):
        st.caption(f":material/info: {LINEAR_ONLY.format(view.titles[model.method])}")
        return
    findings = _findings(view, model)

    def file() -> bytes:
        from dpcore.questions.report.build import report
        from dpcore.questions.report.html import html

        return html(report(findings, date.today())).encode()

    draw_file(
        "Report (HTML)",
        file,
        f"report_{view.study.dataset}.html",
        icon=":material/description:",
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
