"""What one summary measures of a table, in whole numbers, and all that is proved from it.

Every record belongs to one group (the last may be "not known"; without groups there is one) and
adds to that group's numbers alone, in units of U = 2²⁰:

    size      U, of a record that is not blank
    levels    U to the cell of its level, of a column of words; two that are crossed are one more
              such column, whose levels are the pairs
    known     U, of a number that may be unknown and is known
    sum       round(U u), u = (x - c)/h in [-1, 1], c the middle of the bounds, h half their width
    squares   round(U u²)
    layers    U to one cell of each layer: the range cut into 4, 16, 64, … equal parts
    follow-up U to one cell: the interval in which the event came, or in which the record left
              without it, or the one of those still there at the end of the last interval

Nothing is added for what is unknown, so a blank record adds nothing anywhere. Part i has noise
round(σᵢ Z), σᵢ = σ/√wᵢ for a public weight wᵢ; one of weight 0 is not measured. Whole sums with
rounded noise are post-processing of Gaussian noise, so the release is μ-Gaussian DP, with μ² the
largest Σ ‖Δᵢ‖²/σᵢ² over neighbours.
With mⱼ = w_known + w_sum + w_squares + Σ w_layers of a number (|u| = 1 attains both sum and
squares), w of a column of words or a follow-up, and M = w_size + Σ mⱼ (a follow-up is measured
alone, w = 1, so that Δ² is 1 under zero-out and 2 under replace-one):

    zero-out      M/σ²: a record with |u| = 1 everywhere against a blank one.
    replace-one   the larger of 2M/σ² (another group: all of one record goes, all of another comes),
                  where there are several groups, and Σ dⱼ/σ² in one group, where columns move by
                  themselves. dⱼ is 2w of words and of a follow-up. Of a number it is the larger of
                  mⱼ (known against unknown, where that may be) and 2 Σ w_layers + max f, with
                  f = a² (w_sum + (2 - a)² w_squares) over a = |u - v| in [0, 2]: u + v is at most
                  2 - a. f has its largest value at a = 2, or at the lower root of
                  w_sum = 2 w_squares (2 - a)(a - 1). M itself (one record blank) is smaller than
                  one of these, or is taken.

A person with up to k rows that count moves all of it k times as far: μ grows by k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.whole_gaussian import (
    ADJACENCIES,
    MAX_SIGMA,
    UNITS,
    WholeGaussian,
    least_noise,
)

MAX_WEIGHT, MAX_LAYERS, MAX_INTERVALS = 10_000, 5, 48
BRANCHES = 4
"""Parts that a layer cuts each part of the layer above into: of 2 to 16 the one with the least
noise on counts below a place, layers and all."""
NOT_KNOWN, EVERYBODY = "not known", "all"
"""What groups of a table are called that no level of a column names."""


CROSS = " × "


def pairs(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """The levels of two columns that are crossed."""
    return tuple(f"{one}{CROSS}{other}" for one in first for other in second)


@dataclass(frozen=True)
class WordColumn:
    """A column of words: its levels are counted."""

    name: str
    levels: tuple[str, ...]
    may_be_unknown: bool = False
    weight: int = 1
    crossed: tuple[str, ...] = ()  # the two columns whose levels its own are the pairs of

    def __post_init__(self) -> None:
        whole("levels", len(self.levels), at_least=1)
        if len(set(self.levels)) < len(self.levels):
            raise InvalidInput(f"{self.name} names a level twice, but it must name each once.")
        whole("weight", self.weight, at_least=1, at_most=MAX_WEIGHT)

    @property
    def is_known_by_size(self) -> bool:
        """Whether its numbers need to know how many there are."""
        return False

    @property
    def largest(self) -> int:
        """The largest squared length of what a record adds, by weight."""
        return self.weight

    @property
    def replaced(self) -> Fraction:
        """That of the change where one value takes another's place in one group."""
        return Fraction(2 * self.weight if len(self.levels) > 1 else self.weight)


