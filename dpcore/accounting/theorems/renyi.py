"""Rényi accounting: moments add up over steps, at every order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.accounting import renyi
from dpcore.accounting.accountant import Accountant, change
from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency


def _covers(step: Step, adjacency: Adjacency) -> bool:
    if step.mechanism != "gaussian":
        return False
    if step.sampling == "poisson":
        return adjacency is not Adjacency.REPLACE_ONE
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    return step.sampling == "none" or adjacency is not Adjacency.ADD_REMOVE


def curve(
    parts: Sequence[Step], orders: renyi.Array, adjacency: Adjacency, *, whole: bool
) -> renyi.Array:
    """The total RDP of covered steps at each order, rounded up.

    Parameters
    ----------
    parts : sequence of Step
        All steps of the event.
    orders : (orders,) array
        Above 1.
    adjacency : Adjacency
        The one that the curve holds for.
    whole : bool
        Whether all orders are whole and at least 2, for which there is a finite sum.
    """
    groups: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for step in parts:
        groups.setdefault((step.sampling, step.rate), []).append((step.multiplier, step.count))
    result = np.zeros(len(orders))
    for (sampling, rate), group in groups.items():
        noise, counts = np.array([*zip(*group, strict=True)], float)
        if sampling == "fixed":
            bound = renyi.fixed_size if whole else renyi.fixed_between
            result += counts @ bound(noise / 2.0, rate, orders)
        elif sampling == "poisson":
            exact = renyi.poisson_whole if whole else renyi.poisson_between
            result += counts @ exact(noise, rate, orders)
        else:
            result += counts @ renyi.gaussian(noise / change(adjacency), orders)
    return result


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return renyi.least_epsilon(
        lambda orders: curve(parts, orders, adjacency, whole=True),
        lambda orders: curve(parts, orders, adjacency, whole=False),
        delta,
        steps=len(parts),
    )


ACCOUNTANT = Accountant(
    "rdp",
    "Rényi",
    _covers,
    _epsilon,
    "Mironov et al. 2019; Wang et al. 2019; Canonne et al. 2020",
)
