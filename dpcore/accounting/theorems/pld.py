"""Privacy loss distributions: the tightest, and the only one for every sampling."""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.accounting.accountant import Accountant
from dpcore.accounting.events import Step
from dpcore.accounting.pld import epsilons_along
from dpcore.guarantee import Adjacency


def _covers(step: Step, adjacency: Adjacency) -> bool:
    return step.sampling != "fixed" or adjacency is not Adjacency.ADD_REMOVE


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return epsilons_along(parts, [sum(step.count for step in parts)], delta, adjacency)[0]


ACCOUNTANT = Accountant(
    "pld",
    "PLD",
    _covers,
    _epsilon,
    "Doroshenko et al. 2022; Zhu, Dong, Wang 2022; Balle, Barthe, Gaboardi 2018",
)
