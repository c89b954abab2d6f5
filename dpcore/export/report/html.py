"""A report as one file of HTML: no script, nothing from elsewhere, and paper of A4.

A tree's writer escapes every text, so that no name of a column can become markup, and a policy in
the file forbids whatever it does not bring itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, tostring

from dpcore.evaluation.marks import NOT_PRIVATE
from dpcore.export.report.parts import (
    WHOLE,
    Facts,
    Item,
    Part,
    Report,
    ReportTable,
    Section,
    Sentences,
)
from dpcore.export.report.picture import drawn
from dpcore.export.report.style import STYLE
from dpcore.words import on_one_line

MEASURED = "measured"
"""The class of every element that holds what was computed from records."""
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
CHECKLIST = "TRIPOD+AI checklist"
SOURCE = (
    "Items by number, after Collins et al., TRIPOD+AI statement, BMJ 2024;385:e078378; titles "
    "shortened, the published wording counts. Answered is what the program knows; an open line is "
    "the author’s."
)


def html(report: Report) -> str:
    """The report as the text of one file."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "meta", name="referrer", content="no-referrer")
    _text(head, "title", report.title)
    SubElement(head, "style").text = STYLE
    main = SubElement(SubElement(root, "body"), "main")
    header = SubElement(main, "header")
    _text(header, "h1", report.title)
    _text(header, "p", report.line, "line")
    for wide, sections in groupby(report.sections, lambda section: section.wide):
        place = SubElement(main, "div", {"class": "wide" if wide else "narrow"})
        for section in sections:
            _section(place, section)
    _checklist(main, report.checklist)
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def shown(text: str) -> str:
    """The text on one line, with unseen marks written out, as [U+202E]."""
    return "".join(
        f"[U+{ord(letter):04X}]" if unicodedata.category(letter) in UNSEEN else letter
        for letter in on_one_line(text)
    )


def _text(parent: Element, tag: str, text: str, kind: str = "", **attributes: str) -> Element:
    element = SubElement(parent, tag, {**({"class": kind} if kind else {}), **attributes})
    element.text, element.tail = shown(text), "\n"
    return element


def _section(parent: Element, section: Section) -> None:
    place = SubElement(parent, "section")
    _text(place, "h2", section.title)
    for measured, parts in groupby(section.parts, lambda part: part.measured):
        under = place
        if measured:
            under = SubElement(place, "div", {"class": MEASURED})
            _text(under, "p", NOT_PRIVATE, "mark")
        for part in parts:
            _part(under, part)


def _part(place: Element, part: Part) -> None:
    if isinstance(part, Facts):
        names = SubElement(place, "dl")
        for name, value in part.rows:
            _text(names, "dt", name)
            _text(names, "dd", value)
    elif isinstance(part, Sentences):
        for line in part.lines:
            _text(place, "p", line, "alarm" if part.alarm else "")
    elif isinstance(part, ReportTable):
        _grid(place, part)
    else:
        figure = SubElement(place, "figure")
        figure.append(drawn(part, shown))
        _text(figure, "figcaption", part.sentence)


def _grid(parent: Element, grid: ReportTable) -> None:
    table = SubElement(parent, "table")
    _text(table, "caption", grid.caption)
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in grid.columns:
        _text(head, "th", name, scope="col")
    body = SubElement(table, "tbody")
    for first, *others in grid.rows:
        row = SubElement(body, "tr")
        _text(row, "th", first, scope="row")
        for cell in others:
            _text(row, "td", cell)


def _checklist(parent: Element, groups: Sequence[tuple[str, Sequence[Item]]]) -> None:
    place = SubElement(parent, "section", {"class": "checklist"})
    _text(place, "h2", CHECKLIST)
    _text(place, "p", SOURCE)
    columns = SubElement(place, "div", {"class": "columns"})
    for title, items in groups:
        _text(columns, "h3", title)
        listed = SubElement(columns, "ul")
        for item in items:
            _item(SubElement(listed, "li"), item)


def _item(place: Element, item: Item) -> None:
    _text(place, "strong", f"{item.number} {item.title}.")
    if item.answer:
        _text(place, "span", item.answer, MEASURED if item.measured else "")
        if item.measured:
            _text(place, "span", f"({NOT_PRIVATE})", "mark")
    if item.left:
        open_part = "" if item.left == WHOLE else f": {item.left}"
        _text(place, "span", f"Left to the author{open_part}.", "left")
        SubElement(place, "span", {"class": "open", "aria-hidden": "true"})