@dataclass(frozen=True)
class FollowUpColumn(WordColumn):
    """Time to an event: its levels are the event and the leavings of each interval, and the end."""

    event: str = ""  # the column that says whether the event came
    happened: str = ""  # by which word
    end: float = 1.0  # of the last of the equal intervals, which begin at 0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("levels", len(self.levels), at_least=3, at_most=2 * MAX_INTERVALS + 1)
        if len(self.levels) % 2 == 0:
            raise reject("levels", len(self.levels), "two for each interval, and one more")
        number("end", self.end, above=0.0)

    @property
    def intervals(self) -> int:
        """How many equal intervals there are."""
        return len(self.levels) // 2

    @property
    def ends(self) -> tuple[float, ...]:
        """The end of each interval."""
        return tuple(self.end * (place + 1) / self.intervals for place in range(self.intervals))


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers within public bounds."""

    name: str
    lower: float
    upper: float
    layers: int  # how often its range is cut; 0 without quantiles
    may_be_unknown: bool = False
    known_weight: int = 1
    sum_weight: int = 1  # 0 without moments, as the next
    squares_weight: int = 1
    layer_weight: int = 1

    def __post_init__(self) -> None:
        number("lower", self.lower)
        number("upper", self.upper, above=self.lower)
        # Bounds that are no double apart have no middle.
        number("half of the range", self.half_width, above=0.0)
        whole("layers", self.layers, at_least=0, at_most=MAX_LAYERS)
        for name in ("known_weight", "layer_weight"):
            whole(name, getattr(self, name), at_least=1, at_most=MAX_WEIGHT)
        for name in ("sum_weight", "squares_weight"):
            whole(name, getattr(self, name), at_least=0, at_most=MAX_WEIGHT)
        if bool(self.sum_weight) != bool(self.squares_weight):
            raise InvalidInput(
                f"squares_weight is {self.squares_weight}, but it must be 0 where sum_weight is, "
                "and only there."
            )
        if not (self.sum_weight or self.layers):
            raise InvalidInput(
                f"layers is 0, but it must be at least 1 where {self.name} has no sum."
            )

    @property
    def cells(self) -> int:
        """Parts of the range in the finest layer."""
        return int(BRANCHES**self.layers)

    @property
    def is_known_by_size(self) -> bool:
        """Whether its numbers need to know how many there are."""
        return not self.may_be_unknown

    @property
    def middle(self) -> float:
        return self.lower + (self.upper - self.lower) / 2.0

    @property
    def half_width(self) -> float:
        return (self.upper - self.lower) / 2.0

    @property
    def largest(self) -> int:
        """The largest squared length of what a record adds, by weight."""
        known = self.known_weight if self.may_be_unknown else 0
        return known + self.sum_weight + self.squares_weight + self.layers * self.layer_weight

    @property
    def replaced(self) -> Fraction:
        """A bound on that of the change where one value takes another's place in one group."""
        moved = Fraction(2 * self.layers * self.layer_weight) + _farthest(
            self.sum_weight, self.squares_weight
        )
        return max(moved, Fraction(self.largest)) if self.may_be_unknown else moved


def _farthest(sum_weight: int, squares_weight: int) -> Fraction:
    """The largest a² (w_sum + (2 - a)² w_squares) for a in [0, 2], rounding to units included."""
    # Values a little within the ends have whole sums at the ends, but squares a unit apart.
    first = Fraction(4 * sum_weight) + Fraction(squares_weight, UNITS**2)
    inside = 1 - 2 * Fraction(sum_weight, squares_weight) if squares_weight else Fraction(-1)
    if inside <= 0:
        return first
    # At the lower root of w_sum = 2 w_squares (2 - a)(a - 1), which lies in [1, 3/2]: by a grid,
    # and what f can rise between two of its points, its slope being at most 4 w_sum + 8 w_squares.
    steps = 2**10
    grid = (1 + Fraction(place, 2 * steps) for place in range(steps + 1))
    best = max(a * a * (sum_weight + (2 - a) ** 2 * squares_weight) for a in grid)
    slack = Fraction(4 * sum_weight + 8 * squares_weight, 2 * steps)
    # Rounded values may lie a unit further apart than the real ones.
    rounding = Fraction((2 * 2 + 1) * (sum_weight + squares_weight), UNITS)
    return max(first, best + slack + rounding)


