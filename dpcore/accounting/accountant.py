"""What an accountant is, and how far one record moves what it accounts for.

The adjacency decides how far one record moves the clipped sum: C under add/remove and zero-out, 2C
under replace-one. Each theorem applies that factor by `change`.

Zero-out has the figures of add/remove. A blanked record contributes nothing to any sum and n stays,
so that the rate, the steps, σ and every divisor are the same for both neighbours. Given the earlier
outputs, a step's sum is then drawn once with the record's contribution, once without: the pair of
outputs of add/remove with public constants (`dpcore.accounting.pairs`). Add/remove itself needs
these constants to come from a public size, because a value computed from n reveals n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency

ROUNDED_UP = 1.0 + 1e-12
"""Sums and closed forms over up to 10,000,000 equal steps have a smaller rounding error."""


@dataclass(frozen=True)
class Accountant:
    """One way to bound ε.

    Parameters
    ----------
    key, title : str
        Name in commands and on screen.
    covers : callable
        (Step, Adjacency) -> whether there is a theorem for it.
    epsilon : callable
        (steps, delta, adjacency) -> ε, an upper bound.
    source : str
        Reference of the theorem.
    reason : callable, optional
        Explains an infinite `epsilon`, where a condition may be unmet.
    """

    key: str
    title: str
    covers: Callable[[Step, Adjacency], bool]
    epsilon: Callable[[Sequence[Step], float, Adjacency], float]
    source: str
    reason: Callable[[Sequence[Step], float, Adjacency], str] | None = None


def change(adjacency: Adjacency) -> float:
    """How far one record moves a sum of records clipped to 1: 2 under replace-one, otherwise 1."""
    return 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0


def unsampled_gaussian(step: Step, adjacency: Adjacency) -> bool:
    """Whether a step adds Gaussian noise without sampling; under any adjacency."""
    return step.mechanism == "gaussian" and step.sampling == "none"
