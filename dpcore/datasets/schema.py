"""Public facts about a data set, known without its records: columns, bounds, label, origin.

Nothing in an `Entry` is computed from records: a bound read off them would be a release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.values import Days

if TYPE_CHECKING:
    import pandas as pd

ColumnKind = Literal["number", "category", "indicator"]
Predicts = Literal["class", "classes", "number"]
BoundsFrom = Literal["codebook", "common knowledge", "assumed"]
Transform = Literal["none", "log1p", "signed log1p"]


@dataclass(frozen=True)
class Column:
    """One column as the codebook describes it."""

    name: str
    kind: ColumnKind  # "category": one 0/1 feature a level; "indicator": one for a yes
    description: str
    unit: str = ""  # of its values and bounds
    # Public bounds of a number: values outside are clipped, which is counted.
    lower: float | None = None
    upper: float | None = None
    bounds_from: BoundsFrom = "codebook"  # who vouches for the bounds
    bounds_reason: str = ""
    # all that the codebook allows, or what an indicator's two answers are called
    levels: tuple[str, ...] = ()
    # how the file writes each level, or no and yes; empty: it writes them out
    codes: tuple[str, ...] = ()
    transform: Transform = "none"  # public, before scaling, for long tails
    missing_marks: tuple[str, ...] = ()  # how unknown is written; "" is an empty field
    left_out: str = ""  # why, unless it is asked for; "" for one in use
    days: Days | None = None

    def __post_init__(self) -> None:
        if self.kind == "number":
            if self.lower is None or self.upper is None or not self.bounds_reason:
                raise ValueError(f"the number {self.name} needs bounds and a reason for them")
            if not (math.isfinite(self.lower) and self.lower < self.upper < math.inf):
                raise ValueError(f"the bounds of {self.name} are not an interval")
            if self.transform == "log1p" and self.lower <= -1:
                raise ValueError(f"log1p needs values of {self.name} above -1")
        elif self.kind == "category" and not self.levels:
            raise ValueError(f"the category {self.name} needs its levels")
        elif self.kind == "indicator" and self.missing_marks:
            raise ValueError(f"{self.name} can be unknown, so it must be a category")

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of a number, in `unit`."""
        if self.lower is None or self.upper is None:
            raise ValueError(f"{self.name} is not a number and has no bounds")
        return self.lower, self.upper

    @property
    def words(self) -> tuple[str, ...]:
        """What its values are called, if it is no number."""
        return self.levels or (("no", "yes") if self.kind == "indicator" else ())

    @property
    def features(self) -> int:
        """Number of features that the column becomes when nothing is imputed."""
        return len(self.levels) if self.kind == "category" else 1


def fields_named(described: object, *names: str) -> dict[str, Any]:
    """Some fields of a description by name, in the order given."""
    return {name: getattr(described, name) for name in names}


def number(
    name: str,
    description: str,
    bounds: tuple[float, float],
    reason: str,
    unit: str = "",
    *,
    bounds_from: BoundsFrom = "common knowledge",
    transform: Transform = "none",
    missing_marks: tuple[str, ...] = (),
    left_out: str = "",
) -> Column:
    """The column of a number; its parameters are those of `Column`."""
    return Column(
        name,
        "number",
        description,
        unit,
        *bounds,
        bounds_from,
        reason,
        transform=transform,
        missing_marks=missing_marks,
        left_out=left_out,
    )


def category(
    name: str,
    description: str,
    levels: str,
    codes: str = "",
    *,
    missing_marks: tuple[str, ...] = (),
    left_out: str = "",
) -> Column:
    """The column of a category, its levels and codes as for `values_in`."""
    return Column(
        name,
        "category",
        description,
        levels=values_in(levels),
        codes=values_in(codes) if codes else (),
        missing_marks=missing_marks,
        left_out=left_out,
    )


def values_in(text: str) -> tuple[str, ...]:
    """The values in a text such as "no, yes"."""
    return tuple(value.strip() for value in text.split(","))


@dataclass(frozen=True)
class Label:
    """An outcome of two: +1 means `positive`, −1 means `negative`."""

    name: str
    positive: str
    negative: str
    codes: tuple[tuple[str, int], ...] = ()  # how the file writes the outcomes, each with its sign


@dataclass(frozen=True)
class Classes:
    """An outcome of several; they are numbered from 0 in this order."""

    name: str
    titles: tuple[str, ...]


