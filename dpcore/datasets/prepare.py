"""From a table to rows of norm at most 1 and labels ±1 or in [−1, 1], for a private method.

With public scaling every row is a function of its own record alone: exchanging one record changes
one row and nothing else, which is what every sensitivity in this package assumes. Scaling by the
data's own range, as papers often do, breaks that; it is offered for comparison and marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.additive import STEPS, Steps
from dpcore.datasets.feature_rule import MAPS, affordable, enough_records
from dpcore.datasets.fourier import fourier_names, random_fourier
from dpcore.datasets.schema import Classes, Column, Entry, Table
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]

_NUDGE = 2.0**-22
"""How far below 1 the norm of a row stays. Sums of squares round differently with the order of
addition, and a copy in single precision rounds each entry by up to 2⁻²⁴ of it; neither may lift a
row over the norm that the sensitivity assumes."""

_VANISHING = 1e-100

FEATURES = ("plain", "additive", "fine", "rule", "fourier")
MOST_FEATURES = 4_096

DATA_SCALING = (
    "leaks: numbers are scaled by the smallest and largest value in the data. So one record can "
    "move every row, and no guarantee here covers that."
)


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
        The rows as they are; numbers beside a few steps, or as many (`dpcore.datasets.additive`),
        with which linear methods learn a curve in each number; one of these at each ε, by a rule in
        public values (`dpcore.datasets.feature_rule`), with which a study opens (`BY_RULE`); or
        random Fourier features of the rows (`dpcore.datasets.fourier`), with which they learn as
        kernel methods do.
    fourier_features : int
        Number of Fourier features, even.
    bandwidth : float
        Bandwidth of the Gaussian kernel, as a distance between rows of norm at most 1.
    """

    missing: Literal["impute", "drop"] = "impute"
    scaling: Literal["public", "data"] = "public"
    interval: Literal["symmetric", "unit"] = "symmetric"
    norm: Literal["unit", "clip"] = "unit"
    intercept: bool = False
    test_fraction: float = 0.2
    seed: int = 0
    held_out: str = ""
    stratified: bool = False
    log_transform: bool = True
    include: tuple[str, ...] = ()
    features: Literal["plain", "additive", "fine", "rule", "fourier"] = "plain"
    fourier_features: int = 256
    bandwidth: float = 0.7

    def __post_init__(self) -> None:
        one_of("missing", self.missing, ("impute", "drop"))
        one_of("scaling", self.scaling, ("public", "data"))
        one_of("interval", self.interval, ("symmetric", "unit"))
        one_of("norm", self.norm, ("unit", "clip"))
        number("test_fraction", self.test_fraction, above=0.0, below=1.0)
        whole("seed", self.seed, at_least=0, at_most=2**63 - 1)
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
        count = whole("fourier_features", self.fourier_features, at_least=2, at_most=MOST_FEATURES)
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


