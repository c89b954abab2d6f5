"""The register of accountants: each bounds ε for the events it has a theorem for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from dpcore.accounting import composition, concentrated, pld, renyi
from dpcore.accounting.events import (
    ROUNDED_UP,
    Accountant,
    Event,
    Step,
    change,
    steps,
    unsampled_gaussian,
)
from dpcore.accounting.pld import epsilons_along, loss_distributions
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.progress import silent
from dpcore.words import as_set


def gaussian_mu(parts: Sequence[Step], adjacency: Adjacency) -> float:
    """μ of Gaussian steps without sampling: √(Σ Δ²/σ²), rounded up."""
    precision = math.fsum(step.count / step.multiplier**2 for step in parts) * ROUNDED_UP
    return change(adjacency) * math.sqrt(precision)


def _gaussian_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return analytic_epsilon(1.0 / gaussian_mu(parts, adjacency), delta)


GAUSSIAN_DP = Accountant(
    "gdp", "Gaussian DP", unsampled_gaussian, _gaussian_epsilon, "Dong, Roth, Su 2022 (exact)"
)


ACCOUNTANTS = {
    accountant.key: accountant
    for accountant in (
        pld.ACCOUNTANT,
        renyi.ACCOUNTANT,
        GAUSSIAN_DP,
        concentrated.ZCDP,
        concentrated.TCDP,
        composition.STRONG,
        composition.BASIC,
    )
}
SAMPLING_WORDS = {"poisson": "Poisson samples", "fixed": "batches of fixed size"}


def certify(event: Event, delta: float, adjacency: Adjacency, accountant: str) -> Guarantee:
    """The (ε, δ) that an accountant certifies, or an empty guarantee with the reason.

    Parameters
    ----------
    event : Event
        The release.
    delta : float
        In (0, 1).
    adjacency : Adjacency
        The one to certify for.
    accountant : str
        Key of `ACCOUNTANTS`.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    one_of("accountant", accountant, tuple(ACCOUNTANTS))
    return _certified(event, float(delta), Adjacency(adjacency), accountant)


def certify_along(
    parts: Sequence[Step],
    marks: Sequence[int],
    delta: float,
    adjacency: Adjacency,
    progress: Callable[[float], None] = silent,
) -> list[Guarantee]:
    """PLD's guarantees after each of `marks` steps of one run, at about the cost of the last one.

    `parts` are in the order of the run, `marks` ascending; an exception of `progress` ends it.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    pld_accountant = ACCOUNTANTS["pld"]
    if reason := uncovered(parts, adjacency, pld_accountant):
        return [Guarantee(None, None, adjacency, pld_accountant.title, reason) for _ in marks]
    epsilons = epsilons_along(parts, marks, delta, adjacency, progress)
    return [_guarantee(pld_accountant, epsilon, delta, adjacency) for epsilon in epsilons]


def _guarantee(
    chosen: Accountant, epsilon: float, delta: float, adjacency: Adjacency, reason: str = ""
) -> Guarantee:
    if math.isfinite(epsilon):
        return Guarantee(epsilon, delta, adjacency, chosen.title)
    reason = reason or f"{chosen.title} gives no finite ε at δ = {as_set(delta)}."
    return Guarantee(None, None, adjacency, chosen.title, reason)


@lru_cache(maxsize=256)
def _certified(event: Event, delta: float, adjacency: Adjacency, accountant: str) -> Guarantee:
    # A page repeats the query on every rerun, and a solver returns to its last point.
    chosen = ACCOUNTANTS[accountant]
    if reason := refusal(event, adjacency, accountant):
        return Guarantee(None, None, adjacency, chosen.title, reason)
    parts = steps(event)
    epsilon = chosen.epsilon(parts, delta, adjacency)
    if chosen.reason and not math.isfinite(epsilon):
        reason = chosen.reason(parts, delta, adjacency)
    return _guarantee(chosen, epsilon, delta, adjacency, reason)


def refusal(event: Event, adjacency: Adjacency, accountant: str) -> str:
    """Why an accountant has no theorem for an event, or "" if it has."""
    chosen = ACCOUNTANTS[one_of("accountant", accountant, tuple(ACCOUNTANTS))]
    return uncovered(steps(event), adjacency, chosen)


def uncovered(parts: Sequence[Step], adjacency: Adjacency, chosen: Accountant) -> str:
    """Why an accountant has no theorem for one of these steps, or "" if it has for each."""
    for step in parts:
        if not chosen.covers(step, adjacency):
            noise = f"{step.mechanism.capitalize()} noise"
            noise += "" if step.sampling == "none" else f" on {SAMPLING_WORDS[step.sampling]}"
            return f"{chosen.title} has no theorem here for {noise} under {adjacency}."
    return ""


def coverage() -> list[dict[str, object]]:
    """Accountant × sampling × adjacency for Gaussian steps: what is covered."""
    rows: list[dict[str, object]] = []
    for accountant in ACCOUNTANTS.values():
        for sampling in ("none", "poisson", "fixed"):
            step = Step("gaussian", 1.0, sampling, 1.0 if sampling == "none" else 0.1, 1)
            rows.append(
                {"accountant": accountant.title, "sampling": sampling}
                | {str(adjacency): accountant.covers(step, adjacency) for adjacency in Adjacency}
            )
    return rows


def default_adjacency(sampling: str) -> Adjacency:
    """Zero-out for Poisson sampling and none, replace-one for fixed-size batches."""
    return Adjacency.REPLACE_ONE if sampling == "fixed" else Adjacency.ZERO_OUT


def lower_bound(event: Event, delta: float, adjacency: Adjacency) -> float:
    """A lower bound on the exact ε at δ by privacy loss distributions.

    Its gap to PLD's certified ε is the pessimism of that plus the slack of this.

    For batches of fixed size no records attain the certified ε, and this one is attained by records
    that are all alike but one: the exact value lies between.

    Raises
    ------
    InvalidInput
        If PLD has no theorem for the event.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    if reason := refusal(event, adjacency, "pld"):
        raise InvalidInput(reason)
    distributions = loss_distributions(steps(event), adjacency, delta=delta, optimistic=True)
    return max(distribution.epsilon(delta) for distribution in distributions)
