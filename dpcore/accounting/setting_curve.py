"""ε against the setting that was solved for, on both sides of the answer, as one tidy table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting.accountant import ROUNDED_UP
from dpcore.accounting.budget import BudgetSplit
from dpcore.accounting.planner import Plan, spent, spent_along
from dpcore.accounting.schedules import MAX_STEPS
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

POINTS = 12
"""Values besides the answer."""


def setting_curve(plan: Plan, progress: Progress = silent) -> pd.DataFrame:
    """ε by PLD for values of the setting from half to twice the answer."""
    training, answer = plan.training, plan.value
    if training is None or answer is None:
        raise ValueError("there is no answer to draw a curve around")
    if plan.unknown == "epochs":
        per_epoch = steps_per_epoch(training.records, training.batch)
        epochs = _whole(1, min(2 * round(answer), MAX_STEPS // per_epoch), round(answer))
        marks = [per_epoch * count for count in epochs]
        guarantees = spent_along(
            replace(training, steps=marks[-1]),
            marks,
            lambda share: progress(share, "composing the steps"),
        )
        values = [float(count) for count in epochs]
    else:
        values, guarantees = _values(plan.unknown, training, answer), []
        for place, value in enumerate(values):
            progress(place / len(values), f"setting {place + 1} of {len(values)}")
            guarantees.append(spent(_with(training, plan.unknown, value), "pld"))
    rows = [
        (
            value,
            math.nan if guarantee.epsilon is None else guarantee.epsilon,
            training.delta,
            str(guarantee.adjacency),
            guarantee.by,
        )
        for value, guarantee in zip(values, guarantees, strict=True)
    ]
    return _table(rows)


def release_curve(
    split: BudgetSplit, limit: PrivacyBudget, adjacency: Adjacency, sensitivity: float
) -> pd.DataFrame:
    """ε of equal Gaussian releases for noise from half to twice the answer."""
    portion, count = split.portions[0], len(split.portions)
    rows = []
    for factor in _factors():
        multiplier = portion.sigma * factor / sensitivity
        epsilon = split.certified_epsilon
        if factor != 1.0:
            together = multiplier / math.sqrt(count) / ROUNDED_UP
            epsilon = analytic_epsilon(together, limit.delta)
        value = portion.sigma * factor
        rows.append((value, epsilon, limit.delta, str(adjacency), "Gaussian DP, exact"))
    return _table(rows)


def _table(rows: list[tuple[float, float, float, str, str]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=["value", "epsilon", "delta", "adjacency", "accountant"])


def _factors() -> list[float]:
    spread = np.geomspace(0.5, 2.0, POINTS + 1)
    return sorted({*(float(factor) for factor in spread if abs(factor - 1.0) > 1e-9), 1.0})


def _whole(low: int, high: int, answer: int) -> list[int]:
    """Whole numbers evenly spread from `low` to `high`, the answer among them."""
    spread = np.linspace(low, max(low, high), POINTS)
    return sorted({round(float(value)) for value in spread} | {answer})


def _values(unknown: str, training: TrainingPlan, answer: float) -> list[float]:
    if unknown == "batch":
        size = round(answer)
        low, high = max(1, size // 2), min(2 * size, training.records)
        return [float(value) for value in _whole(low, high, size)]
    return [answer * factor for factor in _factors()]


def _with(training: TrainingPlan, unknown: str, value: float) -> TrainingPlan:
    if unknown == "batch":
        return replace(training, batch=round(value))
    return replace(training, sigma=value)