@dataclass(frozen=True, eq=False)
class Split:
    """Rows and labels, for training and for testing.

    Parameters
    ----------
    entry : Entry
        Where they come from.
    preparation : Preparation
        How they were made; by rule its `features` are "additive", or "plain" where records are few.
    x_train, x_test : numpy.ndarray, shape (n, d) and (m, d), float64
        Every row has norm at most 1, the intercept included.
    y_train, y_test : numpy.ndarray, shape (n,) and (m,), float64
        ±1; with several classes the class's number; for regression the outcome, scaled to [−1, 1]
        by its public bounds and clipped to them.
    feature_names : tuple of str, length d
        ``"age"``, ``"sex = male"``, …
    notes : tuple of str
        What was dropped, filled in or clipped, in plain sentences.
    leaks : tuple of str
        Why the rows are not functions of single records; empty when they are.
    blank : numpy.ndarray, shape (n,), bool
        Which training records are blank: their row is zero, intercept included, and their label 0
        (-1 with several classes), so that they add nothing to any sum. Blank test records are not
        among the m records here.
    tested : int
        Number of test records, blank ones included; public, as m is not.
    further : bool
        Whether the test records come on top of those that the set counts as its own.
    maps : mapping of str to Split
        By rule, where it is not "plain" at every ε: the same records with each of the maps that it
        chooses among (`dpcore.evaluation.feature_maps`), from the coarsest to the finest.
    """

    entry: Entry
    preparation: Preparation
    x_train: FloatArray
    y_train: FloatArray
    x_test: FloatArray
    y_test: FloatArray
    feature_names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    blank: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    tested: int = 0
    further: bool = False
    maps: Mapping[str, Split] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.blank):
            object.__setattr__(self, "blank", np.zeros(self.records, dtype=bool))
        if not len(self.blank) == len(self.y_train) == self.records:
            raise ValueError("rows, labels and blank records are not of one number")
        object.__setattr__(self, "tested", self.tested or len(self.y_test))

    @property
    def records(self) -> int:
        """Number of training records, n, blank ones included."""
        return len(self.x_train)

    @cached_property
    def known(self) -> tuple[FloatArray, FloatArray]:
        """Rows and labels of the training records that are not blank, for evaluating models."""
        if not self.blank.any():
            return self.x_train, self.y_train
        return self.x_train[~self.blank], self.y_train[~self.blank]

    @property
    def complete(self) -> bool:
        """Whether only complete records are allowed (`complete_only`)."""
        return complete_only(self.entry, self.preparation)

    @property
    def dimension(self) -> int:
        """Number of features, d, the intercept included."""
        return len(self.feature_names)

    @property
    def counted(self) -> int:
        """Number of features as rules count them (`dpcore.datasets.additive`)."""
        steps = STEPS.get(self.preparation.features)
        if steps is None:
            return self.dimension
        numbers = _numbers(used_columns(self.entry, self.preparation))
        return self.dimension - numbers * steps.uncounted


def prepare(table: Table, preparation: Preparation | None = None) -> Split:
    """Turn records into rows of norm at most 1.

    Parameters
    ----------
    table : Table
        From `dpcore.datasets.load` or `read_upload`.
    preparation : Preparation, optional
        ``Preparation()`` when left out.

    Returns
    -------
    Split
        With public scaling, a function of each record alone (any adjacency); otherwise `leaks`
        says what is not.

    Raises
    ------
    InvalidInput
        If `preparation` names a column the set does not have, or too few records remain.
    """
    preparation = preparation or Preparation()
    entry = table.entry
    columns = used_columns(entry, preparation)
    notes: list[str] = list(table.notes)

    further = table.further is not None
    if preparation.features == "rule":
        return _by_rule(table, preparation)
    table, test = tested(table, preparation)
    frame, blank = table.frame, table.blank
    unknown = unknown_values(table, columns)
    keep = complete_enough(unknown, preparation)
    if not keep.all():
        dropped = int((~keep).sum())
        notes.append(
            f"{dropped:,} of {table.records:,} {entry.records_are} with an unknown value were "
            "dropped."
        )
    train_rows, test_rows = places(table, test, keep)
    if preparation.held_out:
        notes.append(
            f"Tested on the {entry.records_are} of {preparation.held_out}; learned from those of "
            "every other site."
        )
    if not len(train_rows) or not len(test_rows):
        raise InvalidInput(
            f"{entry.title} leaves {len(train_rows)} records for training and {len(test_rows)} for "
            "testing, but there must be at least one of each."
        )

    # Training rows first, test rows after: each is then one contiguous part of the same array.
    rows = np.concatenate([train_rows, test_rows])
    names, x, clipped = _features(frame, rows, columns, preparation)
    error_notes: list[str] = []
    labels, is_blank = table.label[rows].astype(float), blank[rows]
    if isinstance(entry.label, Column):
        # Always by public bounds: the noise is sized for |y| ≤ 1 whatever the features' scaling.
        labels, outside = scaled(entry.label, labels, Preparation())
        if outside:
            clipped.append(f"{outside:,} of {entry.label.name}")
            error_notes.append(f"Errors are counted from the clipped values of {entry.label.name}.")
    labels[is_blank] = -1.0 if isinstance(entry.label, Classes) else 0.0
    x[is_blank] = 0.0
    if is_blank.any():
        notes.append(
            f"{int(is_blank.sum()):,} blank {entry.records_are} are among those to learn from, and "
            "teach nothing."
        )
    filled = int(unknown.sum())
    if filled and preparation.missing == "impute":
        notes.append(f"{filled:,} unknown values were filled in from public values.")
    if clipped:
        notes.append("Values clipped to the public bounds: " + ", ".join(clipped) + ".")
    notes += error_notes
    bring_to_norm(x, only_above=preparation.norm == "clip")
    if preparation.features == "fourier":
        x = random_fourier(x, preparation.fourier_features, preparation.bandwidth)
        x[is_blank] = 0.0  # the features of a zero row are not zero
        bring_to_norm(x)
        names = fourier_names(preparation.fourier_features)
    n = len(train_rows)
    return Split(
        entry=entry,
        preparation=preparation,
        x_train=x[:n],
        y_train=labels[:n],
        x_test=x[n:],
        y_test=labels[n:],
        feature_names=tuple(names),
        notes=tuple(notes),
        leaks=(DATA_SCALING,) if preparation.scaling == "data" else (),
        blank=is_blank[:n],
        tested=int((keep & test).sum()),
        further=further,
    )


