"""How records become rows: the settings of it, and the columns and records that they use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dpcore.datasets.features import STEPS
from dpcore.datasets.schema import Column, Entry
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole

FEATURES = ("plain", "additive", "fine", "rule", "fourier")
MAX_FEATURES = 4_096
MAX_TURNS = 999

HEEDED_BY, ROWS, BLURRED = "heeded by", "rows", "blurred"
"""In a field's metadata, who alone heeds a setting: what learns from rows, or from records that
people blur themselves. Others learn the same whatever it is."""
OF_ROWS = {HEEDED_BY: ROWS}


@dataclass(frozen=True)
class Preparation:
    """How records become rows.

    Parameters
    ----------
    missing : {"impute", "drop"}
        Fill unknown values in from public values only: the middle of the bounds for a number, a
        level of its own for a category. Or drop records that have one: then n depends on them, and
        proofs hold for tables of complete records only (`Split.complete`).
    scaling : {"public", "data"}
        Scale numbers by their public bounds (values outside are clipped and counted), or by the
        smallest and largest value in the data, which leaks.
    interval : {"symmetric", "unit"}
        Numbers go to [−1, 1] or to [0, 1]. Categories and indicators are 0 or 1 in both.
    norm : {"unit", "clip"}
        Scale every row to norm 1 (a row of zeros stays one), or only those above 1.
    intercept : bool
        Append a constant 1 to the row *before* its norm is taken, so that it counts.
    test_fraction : float
        Share of the records used for testing, above 0 and below 1; without effect where a table
        brings further records to test on, or a site is held out.
    seed : int
        Seed of the split.
    turn : int
        Which of the seed's splits it is, from 0 to `MAX_TURNS`: together they test every record
        in turn. Without effect on one by class or by site.
    held_out : str
        Site to test on, all others being learned from; "" for test records drawn at random. Which
        site a record comes from is public, so that no record's values move another.
    stratified : bool
        Draw the test records within each class, for published records only: the label of one
        record then moves others between training and testing.
    log_transform : bool
        Apply the public transform of long-tailed columns, such as log(1 + x), before scaling.
    include : tuple of str
        Columns to use that the catalogue leaves out, such as Bank's ``duration``.
    features : {"plain", "additive", "fine", "rule", "fourier"}
        The rows as they are; numbers beside a few steps, or as many (`dpcore.datasets.features`),
        with which linear methods learn a curve in each number; one of these at each ε, by a rule in
        public values (`dpcore.datasets.features`), with which a study opens (`BY_RULE`); or
        random Fourier features of the rows (`dpcore.datasets.features`), with which they learn as
        kernel methods do.
    fourier_features : int
        Number of Fourier features, even.
    bandwidth : float
        Bandwidth of the Gaussian kernel, as a distance between rows of norm at most 1.
    """

    missing: Literal["impute", "drop"] = "impute"
    scaling: Literal["public", "data"] = field(default="public", metadata=OF_ROWS)
    interval: Literal["symmetric", "unit"] = field(default="symmetric", metadata=OF_ROWS)
    norm: Literal["unit", "clip"] = field(default="unit", metadata=OF_ROWS)
    intercept: bool = field(default=False, metadata=OF_ROWS)
    test_fraction: float = 0.2
    seed: int = 0
    turn: int = 0
    held_out: str = ""
    stratified: bool = False
    log_transform: bool = True
    include: tuple[str, ...] = ()
    features: Literal["plain", "additive", "fine", "rule", "fourier"] = field(
        default="plain", metadata=OF_ROWS
    )
    fourier_features: int = field(default=256, metadata=OF_ROWS)
    bandwidth: float = field(default=0.7, metadata=OF_ROWS)

    def __post_init__(self) -> None:
        one_of("missing", self.missing, ("impute", "drop"))
        one_of("scaling", self.scaling, ("public", "data"))
        one_of("interval", self.interval, ("symmetric", "unit"))
        one_of("norm", self.norm, ("unit", "clip"))
        number("test_fraction", self.test_fraction, above=0.0, below=1.0)
        whole("seed", self.seed, at_least=0, at_most=2**63 - 1)
        whole("turn", self.turn, at_least=0, at_most=MAX_TURNS)
        for name in ("intercept", "log_transform", "stratified"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(
                    f"{name} is {brief(getattr(self, name))}, but it must be true or false."
                )
        object.__setattr__(self, "include", tuple(self.include))
        one_of("features", self.features, FEATURES)
        if self.features in STEPS and self.scaling == "data":
            raise InvalidInput(
                f"scaling is 'data', but it must be public with features {brief(self.features)}, "
                "whose steps stand at public values."
            )
        count = whole("fourier_features", self.fourier_features, at_least=2, at_most=MAX_FEATURES)
        if count % 2:
            raise reject("fourier_features", count, "even: they are pairs of a cosine and a sine")
        number("bandwidth", self.bandwidth, at_least=0.01, at_most=100.0)


BY_RULE = Preparation(features="rule")
"""What a study, the page and the commands open with. Rows that are prepared outside a study know no
ε, and are straight lines unless they are asked for otherwise."""

PAPER_000 = Preparation(
    missing="drop",
    scaling="data",
    interval="unit",
    norm="unit",
    intercept=False,
    log_transform=False,
)
"""As the OPERA paper's section V prepares its data: complete records, the data's own range, [0, 1],
unit norm."""


def used_columns(entry: Entry, preparation: Preparation) -> tuple[Column, ...]:
    """The columns that rows are made of."""
    names = tuple(column.name for column in entry.columns)
    for name in preparation.include:
        if name not in names:
            raise InvalidInput(
                f"include is {brief(name)}, but it must be one of the columns of {entry.key}: "
                + ", ".join(names)
                + "."
            )
    return tuple(
        column
        for column in entry.columns
        if not column.left_out or column.name in preparation.include
    )


def complete_only(entry: Entry, preparation: Preparation) -> bool:
    """Whether incomplete records are dropped, so that no neighbouring table has one.

    The codebook decides it, because whether one was dropped would reveal something of a record.
    """
    columns = used_columns(entry, preparation)
    return preparation.missing == "drop" and any(column.missing_marks for column in columns)