@dataclass(frozen=True)
class SummaryQuery:
    """What is measured, and of whom: public."""

    columns: tuple[WordColumn | NumberColumn, ...]
    by: str = ""  # the column whose values are the groups
    groups: tuple[str, ...] = ("",)  # the last may be `NOT_KNOWN`
    size_weight: int = 1  # 0 where nothing follows from how many they are

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise InvalidInput(f"only names {twice[0]} twice, but must name each column once.")
        for column in self.columns:
            self._check_sides(column)
        whole("size_weight", self.size_weight, at_least=0, at_most=MAX_WEIGHT)
        if not self.size_weight and any(column.is_known_by_size for column in self.columns):
            raise InvalidInput(
                "size_weight is 0, but it must be at least 1 for means and quartiles."
            )

    def _check_sides(self, column: WordColumn | NumberColumn) -> None:
        if not isinstance(column, WordColumn) or not column.crossed:
            return
        sides = [side.levels for side in self.sides(column)]
        if len(column.crossed) != 2 or (sides and column.levels != pairs(*sides)):
            raise InvalidInput(f"{column.name} must be of the pairs of levels of two columns.")

    def sides(self, column: WordColumn | NumberColumn) -> tuple[WordColumn, ...]:
        """The two columns that a crossed one is of, where both are measured."""
        crossed = column.crossed if isinstance(column, WordColumn) else ()
        words = {each.name: each for each in self.columns if isinstance(each, WordColumn)}
        return tuple(words[name] for name in crossed) if {*crossed} <= {*words} else ()

    @property
    def largest(self) -> int:
        """M: the largest squared length of what a record adds, by weight."""
        return self.size_weight + sum(column.largest for column in self.columns)

    def squared(self, adjacency: Adjacency) -> Fraction:
        """The largest squared length of the change between neighbours, by weight."""
        if adjacency != Adjacency.REPLACE_ONE:
            return Fraction(self.largest)
        inside = sum((column.replaced for column in self.columns), Fraction(0))
        between = 2 * self.largest if len(self.groups) > 1 else self.largest
        return max(inside, Fraction(between))


@dataclass(frozen=True)
class SummaryMechanism(WholeGaussian):
    """One noisy release of all that is measured. All values are public."""

    measured: SummaryQuery
    adjacency: Adjacency
    sigma: int  # of a part of weight 1, in units
    rows: int = 1  # of one person that count

    def __post_init__(self) -> None:
        one_of("adjacency", str(self.adjacency), ADJACENCIES)
        whole("sigma", self.sigma, at_least=1, at_most=MAX_SIGMA)
        whole("rows", self.rows, at_least=1, at_most=10_000)

    def noise_of(self, weight: int) -> int:
        """σ of a part in units."""
        return math.isqrt(-(-(self.sigma**2) // weight) - 1) + 1

    def scale_of(self, weight: int) -> float:
        """σ of a part, in records."""
        return self.noise_of(weight) / UNITS

    @cached_property
    def squared_sensitivity(self) -> int:
        """Δ² in squared units of a part of weight 1, rounded up."""
        return math.ceil(self.measured.squared(self.adjacency) * (UNITS * self.rows) ** 2)


def mechanism_for(
    budget: PrivacyBudget, measured: SummaryQuery, adjacency: Adjacency | str, rows: int = 1
) -> SummaryMechanism:
    """The mechanism with the least noise that keeps a budget.

    Parameters
    ----------
    budget : PrivacyBudget
        ε from 10⁻³ to 20, and δ above 0.
    measured : SummaryQuery
    adjacency : Adjacency
        Zero-out or replace-one.
    rows : int
        The most rows of one person that count.

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))

    def of_sigma(sigma: int) -> SummaryMechanism:
        return SummaryMechanism(measured, chosen, sigma, rows)

    return least_noise(budget, of_sigma(1).sensitivity, of_sigma)
