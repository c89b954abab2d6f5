"""What deciding by private models means to groups of people, as one tidy table.

One row a (method, ε, group, measure) with the band from 5 % to 95 % of single runs, then the model
without privacy. Further rows are of everybody and of the widest gap, whose band, of the same two
groups in single runs, is below 0 where noise turns it round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.controls.control import Control, Name, OneOf
from dpcore.controls.explore import THRESHOLD
from dpcore.datasets import Entry, Preparation, Table
from dpcore.datasets.grouping import Grouping, columns, grouping
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, number
from dpcore.evaluation.clinic.groups import (
    MEASURES,
    furthest_apart,
    group_measures,
    share_of,
    too_small,
)
from dpcore.evaluation.clinic.risks import (
    OF_MODEL,
    Judged,
    judged_models,
    of_model,
    over_runs,
    split_of_each,
    summarised,
)
from dpcore.evaluation.scoring import holding
from dpcore.progress import Progress, section, silent
from dpcore.questions.question import asked
from dpcore.questions.risks import RiskQuestion, of_percent

if TYPE_CHECKING:
    import pandas as pd

EVERYBODY, GAP = "everybody", "widest gap"
"""In place of a group, whose name begins with that of its column."""
WRONG_OF = {
    "true_positive_rate": ("missed_per_1000", "cases_per_1000"),
    "true_negative_rate": ("false_per_1000", "others_per_1000"),
}
"""Rates that are ratios of mean counts: what is wrong of 1,000 people, and of how many of them."""
COLUMNS = (
    *OF_MODEL,
    "threshold",
    "column",
    "group",
    "people",
    "too_small",
    "measure",
    "value",
    "value_low",
    "value_high",
    "runs",
    "splits",
)


def of_one(threshold: str) -> float:
    """Read the risk from which one acts."""
    return number("threshold", threshold)


GROUP_BY = Control(
    "group_by",
    "Groups by",
    Name(),
    noun="groups by",
    fallback_name="the first column",
    option="by",
    brief="the column whose groups are compared; models need not use it",
    help="The column whose groups are compared. Numbers are cut at round values, ages by decades, "
    "and never by looking at the records. The model need not use the column.",
)
AT = replace(THRESHOLD, brief="the risk from which one acts, as a share of 1; default: 0.5")
MEASURE = Control(
    "group_measure",
    "What is compared",
    OneOf(
        {
            "missed_per_1000": "Missed cases",
            "false_per_1000": "False alarms",
            "true_positive_rate": "Sensitivity",
            "true_negative_rate": "Specificity",
            "accuracy": "Accuracy",
            "auc": "AUC",
            "selection_rate": "Share treated",
        }
    ),
    noun="a comparison by",
    help="**Missed cases** and **false alarms** are of 1 000 people of the group. **Sensitivity**: "
    "share of its cases who are treated; **specificity**: share of its others who are not. "
    "**Share treated**: the selection rate.",
)


@dataclass(frozen=True)
class GroupsQuestion(RiskQuestion):
    """What deciding by a study's private models means to each group of people.

    Parameters
    ----------
    study : Study
        It names the adjacency; logistic regression on two classes.
    by : str
        The column whose groups are compared, which models need not use.
    threshold : float
        The risk above 0 and below 1 from which on one acts.
    corrected : bool
        Whether risks are corrected by noisy counts within the same ε.

    Notes
    -----
    One row a method, ε, measure and group. ``people`` counts different test records; ``too_small``
    tells that nothing can be said of a group for one of the models, or that no two can be compared.
    Rates are ratios of the mean counts. Of the widest gap, a ``value_low`` below 0 tells that noise
    turns it round.
    """

    by: str = asked(GROUP_BY, default="", takes="str")
    threshold: float = asked(
        AT, default=0.5, read=of_one, chosen=of_percent, drawn=False, takes="float"
    )

    tab = "Groups"
    doing = "Comparing groups"
    table_is = "What deciding by each model means to each group, at every ε"
    looks = (MEASURE,)
    examples = ("--dataset cohort --records 300 --methods opera --epsilon 1 --by sex",)

    def __post_init__(self) -> None:
        super().__post_init__()
        level = number("threshold", self.threshold, above=0.0, below=1.0)
        object.__setattr__(self, "threshold", level)

    @classmethod
    def among(cls, entry: Entry) -> Mapping[str, Sequence[str]]:
        return {GROUP_BY.key: columns(entry)}

    def check(self, entry: Entry) -> None:
        if not self.by:
            names = ", ".join(columns(entry))
            raise InvalidInput(f"by is missing, but it must be one of the columns: {names}.")
        grouping(entry, self.by)

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        models = judged_models(self.models, records, section(report, 0.0, 0.8))
        return group_rows(self, records, models, section(report, 0.8, 0.2))


QUESTION = GroupsQuestion


def group_rows(
    study: GroupsQuestion, records: Table, models: Sequence[Judged], progress: Progress = silent
) -> pd.DataFrame:
    """The rows of models that are `judged_models` already."""
    import pandas as pd

    groups = grouping(records.entry, study.by)

    @cache
    def members(preparation: Preparation) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return groups.of_tested(records, preparation)

    of_splits = [[members(split.preparation) for split in one.splits] for one in models]
    counts = [
        _counts(one, of_split, len(groups.names))
        for one, of_split in zip(models, of_splits, strict=True)
    ]
    # Where incomplete records are dropped, models may be judged on different ones.
    small = np.any([too_small(*each) for each in counts], axis=0)
    tables = []
    for place, one in enumerate(models):
        progress(place / len(models), "comparing groups")
        codes = [codes for _, codes in of_splits[place]]
        tables.append(_rows(study, one, groups, codes, counts[place][0], small))
    return pd.concat(tables, ignore_index=True)[list(COLUMNS)]


def _rows(
    study: GroupsQuestion,
    models: Judged,
    groups: Grouping,
    codes: list[NDArray[np.intp]],
    people: NDArray[np.int64],
    small: NDArray[np.bool_],
) -> pd.DataFrame:
    """Make the rows of models of one kind; `small` groups are too small for any of them."""
    import pandas as pd

    runs = [len(weights) for weights in models.weights]
    rates = _rates(models, codes, len(groups.names), study.threshold)
    tables = []
    places = None if models.calibration is None else split_of_each(runs)
    for name in MEASURES:
        most = 1000.0 if name.endswith("1000") else 1.0
        of_groups = _of_groups(rates, name, places, most)
        gap = _widest_gap(rates[name], of_groups[0], ~small, places, most)
        mean, low, high = np.column_stack([of_groups, gap])
        tables.append(
            pd.DataFrame(
                {
                    "group": [*groups.names, EVERYBODY, GAP],
                    "people": [*people, people[-1]],
                    "too_small": [*small, bool((~small[:-1]).sum() < 2)],
                    "measure": name,
                    "value": mean,
                    "value_low": low,
                    "value_high": high,
                }
            )
        )
    counted = 1 if models.calibration is None else sum(runs)
    return pd.concat(tables, ignore_index=True).assign(
        **of_model(models),
        threshold=study.threshold,
        column=study.by,
        runs=counted,
        splits=len(models.splits),
    )


def _of_groups(rates: Mapping[str, Array], name: str, places: Array | None, most: float) -> Array:
    ratios = {}
    if name in WRONG_OF:
        wrong, whole = (over_runs(rates[part], places)[0] for part in WRONG_OF[name])
        ratios[name] = 1.0 - share_of(wrong, whole)
    return np.stack([*summarised({name: (0.0, most)}, rates, places, ratios).values()])


def _widest_gap(
    rates: Array, means: Array, large: NDArray[np.bool_], places: Array | None, most: float
) -> Array:
    """The gap between the means of groups, and the band of the same difference in runs; (3,)."""
    pair = furthest_apart(means[:-1], large[:-1])
    if pair is None:
        return np.full(3, np.nan)
    upper, lower = pair
    difference = rates[:, [upper]] - rates[:, [lower]]
    (_,), (low,), (high,) = summarised({GAP: (-most, most)}, {GAP: difference}, places).values()
    gap = means[upper] - means[lower]
    # Where a value is a ratio of means, or a run lacks a rate, the differences have another mean.
    return np.array([gap, *holding(gap, low, high)])


def _counts(
    models: Judged, of_split: list[tuple[NDArray[np.intp], NDArray[np.intp]]], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different test records of each group and of everybody, and the cases among them."""
    rows, codes = (np.concatenate(part) for part in zip(*of_split, strict=True))
    ill = np.concatenate([split.y_test > 0 for split in models.splits])
    _, first = np.unique(rows, return_index=True)
    codes, ill = codes[first], ill[first]
    member = codes[:, None] == np.arange(count)
    member = np.column_stack([member, np.ones(len(first), dtype=bool)])
    return member.sum(axis=0), member[ill].sum(axis=0)


def _rates(
    models: Judged, codes: list[NDArray[np.intp]], count: int, threshold: float
) -> dict[str, NDArray[np.float64]]:
    """`MEASURES` and counts of `WRONG_OF` of each run: groups, then everybody; (runs, g + 1)."""
    rates: dict[str, list[NDArray[np.float64]]] = {
        name: [] for name in (*MEASURES, *(whole for _, whole in WRONG_OF.values()))
    }
    for (risks, ill), places in zip(models.risks, codes, strict=True):
        inside = group_measures(risks, ill, places, count, threshold)
        whole = group_measures(risks, ill, np.zeros_like(places), 1, threshold)
        for name in MEASURES:
            rates[name].append(np.hstack([inside.rates[name], whole.rates[name]]))
        for _, name in WRONG_OF.values():
            of_split = np.hstack([getattr(inside, name), getattr(whole, name)])
            rates[name].append(np.tile(of_split, (len(risks), 1)))
    return {name: np.concatenate(parts) for name, parts in rates.items()}
