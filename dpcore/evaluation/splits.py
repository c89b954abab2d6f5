"""The splits that models are judged on, one or many, and a study by rule on each feature map.

There is one where it tests many records, else many. How many follows from public numbers alone; a
single small test is a matter of luck. By rule there are straight lines at small ε, curves above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from dpcore.datasets import Preparation, Split, Table, load, prepare
from dpcore.datasets.features import MAPS
from dpcore.datasets.partition import count_tested, tested
from dpcore.evaluation.study import Calibrations, Study, calibrations_of, delta_for, problem_for
from dpcore.predictors import Sample, predictor_named

if TYPE_CHECKING:
    import pandas as pd


FEW_TESTED, MIN, MAX = 2_000, 20, 100
"""Where a split tests fewer records than the first, there are at least so many splits; and the most
there are anywhere."""
ERROR = 0.005
"""Standard error that the choice of test records should leave of a mean accuracy, at most."""

Splits = Split | Sequence[Split]
"""One split, or several that results are averaged over."""


@dataclass(frozen=True, eq=False)
class RepeatedSplits(Sequence[Split]):
    """Hold several splits of one table, each of which is prepared on request and not stored."""

    table: Table
    preparations: tuple[Preparation, ...]

    def __len__(self) -> int:
        return len(self.preparations)

    @overload
    def __getitem__(self, place: int) -> Split: ...
    @overload
    def __getitem__(self, place: slice) -> RepeatedSplits: ...
    def __getitem__(self, place: int | slice) -> Split | RepeatedSplits:
        if isinstance(place, slice):
            return replace(self, preparations=self.preparations[place])
        return prepare(self.table, self.preparations[place])

    def with_features(self, features: Literal["plain", "additive", "fine"]) -> RepeatedSplits:
        """The same splits with the rows of one map (`Preparation.features`)."""
        preparations = [replace(one, features=features) for one in self.preparations]
        return replace(self, preparations=tuple(preparations))


def number_of_splits(records: int, tested: int) -> int:
    """How many splits keep the standard error due to the choice of test records below `ERROR`.

    The accuracy of one model on m of n records, drawn without replacement, has the variance
    p (1 - p) (n - m) / ((n - 1) m), at most that of p = ½. It is a rule in public numbers only:
    n counts blank and incomplete records too, and how many splits there are tells nothing of any.
    """
    variance = 0.25 * (records - tested) / (max(1, records - 1) * tested)
    least = MIN if tested < FEW_TESTED else 1
    return min(MAX, max(least, math.ceil(variance / ERROR**2)))


def splits(table: Table, preparation: Preparation) -> RepeatedSplits:
    """The table split as often as its size requires.

    A single split is `prepare`'s own. Several are stratified where the records are published. On
    other records they are not: the label of one person would move which others are learned from,
    and no sensitivity covers that. They test every record in turn, so that cases are among the
    tested at their share of the table. Splits that would test only blank records are left out.
    """
    count = 1
    if table.further is None and not preparation.held_out:
        count = number_of_splits(table.records, count_tested(table.records, preparation))
    stratified = count > 1 and table.published and table.entry.predicts != "number"
    first = replace(preparation, turn=0, stratified=stratified)
    if table.published:
        seeds = [(first.seed + place) % 2**63 for place in range(count)]
        every = [replace(first, seed=seed) for seed in seeds]
    else:
        every = [replace(first, turn=turn) for turn in range(count)]
    if count > 1 and table.blank.any():
        every = [one for one in every if _has_outcome(table, one)] or every[:1]
    return RepeatedSplits(table, tuple(every))


def _has_outcome(table: Table, preparation: Preparation) -> bool:
    joined, test = tested(table, preparation)
    return bool((test & ~joined.blank).any())


def splits_of(dataset: str, records: int | None, preparation: Preparation) -> RepeatedSplits:
    """The splits of a data set of the catalogue."""
    return splits(load(dataset, records=records), preparation)


def each(given: Splits) -> Sequence[Split]:
    """The splits, also of a single one."""
    return (given,) if isinstance(given, Split) else given


def samples(given: Splits) -> Iterator[Sample]:
    """Each split with the table that it is of, where that is at hand."""
    table = given.table if isinstance(given, RepeatedSplits) else None
    return (Sample(split, table) for split in each(given))


def enough_runs(runs: int, count: int) -> int:
    """So many runs, and on each of several splits two at least, which tell the noise apart."""
    return max(runs, 2 * count if count > 1 else 1)


def judged(given: Splits) -> int:
    """About how many different records the splits test."""
    every = each(given)
    first = every[0]
    return min(len(every) * first.tested, first.records + first.tested)


def by_map(study: Study, split: Splits) -> list[tuple[Study, Sequence[Split]]]:
    """The study's ε with each feature map, and the splits; one pair unless a rule chooses."""
    splits = each(split)
    if not splits[0].maps:
        return [(study, splits)]
    first = splits[0]
    problem, delta = problem_for(study, first.maps["additive"]), delta_for(study, first)
    finest = list(first.maps)[-1]
    groups: dict[tuple[str, ...], list[str]] = {}
    for key in study.methods:
        wanted = predictor_named(key).features(problem, study.epsilons, delta)
        maps = tuple(one if one in first.maps else finest for one in wanted)
        groups.setdefault(maps, []).append(key)
    pairs: list[tuple[Study, Sequence[Split]]] = []
    for maps, methods in groups.items():
        for features in MAPS:
            epsilons = tuple(
                epsilon
                for epsilon, one in zip(study.epsilons, maps, strict=True)
                if one == features
            )
            if epsilons:
                alike = replace(study, methods=tuple(methods), epsilons=epsilons)
                pairs.append((alike, _with_map(splits, features)))
    return pairs


def _with_map(
    splits: Sequence[Split], features: Literal["plain", "additive", "fine"]
) -> Sequence[Split]:
    if isinstance(splits, RepeatedSplits):
        return splits.with_features(features)
    return [one.maps[features] for one in splits]


def features_at(study: Study, split: Split, method: str, epsilon: float) -> str:
    """The feature map of a method at one ε."""
    ((_, rows),) = by_map(replace(study, methods=(method,), epsilons=(epsilon,)), split)
    return rows[0].preparation.features


def in_order(tables: list[pd.DataFrame], study: Study) -> pd.DataFrame:
    """One table, by the study's methods and ε; the order within a pair is kept."""
    import pandas as pd

    table = pd.concat(tables, ignore_index=True)
    rank = {key: index for index, key in enumerate(study.methods)}
    keys = [table["epsilon"].map(study.epsilons.index), table["method"].map(rank)]
    return table.iloc[np.lexsort([key.to_numpy() for key in keys])].reset_index(drop=True)


def calibrations_on(study: Study, split: Splits) -> Calibrations:
    """Every method's calibrations, one per ε, in the study's order, each for its own rows."""
    by_setting = {}
    for one, rows in by_map(study, split):
        for key, group in calibrations_of(one, rows[0]).items():
            by_setting.update({(key, c.requested.epsilon): c for c in group})
    return {key: [by_setting[key, epsilon] for epsilon in study.epsilons] for key in study.methods}
