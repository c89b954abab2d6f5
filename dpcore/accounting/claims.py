"""Whether a number that a paper gives holds: set against certificates of the same noise.

Only certificates under one adjacency say anything about a claim under that adjacency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dpcore.accounting.accountants import loss_distributions, refusal
from dpcore.accounting.events import steps
from dpcore.accounting.planner import TrainingPlan, spent
from dpcore.guarantee import Adjacency, Guarantee


class Finding(StrEnum):
    """What is known of a claimed ε. Exactly one applies."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"


@dataclass(frozen=True)
class Evidence:
    """What is known of the ε of a run under one adjacency and sampling.

    Parameters
    ----------
    sampling : str
        "poisson", "fixed" or "none".
    certified : Guarantee
        An ε that holds, by the tightest accountant with a theorem; empty where there is none.
    at_least : float or None
        No ε below it holds; ``None`` where it is not known, or was not needed.
    """

    sampling: str
    certified: Guarantee
    at_least: float | None = None

    @property
    def adjacency(self) -> Adjacency:
        """Of which neighbours it speaks."""
        return self.certified.adjacency

    def finding(self, claimed: float) -> Finding:
        """Whether an ε claimed at the same δ holds."""
        if self.certified.epsilon is not None and self.certified.epsilon <= claimed:
            return Finding.HOLDS
        if self.at_least is not None and self.at_least > claimed:
            return Finding.FAILS
        return Finding.OPEN


def evidence(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Callable[[float, str], None] | None = None,
) -> Evidence:
    """What is known of the run's ε, as far as it takes to judge the claims.

    Parameters
    ----------
    training : TrainingPlan
        Its sampling and adjacency are those of the answer.
    claims : sequence of float
        The ε to be judged. A lower bound, as dear as a certificate, is computed only where one of
        them is below what is certified.
    progress : callable, optional
        As in `planner.spent`.

    Notes
    -----
    The lower bound is attained by records whose clipped gradients have length C and point in one
    direction (opposite ones under replace-one): it speaks of the mechanism, not of one data set.
    For batches of fixed size it is not the exact value, so that more claims are left open.
    """
    event = training.event()
    exact = not refusal(event, training.adjacency, "pld")
    certified = spent(training, "pld" if exact else "rdp", progress)
    if not exact or certified.epsilon is None:
        return Evidence(training.sampling, certified)
    if all(certified.epsilon <= claimed for claimed in claims):
        return Evidence(training.sampling, certified)
    low = loss_distributions(
        steps(event), training.adjacency, delta=training.delta, optimistic=True
    )
    at_least = max(each.epsilon(training.delta) for each in low)
    return Evidence(training.sampling, certified, at_least if math.isfinite(at_least) else None)


def under_replace_one(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Callable[[float, str], None] | None = None,
) -> tuple[Evidence, ...]:
    """The same noise under replace-one, the adjacency of paper 003's lemma.

    Returns
    -------
    tuple of Evidence
        For the run's own sampling, and for batches of fixed size, of which the lemma speaks.
    """
    run = replace(training, adjacency=Adjacency.REPLACE_ONE)
    found = [evidence(run, claims, progress)]
    if training.sampling == "poisson":
        found.append(evidence(replace(run, sampling="fixed"), claims))
    return tuple(found)