@dataclass(frozen=True)
class RemoteFile:
    """One file of a data set: its location and its checksum."""

    path: str  # under the local data folder
    sha256: str = ""  # "" where the publisher's file differs, or only its MD5 is known
    url: str = ""
    member: str = ""  # the file's name in the zip archive at `url`
    archive_sha256: str = ""
    # Where there is no SHA-256: nobody can make a file that collides with a given one.
    md5: str = ""
    also: tuple[RemoteFile, ...] = ()  # accepted in its place, in the local folder only

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, kw_only=True)
class Description:
    """The description of any data set, whatever its records are."""

    key: str
    title: str
    records_are: str  # in the plural: "patients"
    source: str
    licence: str
    citation: str
    records: int  # as published
    traps: tuple[str, ...]  # mistakes that a naive reader of the file makes
    files: tuple[RemoteFile, ...] = ()
    how_to_get: str = "It is built in."


@dataclass(frozen=True)
class Action:
    """What somebody does who acts on a predicted risk: public, and chosen without the records."""

    risk: int = 50  # in percent, from which on one acts
    why: str = "Both mistakes weigh the same."
    # as in "you miss 92 cases and act on 67 others in vain"
    cases: str = "cases"
    acts: str = "act on"
    others: str = "others in vain"


@dataclass(frozen=True)
class FollowUp:
    """How long each record was followed, and whether the event came: outcomes, never predictors."""

    time: Column  # a number from 0 on
    event: Column  # of two words, the second of which is the event


@dataclass(frozen=True, kw_only=True)
class Entry(Description):
    """A table as the catalogue lists it; nothing in it is computed from records."""

    task: str
    label: Label | Classes | Column
    columns: tuple[Column, ...]
    further: int = 0  # records that models are judged on and never learn from
    # The column that holds a record's site, a level for each of `files`; "" without sites.
    site: str = ""
    made_up: bool = False  # drawn from a model, and nobody's
    action: Action = Action()  # of two classes
    follow_up: FollowUp | None = None

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites that records come from, one for each of `files`; empty where there are none."""
        return self.column(self.site).levels if self.site else ()

    @property
    def written(self) -> tuple[Column, ...]:
        """The columns that a file holds: all but the site, which is the file itself."""
        return tuple(column for column in self.columns if column.name != self.site)

    @property
    def predicts(self) -> Predicts:
        """Whether the outcome is one of two classes, one of several, or a number."""
        if isinstance(self.label, Column):
            return "number"
        return "class" if isinstance(self.label, Label) else "classes"

    @property
    def classes(self) -> int:
        """Number of classes; 2 where a number is predicted, which is also a single problem."""
        return len(self.label.titles) if isinstance(self.label, Classes) else 2

    @property
    def outcome(self) -> Label:
        """The two classes; ValueError where something else is predicted."""
        if not isinstance(self.label, Label):
            raise ValueError(f"{self.key} predicts a number or one of several classes")
        return self.label

    @property
    def target(self) -> Column:
        """The number that is predicted; ValueError where it is a class."""
        if not isinstance(self.label, Column):
            raise ValueError(f"{self.key} predicts a class")
        return self.label

    @property
    def positive(self) -> str:
        return self.outcome.positive

    @property
    def negative(self) -> str:
        return self.outcome.negative

    @property
    def followed(self) -> tuple[Column, ...]:
        """The columns of the follow-up, of which no model learns."""
        return (self.follow_up.time, self.follow_up.event) if self.follow_up else ()

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are used by default."""
        return tuple(column for column in self.columns if not column.left_out)

    def column(self, name: str) -> Column:
        """The column called `name`; KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


Labels = NDArray[np.int8] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """The records of a data set, decoded but not yet prepared."""

    entry: Entry
    frame: pd.DataFrame  # decoded columns of the entry: float64 (NaN where unknown) or categorical
    label: Labels  # ±1, a class or a number in its own unit; of a blank record 0, -1 or NaN
    notes: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)  # the notes as numbers
    published: bool = True  # exactly published, by checksum, or built in; else perhaps private
    further: Table | None = None  # records that models are judged on and never learn from
    follow_up: pd.DataFrame | None = None  # time and event of `Entry.follow_up`, decoded

    @property
    def records(self) -> int:
        """Number of records, incomplete and blank ones included."""
        return len(self.label)

    def rows(self, index: NDArray[np.int64], notes: tuple[str, ...] = ()) -> Table:
        """The table of these records, in this order, and what is to be said of it besides."""
        return replace(
            self,
            entry=replace(self.entry, records=len(index)),
            frame=self.frame.iloc[index].reset_index(drop=True),
            label=self.label[index],
            follow_up=None
            if self.follow_up is None
            else self.follow_up.iloc[index].reset_index(drop=True),
            notes=(*self.notes, *notes),
            counts={**self.counts, "records": len(index)},
        )

    @property
    def blank(self) -> NDArray[np.bool_]:
        """A mask of the blank records, shape (n,): those whose label is unknown."""
        if self.entry.predicts == "number":
            return np.isnan(self.label)
        return self.label == 0 if self.entry.predicts == "class" else self.label < 0
