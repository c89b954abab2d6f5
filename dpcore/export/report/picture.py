"""The measure against ε as SVG within the page: no browser and no figure library draws it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from dpcore.export.report.parts import Curve
from dpcore.figures.style import BLUE, ink
from dpcore.words import percent, plain

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
