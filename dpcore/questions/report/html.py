"""A report as one file of HTML, on paper of A4."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement

from dpcore.evaluation.marks import NOT_PRIVATE
from dpcore.figures import html_file
from dpcore.figures.html_file import shown, text
from dpcore.figures.style import BLUE, ink
from dpcore.questions.report.parts import (
    WHOLE,
    Curve,
    Facts,
    Item,
    Part,
    Report,
    ReportTable,
    Section,
    Sentences,
)
from dpcore.words import percent, plain

MEASURED = "measured"
"""The class of every element that holds what was computed from records."""
CHECKLIST = "TRIPOD+AI checklist"
SOURCE = (
    "Items by number, after Collins et al., TRIPOD+AI statement, BMJ 2024;385:e078378; titles "
    "shortened, the published wording counts. Answered is what the program knows; an open line is "
    "the author’s."
)


def html(report: Report) -> str:
    """The report as the text of one file."""
    root, main = html_file.begin(report.title, STYLE)
    header = SubElement(main, "header")
    text(header, "h1", report.title)
    text(header, "p", report.line, "line")
    for wide, sections in groupby(report.sections, lambda section: section.wide):
        place = SubElement(main, "div", {"class": "wide" if wide else "narrow"})
        for section in sections:
            _section(place, section)
    _checklist(main, report.checklist)
    return html_file.write(root)


def _section(parent: Element, section: Section) -> None:
    place = SubElement(parent, "section")
    text(place, "h2", section.title)
    for measured, parts in groupby(section.parts, lambda part: part.measured):
        under = place
        if measured:
            under = SubElement(place, "div", {"class": MEASURED})
            text(under, "p", NOT_PRIVATE, "mark")
        for part in parts:
            _part(under, part)


def _part(place: Element, part: Part) -> None:
    if isinstance(part, Facts):
        names = SubElement(place, "dl")
        for name, value in part.rows:
            text(names, "dt", name)
            text(names, "dd", value)
    elif isinstance(part, Sentences):
        for line in part.lines:
            text(place, "p", line, "alarm" if part.alarm else "")
    elif isinstance(part, ReportTable):
        _grid(place, part)
    else:
        figure = SubElement(place, "figure")
        figure.append(drawn(part, shown))
        text(figure, "figcaption", part.sentence)


def _grid(parent: Element, grid: ReportTable) -> None:
    table = SubElement(parent, "table")
    text(table, "caption", grid.caption)
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in grid.columns:
        text(head, "th", name, scope="col")
    body = SubElement(table, "tbody")
    for first, *others in grid.rows:
        row = SubElement(body, "tr")
        text(row, "th", first, scope="row")
        for cell in others:
            text(row, "td", cell)


def _checklist(parent: Element, groups: Sequence[tuple[str, Sequence[Item]]]) -> None:
    place = SubElement(parent, "section", {"class": "checklist"})
    text(place, "h2", CHECKLIST)
    text(place, "p", SOURCE)
    columns = SubElement(place, "div", {"class": "columns"})
    for title, items in groups:
        text(columns, "h3", title)
        listed = SubElement(columns, "ul")
        for item in items:
            _item(SubElement(listed, "li"), item)


def _item(place: Element, item: Item) -> None:
    text(place, "strong", f"{item.number} {item.title}.")
    if item.answer:
        text(place, "span", item.answer, MEASURED if item.measured else "")
        if item.measured:
            text(place, "span", f"({NOT_PRIVATE})", "mark")
    if item.left:
        open_part = "" if item.left == WHOLE else f": {item.left}"
        text(place, "span", f"Left to the author{open_part}.", "left")
        SubElement(place, "span", {"class": "open", "aria-hidden": "true"})


WIDTH, HEIGHT = 400.0, 225.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 12.0, 8.0, 40.0
"""Margins, in the picture's own units."""
ROOM = 0.12
"""Share of the range of values that is left free above and below, for words."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MAX_TICKS, LABEL_WIDTH = 5, 38.0
"""Most values on the vertical axis, and the width of a number on the other."""


@dataclass(frozen=True)
class _PictureFrame:
    epsilons: tuple[float, float]
    values: tuple[float, float]

    def x(self, epsilon: float) -> float:
        low, high = (math.log(end) for end in self.epsilons)
        share = 0.5 if high == low else (math.log(epsilon) - low) / (high - low)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        low, high = self.values
        return round(TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)


def drawn(curve: Curve, shown: Callable[[str], str]) -> Element:
    """The picture, with its alternative text; `shown` makes foreign text harmless."""
    points = [point for point in curve.points if all(map(math.isfinite, point))]
    levels = [level for level in curve.levels if math.isfinite(level[1])]
    picture = Element("svg", viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", role="img")
    picture.set("aria-label", shown(curve.alt))
    if not points:
        return picture
    values = [value for point in points for value in point[1:]] + [value for _, value in levels]
    room = ROOM * (max(values) - min(values)) or 1.0
    frame = _PictureFrame((points[0][0], points[-1][0]), (min(values) - room, max(values) + room))
    _axes(picture, frame, curve, shown)
    band = [(e, high) for e, _, _, high in points] + [(e, low) for e, _, low, _ in points[::-1]]
    SubElement(
        picture, "polygon", {"points": _places(frame, band), "fill": BLUE, "fill-opacity": "0.15"}
    )
    line = {"fill": "none", "stroke": BLUE, "stroke-width": "2.5"}
    middle = [(epsilon, mean) for epsilon, mean, _, _ in points]
    SubElement(picture, "polyline", {"points": _places(frame, middle), **line})
    for epsilon, mean in middle:
        size = "5" if epsilon == curve.chosen else "2.5"
        at = {"cx": f"{frame.x(epsilon):g}", "cy": f"{frame.y(mean):g}"}
        SubElement(picture, "circle", {**at, "r": size, "fill": BLUE})
    rises = points[-1][1] >= points[0][1]
    for words, value in levels:
        above = value == max(level for _, level in levels)
        _level(picture, frame, shown(words), value, above=above, left=above == rises)
    return picture


def _places(frame: _PictureFrame, points: list[tuple[float, float]]) -> str:
    return " ".join(f"{frame.x(epsilon):g},{frame.y(value):g}" for epsilon, value in points)


def _axes(
    picture: Element, frame: _PictureFrame, curve: Curve, shown: Callable[[str], str]
) -> None:
    bottom = HEIGHT - BOTTOM
    for epsilon in _named([point[0] for point in curve.points], curve.chosen, frame):
        _words(picture, plain(epsilon), frame.x(epsilon), bottom + 15, "middle")
    for value in _ticks(*frame.values):
        y = frame.y(value)
        _line(picture, LEFT, y, WIDTH - RIGHT, y, "#d4dae0")
        # A tick has as many digits as distinguish it from the next.
        words = percent(value, 1).replace(".0 ", " ") if curve.percent else plain(value)
        _words(picture, words, LEFT - 6, y + 4, "end")
    _line(picture, LEFT, bottom, WIDTH - RIGHT, bottom, "#56616d")
    x = frame.x(curve.chosen)
    _line(picture, x, TOP, x, bottom, "#56616d", "2 3")
    middle = 0.5 * (LEFT + WIDTH - RIGHT)
    _words(picture, "← more private · ε · less private →", middle, HEIGHT - 8, "middle")
    title = _words(picture, shown(curve.axis), 14, 0.5 * (TOP + bottom), "middle")
    title.set("transform", f"rotate(-90 14 {0.5 * (TOP + bottom):g})")


def _level(
    picture: Element, frame: _PictureFrame, words: str, value: float, *, above: bool, left: bool
) -> None:
    """A level line, with its words at the end where the curve is not."""
    y = frame.y(value)
    _line(picture, LEFT, y, WIDTH - RIGHT, y, "#56616d", "6 4")
    x, anchor = (LEFT + 4, "start") if left else (WIDTH - RIGHT - 2, "end")
    _words(picture, words, x, y - 5 if above else y + 14, anchor)


def _line(
    picture: Element, x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = ""
) -> None:
    ends = {"x1": f"{x1:g}", "y1": f"{y1:g}", "x2": f"{x2:g}", "y2": f"{y2:g}"}
    dashes = {"stroke-dasharray": dash} if dash else {}
    SubElement(picture, "line", {**ends, "stroke": colour, **dashes})


def _words(picture: Element, words: str, x: float, y: float, anchor: str) -> Element:
    place = {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}
    halo = {"stroke": "#fff", "stroke-width": "3", "paint-order": "stroke"}
    look = {"font-size": "12", "fill": str(ink(False)), **halo}
    label = SubElement(picture, "text", {**place, **look})
    label.text = words
    return label


def _named(points: list[float], chosen: float, frame: _PictureFrame) -> list[float]:
    """The ε that the axis names: the chosen one, and of the others those with room."""
    named = [chosen]
    for epsilon in sorted(points, key=lambda point: not f"{point:e}".startswith("1.000000")):
        if all(abs(frame.x(epsilon) - frame.x(one)) >= LABEL_WIDTH for one in named):
            named.append(epsilon)
    return named


def _ticks(low: float, high: float) -> list[float]:
    """Round values between two ends, a few of them."""
    rough = (high - low) / MAX_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(one * power for one in STEPS if one * power >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [place * step for place in range(first, last + 1)]


STYLE = """
@page { size: A4; margin: 10mm 12mm; }
* { box-sizing: border-box; }
html { color-scheme: light; }
body { margin: 0; background: #fff; color: #0e141b;
  font: 15px/1.45 system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6em; line-height: 1.2; margin: 0; }