def features_of(entry: Entry, frame: pd.DataFrame, preparation: Preparation) -> FloatArray:
    """Rows as `prepare` makes them, before they are brought to a norm.

    Parameters
    ----------
    entry : Entry
    frame : DataFrame
        As of a `Table`; none of its m records is blank.
    preparation : Preparation
        By public bounds, and with features that belong to one column each.

    Returns
    -------
    (m, d) array
        Each feature is a function of one column of its own record.
    """
    if preparation.scaling != "public" or preparation.features in ("rule", "fourier"):
        raise ValueError("features do not follow from public values and one column each")
    columns = used_columns(entry, preparation)
    return _features(frame, slice(None), columns, preparation)[1]


def complete_only(entry: Entry, preparation: Preparation) -> bool:
    """Whether incomplete records are dropped, so that no neighbouring table has one.

    The codebook decides it, because whether one was dropped would reveal something of a record.
    """
    columns = used_columns(entry, preparation)
    return preparation.missing == "drop" and any(column.missing_mark for column in columns)


def bring_to_norm(x: FloatArray, *, only_above: bool = False) -> None:
    """Scale rows in place to norm 1 (a hair below), or only those above 1; zeros stay zeros.

    Parameters
    ----------
    x : numpy.ndarray, shape (n, d)
        Changed in place. Entries finite and of ordinary size.
    only_above : bool
        Leave rows unchanged whose norm is at most a hair below 1. Rows shorter than 1e-100 become
        rows of zeros either way.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", x, x))
    limit = 1.0 - _NUDGE - 2.0**-52 * x.shape[1]
    # The squares of a row this short underflow, so that its norm cannot be told from 0.
    vanishing = norms < _VANISHING
    change = norms > limit if only_above else ~vanishing
    factors = np.where(vanishing, 0.0, 1.0)
    np.divide(limit, norms, out=factors, where=change)
    x *= factors[:, np.newaxis]


def used_columns(entry: Entry, preparation: Preparation) -> tuple[Column, ...]:
    """The columns that rows are made of.

    Raises
    ------
    InvalidInput
        If `preparation` includes a column the set does not have.
    """
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


def tested(table: Table, preparation: Preparation) -> tuple[Table, NDArray[np.bool_]]:
    """The table with the further records it brings, and a mask of those to test on."""
    if preparation.held_out:
        return table, of_site(table, preparation.held_out)
    if table.further is None:
        if preparation.stratified:
            return table, drawn_by_class(table, preparation)
        return table, drawn(table.records, preparation)
    import pandas as pd

    parts = (table, table.further)
    joined = replace(
        table,
        frame=pd.concat([part.frame for part in parts], ignore_index=True),
        label=np.concatenate([part.label for part in parts]),
        further=None,
    )
    return joined, np.arange(joined.records) >= table.records


def of_site(table: Table, site: str) -> NDArray[np.bool_]:
    """A mask of the records of a site, shape (records,).

    Raises
    ------
    InvalidInput
        If the set has no such site.
    """
    entry = table.entry
    if not entry.site:
        raise InvalidInput(
            f"held_out is {brief(site)}, but it must be left out: {entry.title} has no sites."
        )
    one_of("held_out", site, entry.sites)
    return (table.frame[entry.site] == site).to_numpy(dtype=bool)


def count_tested(records: int, preparation: Preparation) -> int:
    """Number of test records among so many, blank and incomplete ones included."""
    return min(max(round(preparation.test_fraction * records), 1), records)


def drawn(records: int, preparation: Preparation) -> NDArray[np.bool_]:
    """A mask of the test records, shape (records,), which hangs on their number alone."""
    test = np.zeros(records, dtype=bool)
    order = np.random.default_rng(preparation.seed).permutation(records)
    test[order[: count_tested(records, preparation)]] = True
    return test


def drawn_by_class(table: Table, preparation: Preparation) -> NDArray[np.bool_]:
    """A mask of as many test records, shape (records,), drawn within each class.

    Each class is tested at its share of all records, up or down to a whole record; blank records
    are a class of their own.

    Raises
    ------
    InvalidInput
        If the records are not published, or a number is predicted.
    """
    if not table.published or table.entry.predicts == "number":
        raise InvalidInput(
            f"stratified is {preparation.stratified}, but it must be False: only published records "
            "that fall into classes are split by class."
        )
    _, place, counts = np.unique(table.label, return_inverse=True, return_counts=True)
    count = count_tested(table.records, preparation)
    wanted = count * counts / table.records
    quota = np.floor(wanted).astype(int)
    quota[np.argsort(quota - wanted, kind="stable")[: count - quota.sum()]] += 1
    order = np.random.default_rng(preparation.seed).permutation(table.records)
    test = np.zeros(table.records, dtype=bool)
    for stratum, most in enumerate(quota):
        test[order[place[order] == stratum][:most]] = True
    return test


def unknown_values(table: Table, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Which values are unknown of the columns that may have some, (records, columns)."""
    marked = [column.name for column in columns if column.missing_mark]
    unknown = table.frame[marked].isna().to_numpy(dtype=bool)
    return np.asarray(unknown & ~table.blank[:, np.newaxis])


