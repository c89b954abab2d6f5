"""Net benefit of deciding by a model's probabilities, against the threshold (Vickers, Elkin 2006).

Someone who treats from a risk of t on counts a false alarm as t/(1-t) of a case that is found. The
net benefit of a model at t is the share of people who are treated rightly less that weight times
the share of people who are treated needlessly; treating nobody has 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, number
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

    Counts = TypeVar("Counts", pd.Series, NDArray[np.float64])


MAX_COST = 1e9


@dataclass(frozen=True)
class Costs:
    """State what a missed case costs, and a person who is treated needlessly."""

    miss: float
    false_alarm: float

    def __post_init__(self) -> None:
        for name, field in (("missed case", "miss"), ("false alarm", "false_alarm")):
            cost = number(f"cost of a {name}", getattr(self, field), at_least=0.0, at_most=MAX_COST)
            object.__setattr__(self, field, cost)

    @property
    def threshold(self) -> float:
        """The risk from which on a miss is expected to cost more than a false alarm; nan for none.

        Someone with risk t costs t · miss if left alone and (1 - t) · false_alarm if treated.
        """
        both = self.miss + self.false_alarm
        return self.false_alarm / both if both > 0.0 else math.nan

    def of(self, missed: Counts, false: Counts) -> Counts:
        """Add up the cost of so many missed cases and false alarms."""
        return self.miss * missed + self.false_alarm * false

    def added(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Add ``cost_per_1000``, of 1,000 people, to a table."""
        ends = {
            f"cost_per_1000{end}": self.of(
                rows[f"missed_per_1000{end}"], rows[f"false_per_1000{end}"]
            )
            for end in ("", "_low", "_high")
        }
        return rows.assign(**ends)


BLOCK_ENTRIES = 2**20
"""Number of probabilities sorted at once."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """Outcomes of decisions by each of k models at each of T thresholds."""

    thresholds: NDArray[np.float64]  # (T,), probabilities in (0, 1), ascending
    # (k, T), share of all people who have the condition and are treated
    true_positives: NDArray[np.float64]
    alarms: NDArray[np.float64]  # (k, T), share of all people who do not have it and are treated
    share: float  # of people who have the condition

    @property
    def weights(self) -> NDArray[np.float64]:
        """t/(1-t), what a false alarm counts for; shape (T,)."""
        return self.thresholds / (1.0 - self.thresholds)

    @property
    def net_benefit(self) -> NDArray[np.float64]:
        """The net benefit of each model, (k, T)."""
        return self.true_positives - self.weights * self.alarms

    @property
    def treat_all(self) -> NDArray[np.float64]:
        """The net benefit of treating everybody, (T,)."""
        return self.share - self.weights * (1.0 - self.share)

    @property
    def missed_per_1000(self) -> NDArray[np.float64]:
        """People of 1,000 who have the condition and are not treated, (k, T)."""
        return 1000.0 * (self.share - self.true_positives)

    @property
    def false_per_1000(self) -> NDArray[np.float64]:
        """People of 1,000 who do not have it and are treated, (k, T)."""
        return 1000.0 * self.alarms

    @property
    def true_positive_rate(self) -> NDArray[np.float64]:
        """Sensitivity: share of those with the condition who are treated, (k, T); nan of nobody."""
        return _share(self.true_positives, self.share)

    @property
    def true_negative_rate(self) -> NDArray[np.float64]:
        """Specificity: share of the others who are not treated, (k, T); nan of nobody."""
        return 1.0 - _share(self.alarms, 1.0 - self.share)

    @property
    def predictive_value(self) -> NDArray[np.float64]:
        """PPV: share of the treated who have the condition, (k, T); nan where nobody is."""
        return _share(self.true_positives, self.true_positives + self.alarms)

    def cost_per_1000(self, miss: float, false_alarm: float) -> NDArray[np.float64]:
        """Cost of 1,000 people's wrong decisions, (k, T), in the currency of the two costs."""
        costs = Costs(miss, false_alarm)
        return costs.of(self.missed_per_1000, self.false_per_1000)


def decisions(risks: Array, positive: NDArray[np.bool_], thresholds: Sequence[float]) -> Decisions:
    """Decide by k models: who has a risk of at least the threshold is treated.

    Parameters
    ----------
    risks : (k, m) or (m,) array
        Probabilities of the condition, in [0, 1]; of one model a single row.
    positive : (m,) array of bool
        Who has it.
    thresholds : sequence of float
        Above 0 and below 1.

    Raises
    ------
    InvalidInput
        If a threshold or a risk is out of range, or there are no people.

    Notes
    -----
    Measured on real records, and not private.
    """
    levels = np.sort([number("threshold", each, above=0.0, below=1.0) for each in thresholds])
    ill = np.asarray(positive, dtype=bool)
    people = len(ill)
    if not people:
        raise InvalidInput("There are 0 test records, but at least one must be there to decide on.")
    if not (np.min(risks, initial=0.0) >= 0.0 and np.max(risks, initial=0.0) <= 1.0):
        raise InvalidInput("A model's risk is no probability, but it must be from 0 to 1.")
    models = np.atleast_2d(np.asarray(risks, dtype=np.float64))
    if models.shape[1] != people:
        raise InvalidInput(
            f"risks has {spaced(models.shape[1])} columns, but it must have {spaced(people)}: one "
            "a person."
        )
    counts = np.empty((2, len(models), len(levels)))
    together = max(1, BLOCK_ENTRIES // people)
    for which, group in enumerate((ill, ~ill)):
        for first in range(0, len(models), together):
            ordered = np.sort(models[first : first + together, group], axis=1)
            for place, row in enumerate(ordered, first):
                below = np.searchsorted(row, levels, side="left")
                counts[which, place] = len(row) - below
    true_positives, alarms = counts / people
    return Decisions(levels, true_positives, alarms, float(np.mean(ill)))


def _share(part: NDArray[np.float64], whole: NDArray[np.float64] | float) -> NDArray[np.float64]:
    result = np.full_like(part, np.nan)
    return np.divide(part, whole, out=result, where=np.asarray(whole) > 0.0)
