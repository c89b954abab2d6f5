"""A study by rule as one study for each feature map: straight lines at small ε, curves above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dpcore.datasets import Split
from dpcore.datasets.feature_rule import MAPS, by_noise
from dpcore.erm.problem import Problem
from dpcore.evaluation.splits import RepeatedSplits, Splits, each
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    calibrations_for,
    delta_for,
    problem_for,
)
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.models.model import Model
from dpcore.predictors import predictor_named

if TYPE_CHECKING:
    import pandas as pd


def maps_for(problem: Problem, epsilons: Sequence[float], delta: float) -> list[str]:
    change = problem.exact_change * math.sqrt(problem.parts)
    levels: list[float] = (analytic_mu(epsilons, delta) / change).tolist()
    return [by_noise(problem.records, problem.dimension, mu) for mu in levels]


def by_map(study: Study, split: Splits) -> list[tuple[Study, Sequence[Split]]]:
    """The study's ε with each feature map, and the splits; one pair unless a rule chooses."""
    splits = each(split)
    if not splits[0].maps:
        return [(study, splits)]
    models = tuple(key for key in study.methods if isinstance(predictor_named(key), Model))
    pairs: list[tuple[Study, Sequence[Split]]] = []
    if models:
        pairs.append((replace(study, methods=models), _with_map(splits, "plain")))
    convex = tuple(key for key in study.methods if key not in models)
    return pairs + _of_convex(replace(study, methods=convex), splits) if convex else pairs


def _with_map(
    splits: Sequence[Split], features: Literal["plain", "additive", "fine"]
) -> Sequence[Split]:
    if isinstance(splits, RepeatedSplits):
        return splits.with_features(features)
    return [one.maps[features] for one in splits]


def _of_convex(study: Study, splits: Sequence[Split]) -> list[tuple[Study, Sequence[Split]]]:
    first = splits[0]
    problem, delta = problem_for(study, first.maps["additive"]), delta_for(study, first)
    finest = list(first.maps)[-1]
    wanted = maps_for(problem, study.epsilons, delta)
    maps = [one if one in first.maps else finest for one in wanted]
    pairs: list[tuple[Study, Sequence[Split]]] = []
    for features in MAPS:
        epsilons = tuple(
            epsilon for epsilon, one in zip(study.epsilons, maps, strict=True) if one == features
        )
        if epsilons:
            pairs.append((replace(study, epsilons=epsilons), _with_map(splits, features)))
    return pairs


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
        by_method = calibrations_for(one, problem_for(one, rows[0]), delta_for(one, rows[0]))
        for key, group in by_method.items():
            by_setting.update({(key, c.requested.epsilon): c for c in group})
    return {key: [by_setting[key, epsilon] for epsilon in study.epsilons] for key in study.methods}
