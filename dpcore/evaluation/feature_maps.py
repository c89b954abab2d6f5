"""A study by rule as one study for each feature map: straight lines at small ε, curves above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpcore.datasets import Split
from dpcore.datasets.feature_rule import MAPS
from dpcore.evaluation.splits import RepeatedSplits, Splits, each
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    calibrations_of,
    delta_for,
    problem_for,
)
from dpcore.predictors import predictor_named

if TYPE_CHECKING:
    import pandas as pd


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
