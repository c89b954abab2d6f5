"""What a report is made of: plain data, which says of each part whether it is measured.

A part is `measured` where anything in it was computed from records. Nothing of those parts is
covered by an ε, and all other parts are the same for neighbouring data sets; but where records with
gaps are left out, n is how many have none (docs/guarantee.md).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """Names with their values.

    Parameters
    ----------
    rows : tuple of (str, str)
    measured : bool
    """

    rows: tuple[tuple[str, str], ...]
    measured: bool = False


@dataclass(frozen=True)
class Sentences:
    """Sentences, one a line.

    Parameters
    ----------
    lines : tuple of str
    measured : bool
    alarm : bool
        Whether they say that something does not hold.
    """

    lines: tuple[str, ...]
    measured: bool = False
    alarm: bool = False


@dataclass(frozen=True)
class ReportTable:
    """A table.

    Parameters
    ----------
    caption : str
    columns : tuple of str
        Headings; the first is that of the rows' names.
    rows : tuple of tuple of str
    measured : bool
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    measured: bool = True


@dataclass(frozen=True)
class Curve:
    """A measure against ε, as it is drawn.

    Parameters
    ----------
    points : tuple of (float, float, float, float)
        ε, mean, low and high end of the band; ascending ε.
    chosen : float
        The ε of the report, one of the points'.
    levels : tuple of (str, float)
        Words and value of what does not depend on ε.
    axis : str
        Title of the vertical axis.
    percent : bool
        Whether its values are shares that are written in percent.
    sentence, alt : str
        What it shows, in few words; and what is seen, in words.
    measured : bool
    """

    points: tuple[tuple[float, float, float, float], ...]
    chosen: float
    levels: tuple[tuple[str, float], ...]
    axis: str
    percent: bool
    sentence: str
    alt: str
    measured: bool = True


Part = Facts | Sentences | ReportTable | Curve


@dataclass(frozen=True)
class Section:
    """A heading and the parts below it.

    Parameters
    ----------
    title : str
    parts : tuple of Part
    wide : bool
        Whether it needs the whole width of the paper.
    """

    title: str
    parts: tuple[Part, ...]
    wide: bool = False


WHOLE = "the whole item"
"""What is left of an item of which the program knows nothing."""


@dataclass(frozen=True)
class Item:
    """One item of a checklist.

    Parameters
    ----------
    number, title : str
    answer : str
        What the program knows; "" for nothing.
    left : str
        What is left to the author; "" where the answer is whole.
    measured : bool
    """

    number: str
    title: str
    answer: str
    left: str
    measured: bool = False


@dataclass(frozen=True)
class Report:
    """A report of one private model at one ε.

    Parameters
    ----------
    title, line : str
        The heading, and the line below it.
    sections : tuple of Section
    checklist : tuple of (str, tuple of Item)
        Items by heading.
    """

    title: str
    line: str
    sections: tuple[Section, ...]
    checklist: tuple[tuple[str, tuple[Item, ...]], ...]
