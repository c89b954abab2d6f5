"""What deciding by models means to groups of people: rates of each, and the gap between them.

Equal selection rates are demographic parity, equal sensitivity is equality of opportunity, and with
equal specificity equalised odds (Hardt, Price and Srebro 2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, number
from dpcore.evaluation.scoring.metrics import auc
from dpcore.words import spaced

MEASURES = (
    "missed_per_1000",
    "false_per_1000",
    "true_positive_rate",
    "true_negative_rate",
    "accuracy",
    "auc",
    "selection_rate",
)
MIN = 20
"""A group needs so many cases, and so many others, for anything to be said of it. Of 20 people the
95 % interval of a share of one half (Wilson 1927) is already 40 points wide."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupMeasures:
    people: NDArray[np.int64]
    cases: NDArray[np.int64]
    rates: Mapping[str, Floats]  # `MEASURES`, (k, g) each; nan where a share is of nobody

    @property
    def cases_per_1000(self) -> Floats:
        return share_of(1000.0 * self.cases, self.people)

    @property
    def others_per_1000(self) -> Floats:
        return share_of(1000.0 * (self.people - self.cases), self.people)


def group_measures(
    risks: Array,
    positive: NDArray[np.bool_],
    groups: NDArray[np.intp],
    count: int,
    threshold: float,
) -> GroupMeasures:
    """Decide by k models in each group: who has a risk of at least the threshold is treated."""
    level = number("threshold", threshold, above=0.0, below=1.0)
    if not (np.min(risks, initial=0.0) >= 0.0 and np.max(risks, initial=0.0) <= 1.0):
        raise InvalidInput("A model's risk is no probability, but it must be from 0 to 1.")
    ill = np.asarray(positive, dtype=bool)
    if not risks.shape[1] == len(groups) == len(ill):
        raise InvalidInput(
            f"risks has {spaced(risks.shape[1])} columns and groups {spaced(len(groups))} values, "
            f"but both must have {spaced(len(ill))}: one a person."
        )
    member = groups[:, None] == np.arange(count)
    treated = (risks >= level).astype(np.float64)
    sizes, sick = member.sum(axis=0), member[ill].sum(axis=0)
    true_positives, alarms = treated[:, ill] @ member[ill], treated[:, ~ill] @ member[~ill]
    well = sizes - sick
    areas = [auc(risks[:, inside], ill[inside]) for inside in member.T]
    rates = {
        "missed_per_1000": share_of(1000.0 * (sick - true_positives), sizes),
        "false_per_1000": share_of(1000.0 * alarms, sizes),
        "true_positive_rate": share_of(true_positives, sick),
        "true_negative_rate": share_of(well - alarms, well),
        "accuracy": share_of(true_positives + well - alarms, sizes),
        "auc": np.stack(areas, axis=1).astype(np.float64),
        "selection_rate": share_of(true_positives + alarms, sizes),
    }
    return GroupMeasures(sizes, sick, rates)


def too_small(people: NDArray[np.int64], cases: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which groups have fewer than `MIN` cases or others, so that nothing is said of them."""
    return np.asarray(np.minimum(cases, people - cases) < MIN)


def furthest_apart(rates: Array, compared: NDArray[np.bool_]) -> tuple[int, int] | None:
    """Find the groups with the largest and with the smallest rate; ``None`` with fewer than two."""
    known = np.flatnonzero(compared & ~np.isnan(rates))
    if len(known) < 2:
        return None
    return int(known[rates[known].argmax()]), int(known[rates[known].argmin()])


def share_of(part: Array, whole: Array | NDArray[np.int64]) -> Floats:
    """The part of a whole; ``nan`` where that is nobody."""
    result: Floats = np.full(part.shape, np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result
