"""Public facts about a data set, known without its records: columns, bounds, label, origin.

Nothing in an `Entry` is computed from records. Scaling by its bounds therefore costs no privacy: a
bound read off the data would be a release of its own (the two patients at the ends of the range
would be visible in every scaled row).
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
    """One column as the codebook describes it.

    Parameters
    ----------
    name : str
        Name in the frame.
    kind : {"number", "category", "indicator"}
        A number is scaled by its bounds; a category becomes one 0/1 feature for each level; an
        indicator is a yes/no answer and stays one 0/1 feature.
    description : str
        What is measured, in plain words.
    unit : str
        Unit of `lower`, `upper` and of the values; "" for pure numbers.
    lower, upper : float or None
        Public bounds (numbers only). Values outside are clipped, and the clipping is counted.
    bounds_from : {"codebook", "common knowledge", "assumed"}
        Who vouches for the bounds; "assumed" when no document does.
    bounds_reason : str
        Why the bounds have these values.
    levels : tuple of str
        Every level the codebook allows, whether or not it occurs. Of an indicator what its two
        answers are called, where not no and yes.
    codes : tuple of str
        How the file writes each of `levels`, in the same order; empty when it writes them out.
        For an indicator: how the file writes no and yes.
    transform : {"none", "log1p", "signed log1p"}
        A fixed public function that may be applied before scaling, for long-tailed columns.
    missing_marks : tuple of str
        How the file marks an unknown value, "" being an empty field; none where the codebook knows
        no unknown value.
    left_out : str
        Why the column is left out unless it is asked for; "" for a column that is used.
    days : Days or None
        How the file's days become its numbers, if it holds days.
    """

    name: str
    kind: ColumnKind
    description: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    bounds_from: BoundsFrom = "codebook"
    bounds_reason: str = ""
    levels: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    transform: Transform = "none"
    missing_marks: tuple[str, ...] = ()
    left_out: str = ""
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
    """An outcome of two: +1 means `positive`, −1 means `negative`.

    Parameters
    ----------
    name : str
        Name of the label in the file.
    positive, negative : str
        The two outcomes in plain words.
    codes : tuple of (str, int)
        How the file writes the outcomes, each with its sign.
    """

    name: str
    positive: str
    negative: str
    codes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Classes:
    """An outcome of several; they are numbered from 0 in this order.

    Parameters
    ----------
    name : str
        Name of the label in the file.
    titles : tuple of str
        The outcomes in plain words, three or more.
    """

    name: str
    titles: tuple[str, ...]


@dataclass(frozen=True)
class RemoteFile:
    """One file of a data set: its location and its checksum.

    Parameters
    ----------
    path : str
        Path under the local data folder, with forward slashes.
    sha256 : str
        Checksum of the file; "" where the publisher's file is not the same for everyone, or where
        only its MD5 is known.
    url : str
        The original publisher's address of the file; "" where that needs an account.
    member : str
        When `url` is a zip archive: the name of the file inside it.
    archive_sha256 : str
        Checksum of that archive.
    md5 : str
        Checksum where there is no `sha256`. Colliding files can be made in pairs, but nobody can
        make one that collides with a given file, so it still identifies the published file.
    also : tuple of RemoteFile
        Other files accepted in its place, each with its own checksum; searched for in the local
        folder only.
    """

    path: str
    sha256: str = ""
    url: str = ""
    member: str = ""
    archive_sha256: str = ""
    md5: str = ""
    also: tuple[RemoteFile, ...] = ()

    @property
    def name(self) -> str:
        """File name without the folder."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, kw_only=True)
class Description:
    """The description of any data set, whatever its records are.

    Parameters
    ----------
    key, title : str
        Name in code and in links; name on screen.
    records_are : str
        What one record is, in the plural: "patients".
    source, licence, citation : str
        Origin of the data, terms of use, and how to cite it.
    records : int
        Number of records as published (public).
    traps : tuple of str
        Mistakes that a naive reader of the file makes.
    files : tuple of RemoteFile
        Empty for a built-in set.
    how_to_get : str
        One sentence for someone who does not have the file.
    """

    key: str
    title: str
    records_are: str
    source: str
    licence: str
    citation: str
    records: int
    traps: tuple[str, ...]
    files: tuple[RemoteFile, ...] = ()
    how_to_get: str = "It is built in."


@dataclass(frozen=True, kw_only=True)
class Entry(Description):
    """A table as the catalogue lists it; nothing in it is computed from records.

    Parameters
    ----------
    task : str
        What is predicted, in one sentence.
    label : Label, Classes or Column
        The outcome: one of two, one of several, or a number with public bounds.
    columns : tuple of Column
        All columns, those left out by default included.
    further : int
        More records that come along, which models are judged on and never learn from.
    site : str
        Name of the column that holds the site a record comes from: a category with one level for
        each of `files`, in their order, left out by default. "" where the files are no sites.
    made_up : bool
        Whether its records are drawn from a model, and nobody's.

    Notes
    -----
    The other fields are those of `Description`; its `records` counts incomplete records too.
    """

    task: str
    label: Label | Classes | Column
    columns: tuple[Column, ...]
    further: int = 0
    site: str = ""
    made_up: bool = False

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
        """What +1 means."""
        return self.outcome.positive

    @property
    def negative(self) -> str:
        """What −1 means."""
        return self.outcome.negative

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
    """The records of a data set, decoded but not yet prepared.

    Parameters
    ----------
    entry : Entry
        Description of the data set.
    frame : pandas.DataFrame
        One row for each record, one column for each of ``entry.columns``. Numbers and indicators
        are float64 (NaN where unknown), categories are pandas categoricals over the public levels.
    label : numpy.ndarray, shape (n,)
        ±1, or the number of the class (int8), or the number that is predicted, in its own unit
        (float64). For a blank record 0, -1 or NaN.
    notes : tuple of str
        Observations made while reading, in plain sentences.
    counts : Mapping of str to int
        The same observations as counts.
    published : bool
        Whether these are exactly the published records (checksum) or a built-in set. When False
        they came from an upload and may be private.
    further : Table, optional
        More records of the same kind, which models are judged on and never learn from.
    """

    entry: Entry
    frame: pd.DataFrame
    label: Labels
    notes: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    published: bool = True
    further: Table | None = None

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
            notes=(*self.notes, *notes),
            counts={**self.counts, "records": len(index)},
        )

    @property
    def blank(self) -> NDArray[np.bool_]:
        """A mask of the blank records, shape (n,): those whose label is unknown.

        A blank record replaces one person's record. It keeps its position and counts in n, and
        its other fields are not used.
        """
        if self.entry.predicts == "number":
            return np.isnan(self.label)
        return self.label == 0 if self.entry.predicts == "class" else self.label < 0
