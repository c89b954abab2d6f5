"""The structured report of one private model, assembled from computed tables alone."""

from __future__ import annotations

from datetime import date

import dpcore
from dpcore.questions.report import measured, specification
from dpcore.questions.report.findings import Findings
from dpcore.questions.report.parts import Report
from dpcore.questions.report.tripod import checklist
from dpcore.words import plain


def report(findings: Findings, day: date, title: str = "") -> Report:
    usual = f"{findings.entry.title}: {findings.method.title} at ε = {plain(findings.epsilon)}"
    return Report(
        title=title or usual,
        line=f"{day.isoformat()} · Epsilon Explorer {dpcore.__version__}"
        + (f" · {usual}" if title else ""),
        sections=(
            measured.answer(findings),
            specification.data(findings),
            specification.privacy(findings),
            specification.preparation(findings),
            specification.model(findings),
            measured.measures(findings),
            measured.decisions(findings),
            measured.groups(findings),
            measured.looking(findings),
        ),
        checklist=checklist(findings),
    )