h2 { font-size: 1.1em; margin: 1em 0 .2em; border-bottom: 1px solid #56616d; break-after: avoid; }
h3 { font-size: 1em; margin: .8em 0 .1em; break-after: avoid; }
p { margin: .2em 0; }
p, dd, td, li { overflow-wrap: break-word; min-width: 0; }
dd, th[scope=row] { overflow-wrap: anywhere; }
th[scope=row] { min-width: 6.5em; }
.line, figcaption, caption, .left { color: #46505a; }
.narrow { columns: 2 22rem; column-gap: 2rem; }
.narrow section:first-child h2 { margin-top: .4em; }
dl { margin: .2em 0; display: grid; grid-template-columns: minmax(6em, max-content) 1fr;
  gap: .1em .7em; }
dt { color: #46505a; max-width: 11em; }
dd { margin: 0; }
.measured { border-left: 3px solid #b34700; padding-left: .6em; margin: .3em 0; }
span.measured { padding-left: .3em; margin: 0; }
.mark { color: #8a3700; font-weight: 600; font-size: .85em; margin: 0; }
.alarm { color: #a3001a; font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin: .3em 0; font-size: .93em;
  font-variant-numeric: tabular-nums; }
tr { break-inside: avoid; }
caption { text-align: left; }
th, td { text-align: left; font-weight: normal; padding: .1em .6em .1em 0; vertical-align: top;
  border-bottom: 1px solid #d4dae0; }
thead th { font-weight: 600; border-bottom-color: #56616d; }
table, figure { align-self: start; }
figure { margin: .4em 0; break-inside: avoid; }
figure svg { display: block; width: 100%; max-width: 34rem; height: auto; }
ul { list-style: none; margin: 0; padding: 0; }
.checklist .columns { columns: 2 22rem; column-gap: 2rem; }
li { margin: 0 0 .25em; break-inside: avoid; }
.open { display: block; height: 1.35em; border-bottom: 1px dotted #56616d; }
@media screen and (max-width: 40rem) {
  main { padding: .8rem; }
  table { font-size: .72em; }
  th, td, th[scope=row] { overflow-wrap: anywhere; min-width: 0; padding-right: .35em; }
}
@media print {
  body { font-size: 7.4pt; line-height: 1.25; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: .5em; }
  .narrow, .checklist .columns { columns: 2; column-gap: 6mm; }
  .wide .measured:has(figure) { display: grid; grid-template-columns: 1.9fr 1fr;
    column-gap: 5mm; }
  .wide .measured:has(figure) p { grid-column: 1 / -1; }
  .checklist { font-size: 7pt; line-height: 1.2; }
  .open { height: 1.05em; }
  h3 { margin-top: .4em; }
  li { margin-bottom: .15em; }
}
"""
