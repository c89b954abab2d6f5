"""The structured report of one private model: pure, from tables that are there already."""

from __future__ import annotations

from datetime import date

import dpcore
from dpcore.export.report import measured, settled
from dpcore.export.report.findings import Findings
from dpcore.export.report.parts import Report
from dpcore.export.report.tripod import checklist
from dpcore.figures.words import plain


def report(found: Findings, day: date, title: str = "") -> Report:
    """The report.

    Parameters
    ----------
    found : Findings
    day : date
        Written below the title.
    title : str
        By default the data set, the method and ε.
    """
    usual = f"{found.entry.title}: {found.method.title} at ε = {plain(found.epsilon)}"
    return Report(
        title=title or usual,
        line=f"{day.isoformat()} · Epsilon Explorer {dpcore.__version__}"
        + (f" · {usual}" if title else ""),
        sections=(
            measured.answer(found),
            settled.data(found),
            settled.privacy(found),
            settled.preparation(found),
            settled.model(found),
            measured.measures(found),
            measured.decisions(found),
            measured.groups(found),
            measured.looking(found),
        ),
        checklist=checklist(found),
    )