def complete_enough(unknown: NDArray[np.bool_], preparation: Preparation) -> NDArray[np.bool_]:
    """Which records are not dropped, (records,)."""
    return ~np.asarray(unknown.any(axis=1) & (preparation.missing == "drop"))


def places(
    table: Table, test: NDArray[np.bool_], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the training records, and of the test records.

    The split is drawn over all records before any is dropped: whether one record is complete must
    not move the others between training and testing.
    """
    return np.flatnonzero(keep & ~test), np.flatnonzero(keep & test & ~table.blank)


def _features(
    frame: pd.DataFrame,
    rows: NDArray[np.intp] | slice,
    columns: Sequence[Column],
    preparation: Preparation,
) -> tuple[list[str], FloatArray, list[str]]:
    """Names, rows of some records before their norm is taken, and what was clipped, in words."""
    names: list[str] = []
    writes: list[tuple[int, Write]] = []
    clipped: list[str] = []
    for column in columns:
        if column.kind == "category":
            added, write = _one_hot(
                column, frame[column.name].cat.codes.to_numpy()[rows], preparation
            )
        else:
            values = frame[column.name].to_numpy(dtype=float)[rows]
            added, write = [column.name], partial(_write, values[:, np.newaxis])
            if column.kind == "number":
                added, write, outside = _number(column, values, preparation)
                if outside:
                    clipped.append(f"{outside:,} of {column.name}")
        writes.append((len(names), write))
        names += added
    if preparation.intercept:
        writes.append((len(names), partial(_write, np.ones((1, 1)))))
        names.append("intercept")
    # In place: room for every column's own features would take longer than to fill it.
    x = np.empty((len(frame.index[rows]), len(names)))
    for place, write in writes:
        write(x[:, place:])
    return names, x, clipped


Write = Callable[[FloatArray], None]
"""Writes features to the first columns of an array."""


def _write(values: NDArray[Any], out: FloatArray) -> None:
    out[:, : values.shape[1]] = values


def _one_hot(
    column: Column, levels: NDArray[np.integer], preparation: Preparation
) -> tuple[list[str], Write]:
    """One 0/1 feature for each level: names, and rows for the given levels, -1 where unknown."""
    names = [f"{column.name} = {level}" for level in column.levels]
    # The codebook decides it, never whether an unknown value occurs.
    if column.missing_mark and preparation.missing == "impute":
        names.append(f"{column.name} unknown")
        levels = np.where(levels < 0, np.int64(len(column.levels)), levels)
    return names, partial(_write, levels[:, np.newaxis] == np.arange(len(names)))


def _by_rule(table: Table, preparation: Preparation) -> Split:
    """The rows with each map that the rule chooses among; straight lines where records are few."""
    numbers = _numbers(used_columns(table.entry, preparation))
    # Of all records, with gaps or without: how many have none is nobody's business.
    learning = int((~tested(table, preparation)[1]).sum())
    given = f"with {learning:,} {table.entry.records_are} and {numbers} columns of numbers"
    lines = prepare(table, replace(preparation, features="plain"))
    maps = {"plain": lines}
    # Steps stand at public values: there are none at the data's own range.
    if preparation.scaling == "public" and enough_records(learning, numbers):
        for features in MAPS[1:]:
            steps = STEPS[features]
            added = numbers * (steps.count - (0 if steps.beside else 1))
            if affordable(learning, lines.dimension + added):
                maps[features] = prepare(table, replace(preparation, features=features))
    if len(maps) == 1:
        note = f"By rule each number is a straight line, {given}."
        return replace(lines, notes=(*lines.notes, note))
    curves = maps["additive"]
    note = f"By rule each number is a curve, {given}. Where noise is large it is a straight line."
    return replace(curves, notes=(*curves.notes, note), maps=maps)


def _numbers(columns: Sequence[Column]) -> int:
    """How many of the columns hold numbers."""
    return sum(column.kind == "number" for column in columns)


def _number(
    column: Column, values: FloatArray, preparation: Preparation
) -> tuple[list[str], Write, int]:
    """The features of a number: names, rows, and how many values lay outside the public bounds."""
    line, outside = scaled(column, values, preparation)
    steps = STEPS.get(preparation.features)
    if steps is None:
        return [column.name], partial(_write, line[:, np.newaxis]), outside
    shares, _ = scaled(column, values, replace(preparation, interval="unit"))
    names = [f"{column.name} ≥ {cut:.4g}" for cut in cut_values(column, preparation, steps)]
    lines = [column.name] if steps.beside else []

    def write(out: FloatArray) -> None:
        out[:, : len(lines)] = line[:, np.newaxis]
        steps.write(shares, out[:, len(lines) :])

    return [*lines, *names], write, outside


def cut_values(column: Column, preparation: Preparation, steps: Steps) -> FloatArray:
    """Where the steps of a number stand, in its own unit, ascending; shape (K,)."""
    return values_at(column, preparation, steps.cuts)


def values_at(column: Column, preparation: Preparation, shares: FloatArray) -> FloatArray:
    """Numbers in their own unit at shares of the public interval, after its transform; (K,)."""
    low, high = _transformed(column, np.array(column.bounds), preparation)
    places = low + shares * (high - low)
    if not preparation.log_transform or column.transform == "none":
        return np.asarray(places)
    return np.asarray(np.sign(places) * np.expm1(np.abs(places)))


def _transformed(column: Column, values: FloatArray, preparation: Preparation) -> FloatArray:
    if not preparation.log_transform or column.transform == "none":
        return values
    if column.transform == "log1p":
        return np.log1p(values)
    return np.sign(values) * np.log1p(np.abs(values))


def scaled(column: Column, values: FloatArray, preparation: Preparation) -> tuple[FloatArray, int]:
    """A number in [−1, 1] or [0, 1], and how many values lay outside the public bounds."""
    lower, upper = column.bounds
    outside = 0
    if preparation.scaling == "public":
        outside = int(((values < lower) | (values > upper)).sum())
        values = np.clip(values, lower, upper)
        low, high = _transformed(column, np.array([lower, upper]), preparation)
        values = _transformed(column, values, preparation)
    else:
        # log1p of a value below −1 is no number; the public transform is only defined above it.
        floor = lower if column.transform == "log1p" and preparation.log_transform else -np.inf
        values = _transformed(column, np.maximum(values, floor), preparation)
        low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    # A constant column carries no information; it is set to the lower end.
    share = (values - low) / (high - low) if high > low else np.zeros_like(values)
    # Rounding may exceed the ends of the interval by one unit in the last place.
    share = np.clip(share, 0.0, 1.0)
    share[np.isnan(share)] = 0.5
    return (2.0 * share - 1.0 if preparation.interval == "symmetric" else share), outside
