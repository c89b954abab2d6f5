"""What a report is made of: plain data, which says of each part whether it is measured.

A part is `measured` where anything in it was computed from records. Nothing of those parts is
covered by an ε, and all other parts are the same for neighbouring data sets; but where records with
gaps are left out, n is how many have none (docs/guarantee.md).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    rows: tuple[tuple[str, str], ...]
    measured: bool = False


@dataclass(frozen=True)
class Sentences:
    """Sentences, one a line."""

    lines: tuple[str, ...]
    measured: bool = False
    alarm: bool = False  # something does not hold


@dataclass(frozen=True)
class ReportTable:
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    measured: bool = True


@dataclass(frozen=True)
class Curve:
    """A measure against ε, as it is drawn."""

    # ε, mean, low and high end of the band; ascending ε
    points: tuple[tuple[float, float, float, float], ...]
    chosen: float
    levels: tuple[tuple[str, float], ...]  # words and value of what does not depend on ε
    axis: str
    percent: bool
    sentence: str
    alt: str  # what is seen, in words
    measured: bool = True


Part = Facts | Sentences | ReportTable | Curve


@dataclass(frozen=True)
class Section:
    title: str
    parts: tuple[Part, ...]
    wide: bool = False  # needs the whole width of the paper


WHOLE = "the whole item"
"""What is left of an item of which the program knows nothing."""


@dataclass(frozen=True)
class Item:
    """One item of a checklist."""

    number: str
    title: str
    answer: str  # "" for nothing known
    left: str  # to the author; "" where the answer is whole
    measured: bool = False


@dataclass(frozen=True)
class Report:
    title: str
    line: str
    sections: tuple[Section, ...]
    checklist: tuple[tuple[str, tuple[Item, ...]], ...]
