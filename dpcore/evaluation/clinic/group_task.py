"""What deciding by private models means to groups of people, as one tidy table.

One row a (method, ε, group, measure) with the band from 5 % to 95 % of single runs, then the model
without privacy. Further rows are of everybody and of the widest gap, whose band, of the same two
groups in single runs, is below 0 where noise turns it round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Table
from dpcore.datasets.grouping import Grouping, grouping
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.groups import (
    MEASURES,
    furthest_apart,
    group_measures,
    share_of,
    too_small,
)
from dpcore.evaluation.clinic.risks import Judged, judged_models, records_of
from dpcore.evaluation.clinic.rows import (
    OF_MODEL,
    of_model,
    over_runs,
    split_of_each,
    summarised,
)
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.scoring import holding
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, digest
from dpcore.progress import Progress, section, silent, stoppable

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


@dataclass(frozen=True)
class GroupStudy:
    """The private models of a study, judged in each group of one column."""

    clinic: ClinicStudy
    column: str  # one of the data set's, which models need not use

    def __post_init__(self) -> None:
        if len(self.clinic.thresholds) != 1:
            raise InvalidInput(
                f"threshold has {len(self.clinic.thresholds)} values, but must have 1 where groups "
                "are compared."
            )

    @property
    def threshold(self) -> float:
        """The risk from which on one acts."""
        return self.clinic.thresholds[0]

    @property
    def upload(self) -> str:
        return self.clinic.upload

    @property
    def title(self) -> str:
        return f"Groups under {self.clinic.study.title}"

    @cached_property
    def key(self) -> str:
        return digest({"groups": asdict(self)})


def compared(
    study: GroupStudy,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Tabulate what deciding by the study's models means to each group. Not private.

    ``people`` counts different test records; ``too_small`` tells that nothing can be said of a
    group (`too_small`) for one of the models, or that no two can be compared. Rates are ratios of
    the mean counts. Of the widest gap, a ``value_low`` below 0 tells that noise turns it round.
    """
    report = stoppable(progress, cancelled)
    table = records_of(study.clinic.study, records, report)
    grouping(table.entry, study.column)  # a wrong column is told before anything is trained
    models = judged_models(study.clinic, table, section(report, 0.0, 0.8))
    rows = group_rows(study, table, models, section(report, 0.8, 0.2))
    report(1.0, "done")
    return rows


def group_rows(
    study: GroupStudy, records: Table, models: Sequence[Judged], progress: Progress = silent
) -> pd.DataFrame:
    """The rows of `compared` for models that are `judged_models` already."""
    import pandas as pd

    groups = grouping(records.entry, study.column)

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


def task(study: GroupStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: GroupStudy, context: JobContext) -> Outcome:
    """`compared`; all rows come at the end."""
    return Outcome(
        compared(
            study,
            records=context.records,
            progress=context.report,
            cancelled=context.cancelled,
        )
    )


def _rows(
    study: GroupStudy,
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
        column=study.column,
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
