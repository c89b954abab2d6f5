"""Composition of each step's own (ε, δ): the basic theorem and the strong one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.accounting.accountant import ROUNDED_UP, Accountant, change
from dpcore.accounting.composition import amplified_epsilon, strong_composition_of
from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon


def _basic_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    """Σ ε_t with an equal share of δ for each step."""
    total = sum(step.count for step in parts)
    return ROUNDED_UP * math.fsum(
        step.count * _step_epsilon(step, delta / total, adjacency) for step in parts
    )


def _strong_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    """Strong composition: half of δ for the steps, half for the slack."""
    total = sum(step.count for step in parts)
    epsilons = [_step_epsilon(step, delta / (2.0 * total), adjacency) for step in parts]
    counts = [step.count for step in parts]
    return ROUNDED_UP * strong_composition_of(epsilons, counts, delta / 2.0)


def _step_epsilon(step: Step, share: float, adjacency: Adjacency) -> float:
    """ε of one step at a share of δ, exact before sampling; amplified by Balle et al. 2018."""
    moved = 2.0 if step.sampling == "fixed" else change(adjacency)
    if step.mechanism == "laplace":
        return moved / step.multiplier
    if step.mechanism == "pure":
        return 1.0 / step.multiplier
    inner = min(share / step.rate, 1.0 - 1e-12)
    return amplified_epsilon(analytic_epsilon(step.multiplier, inner, moved), step.rate)


def _covers(step: Step, adjacency: Adjacency) -> bool:
    if step.sampling == "none":
        return True
    uncovered = Adjacency.REPLACE_ONE if step.sampling == "poisson" else Adjacency.ADD_REMOVE
    return adjacency is not uncovered


STRONG = Accountant(
    "strong",
    "Strong composition",
    _covers,
    _strong_epsilon,
    "Dwork, Rothblum, Vadhan 2010; Balle, Barthe, Gaboardi 2018",
)
BASIC = Accountant(
    "basic",
    "Basic composition",
    _covers,
    _basic_epsilon,
    "Dwork et al. 2006; Balle, Barthe, Gaboardi 2018",
)
