"""Whether a paper's ε holds, by certificates of the same noise under the claim's own adjacency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dpcore.accounting.accountants import lower_bound, refusal
from dpcore.accounting.planner import spent
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.progress import Progress


class Finding(StrEnum):
    """The verdict on a claimed ε. Exactly one applies."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"


@dataclass(frozen=True)
class Evidence:
    """Bounds on the ε of a run under one adjacency and sampling."""

    sampling: str  # "poisson", "fixed" or "none"
    certified: Guarantee  # by the tightest accountant with a theorem; else empty
    at_least: float | None = None  # no ε below it holds; None where unknown or not needed

    @property
    def adjacency(self) -> Adjacency:
        return self.certified.adjacency

    def finding(self, claimed: float) -> Finding:
        """Whether an ε claimed at the same δ holds."""
        if self.certified.bound <= claimed:
            return Finding.HOLDS
        if self.at_least is not None and self.at_least > claimed:
            return Finding.FAILS
        return Finding.OPEN


def evidence(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Progress | None = None,
) -> Evidence:
    """Bounds on the run's ε, as far as needed to judge the claims.

    The lower bound is attained by records whose clipped gradients have length C and point in one
    direction (opposite ones under replace-one): it is about the mechanism, not one data set.
    """
    event = training.event()
    exact = not refusal(event, training.adjacency, "pld")
    certified = spent(training, "pld" if exact else "rdp", progress)
    supported = all(certified.bound <= claimed for claimed in claims)
    if not exact or certified.epsilon is None or supported:
        return Evidence(training.sampling, certified)
    at_least = lower_bound(event, training.delta, training.adjacency)
    return Evidence(training.sampling, certified, at_least if math.isfinite(at_least) else None)


def under_replace_one(
    training: TrainingPlan,
    claims: Sequence[float],
    progress: Progress | None = None,
) -> tuple[Evidence, ...]:
    """Evidence for the same noise under replace-one, the adjacency of paper 003's lemma."""
    run = replace(training, adjacency=Adjacency.REPLACE_ONE)
    results = [evidence(run, claims, progress)]
    if training.sampling == "poisson":
        results.append(evidence(replace(run, sampling="fixed"), claims))
    return tuple(results)
