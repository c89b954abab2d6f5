"""What one record adds to a noisy sum: a vector of whole numbers of bounded length.

A record's gradient has norm at most 1 = C. It is written in units of C/2²⁰ (the grid's step),
rounded coordinate by coordinate: that moves it by at most √d/2 units, and 0 stays 0. The bound is

    R = 2²⁰ + ⌈√d⌉  units,

a little more than that proves. It is not left to floating point: the squared length of the whole
numbers is computed exactly, and a record beyond R, which can't happen but for a fault, adds 0. So a
sum over records moves by at most R under zero-out and 2R under replace-one, whatever is passed in.

Where a person may have several rows, a record is a person, and its vector the mean of the gradients
of the m rows that count, whose norm is at most 1, too. Each row's is first rounded to a grid that
is 2¹² times finer. Sums of these are exact in any order: whole numbers of at most 2³² each, of at
most 10⁴ < 2¹⁴ rows, hence below 2⁴⁶, which doubles hold to the unit. The sum is divided by m, once,
and rounded to the grid, once: both roundings move the mean by at most (1 + 2⁻¹²)√d/2 units, and the
quotient's last bit by less than 2⁻²⁶ of one, which R covers. Only then is each person's length
checked. A person of one row is rounded twice here, which may differ by a unit from once: so which
way is taken depends on the description alone, never on how many rows anybody has.

All is exact in 64 bits. A coordinate is at most 2²⁰ units, or it is set to 0 while still a double;
a squared length is then at most 2¹² · 2⁴⁰ = 2⁵², and a sum over 2⁴⁰ records at most 2⁶⁰. The order
of summing does not matter.

A record's vector depends on its own rows and the weights alone, bit by bit. Matrix products don't
have this property: a library groups rows as it likes, and the last bit of one may depend on the
number of others. Here each number of a record is made by additions, products, quotients, square
roots and comparisons, element by element and column by column, which IEEE 754 rounds in one way on
every machine. The logistic function is made of these, too (`dpcore.release.scorer`), and so are
both ways through a network, whose d is the number of all its weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.encoding import features_of
from dpcore.datasets.persons import Persons
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.schema import Entry

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Gradients = Callable[[Array, Array], Array]

UNITS = 2**20
"""Units of the grid in C = 1."""
FINER = 2**12
"""Of the grid for the rows of one person."""
MAX_FEATURES, MAX_RECORDS = 2**12, 2**40
"""With both, squared lengths are at most 2⁵² and sums at most 2⁶⁰."""
ROWS = 2**13
"""Rows at a time, about, of a linear model; the result does not depend on it."""
PREPARED = 2**15
"""Records prepared at a time, which takes more memory than they have in a step of training."""


def bound(dimension: int) -> int:
    """R, the greatest length of one record's vector, in units."""
    return UNITS + math.isqrt(dimension - 1) + 1


def rows(entry: Entry, frame: pd.DataFrame, preparation: Preparation) -> Array:
    """Records as columns of features, each record of norm at most 1; shape (d, n)."""
    others = range(PREPARED, len(frame), PREPARED)
    part = _rows(entry, frame[:PREPARED], preparation)
    if not others:
        return part
    features = np.empty((len(part), len(frame)))
    features[:, :PREPARED] = part
    for begin in others:
        where = slice(begin, begin + PREPARED)
        features[:, where] = _rows(entry, frame[where], preparation)
    return features


def _rows(entry: Entry, frame: pd.DataFrame, preparation: Preparation) -> Array:
    features = np.ascontiguousarray(features_of(entry, frame, preparation).T)
    squares = np.zeros(features.shape[1])
    for column in features:
        squares += column * column
    features /= np.sqrt(np.where(squares > 0.0, squares, 1.0))
    return np.where(np.abs(features) <= 1.0, features, 0.0)


def products(rows: Array, weights: Array) -> Array:
    """wᵀx of each record, by its own features in their order; shape (m,)."""
    result = np.zeros(rows.shape[1])
    for column, weight in zip(rows, weights, strict=True):
        result += column * weight
    return result


def contributions(
    signed: Array, weights: Array, gradients: Gradients, first: Whole | None = None
) -> Whole:
    """Each record's gradient on the grid, in units; shape (parameters, records).

    `signed`, shape (d, m), has features in [-1, 1] times the label of ±1, or 0 of a blank row; the
    bound holds for any. `gradients` is a `Scorer`'s; its result has shape (parameters, m). `first`
    says where each person's rows begin; without it each row is a record.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite adds 0
        exact = gradients(signed, weights) * UNITS
    exact = np.where(np.abs(exact) <= UNITS, exact, 0.0)
    if first is not None:
        exact = _means(exact, first)
    units = np.rint(exact).astype(np.int64)
    units[:, (units * units).sum(axis=0) > bound(len(units)) ** 2] = 0
    return units


def _means(exact: Array, first: Whole) -> Array:
    """The mean of each person's rows, by whole numbers: the same in any order of them."""
    rows = np.diff(first, append=exact.shape[1])
    return np.asarray(np.add.reduceat(np.rint(exact * FINER), first, axis=1) / (rows * FINER))


def total(
    signed: Array, weights: Array, gradients: Gradients, persons: Persons | None = None
) -> Whole:
    """The sum of all records' `contributions`, exact, of persons if given; shape (parameters,)."""
    result = np.zeros(len(weights), dtype=np.int64)
    # The more weights a feature has, the fewer rows, for the memory that they take.
    most = max(ROWS * len(signed) // len(weights), 1)
    for where, first in blocks(signed.shape[1], most, persons):
        result += contributions(signed[:, where], weights, gradients, first).sum(axis=1)
    return result


def blocks(
    rows: int, most: int, persons: Persons | None = None
) -> Iterable[tuple[slice, Whole | None]]:
    """Rows in parts of about `most`, with where each person's begin in the part, if given."""
    if persons is not None:
        return persons.blocks(most)
    return ((slice(begin, begin + most), None) for begin in range(0, rows, most))
