"""Truncated concentrated differential privacy, under all conditions of its theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.accounting import concentrated
from dpcore.accounting.accountant import ROUNDED_UP, Accountant, change
from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency, Condition


def _covers(step: Step, adjacency: Adjacency) -> bool:
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    if step.mechanism != "gaussian":
        return False
    if step.sampling == "fixed":
        return adjacency is not Adjacency.ADD_REMOVE
    return step.sampling == "none"


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    total, conditions = _composed(parts, adjacency)
    met = all(condition.met for condition in conditions)
    return concentrated.epsilon(total, delta) if met else math.inf


def _reason(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> str:
    # Only the least noisy failing step is reported; there may be hundreds.
    for step in sorted(parts, key=lambda step: step.multiplier):
        conditions = _composed([step], adjacency)[1]
        if unmet := [condition.consequence for condition in conditions if not condition.met]:
            return " ".join(unmet)
    return ""


def _composed(
    parts: Sequence[Step], adjacency: Adjacency
) -> tuple[concentrated.Concentrated, tuple[Condition, ...]]:
    total: list[concentrated.Concentrated] = []
    conditions: list[Condition] = []
    for step in parts:
        # Two batches differ by one record exchanged for another, under either adjacency.
        moved = 2.0 if step.sampling == "fixed" else change(adjacency)
        base = concentrated.Concentrated(0.5 * (moved / step.multiplier) ** 2)
        if step.sampling == "fixed":
            base, step_conditions = concentrated.amplified(base, step.rate)
            conditions += step_conditions
        total.append(concentrated.Concentrated(step.count * base.rho * ROUNDED_UP, base.omega))
    composed = concentrated.compose(total)
    return composed, (*conditions, concentrated.order_condition(composed))


ACCOUNTANT = Accountant(
    "tcdp",
    "tCDP",
    _covers,
    _epsilon,
    "Bun, Dwork, Rothblum, Steinke 2018, all conditions",
    reason=_reason,
)
