"""The privacy accounting of paper 003 (Zhang et al.): equations (3), (4) as printed and corrected.

Printed: ρ_t = C²/(2σ_t²), the noise on the sum and sensitivity C, although its amplification lemma
is for replace-one, where a batch sum moves by 2C; and ω from R^T where the last level used has
R^{T-1}. Corrected: 2C, the last level used, both branches of the conversion, and every condition of
the lemma. Algorithm 1, lines 7 and 8, adds the same noise to the mean of a batch of s, which moves
by 2C/s, and the proof of Theorem 2 begins with that: both readings are accounted for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from dpcore.accounting.concentrated import (
    Concentrated,
    amplified,
    compose,
    epsilon,
    gaussian_rho,
    order_condition,
    printed_epsilon,
)
from dpcore.accounting.schedules import Schedule
from dpcore.errors import number
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status
from dpcore.words import as_set, at_most


@dataclass(frozen=True)
class TruncatedAnswer:
    """The ε that paper 003 prints for a schedule, and the one that its lemmas prove."""

    printed: Concentrated  # by equations (3) and (4)
    corrected: Concentrated
    claim: Guarantee
    proof: Guarantee  # empty when a condition is unmet
    conditions: tuple[Condition, ...]  # at the last, least noisy level


def account(
    schedule: Schedule,
    rate: float,
    delta: float,
    clipping_norm: float = 1.0,
    *,
    averaged: int = 1,
) -> TruncatedAnswer:
    """Truncated CDP accounting of a noise schedule on fixed-size batches without replacement.

    Parameters
    ----------
    schedule : Schedule
        σ on the sum of the batch's clipped gradients, or on their mean.
    rate : float
        s/m, in (0, 1).
    delta : float
        In (0, 1).
    clipping_norm : float
        C.
    averaged : int
        s where the noise is on the mean of a batch; 1 where it is on the sum. The printed ε is the
        same.
    """
    rate = number("sampling rate", rate, above=0.0, below=1.0)
    delta = number("δ", delta, above=0.0, below=1.0)
    printed = _total(schedule, rate, clipping_norm)
    # Equation (4) has R^T: one more decay than the last level used, a smaller ω.
    printed = Concentrated(printed.rho, printed.omega * _decay(schedule))
    change = 2.0 * clipping_norm / averaged
    corrected = _total(schedule, rate, change)
    last = gaussian_rho(min(schedule.sigmas), change)
    _, conditions = amplified(Concentrated(last), rate)
    conditions += (order_condition(corrected),)
    unmet = [condition.consequence for condition in conditions if not condition.met]
    sensitivity = "2C" if averaged == 1 else "2C/s"
    method = f"tCDP with all conditions of Lemma 4 (replace-one, sensitivity {sensitivity})"
    adjacency = Adjacency.REPLACE_ONE
    proof = (
        Guarantee(None, None, adjacency, method, " ".join(unmet))
        if unmet
        else Guarantee(epsilon(corrected, delta), delta, adjacency, method)
    )
    by = "paper 003, equations (3) and (4) and Lemma 3 as printed"
    claim = Guarantee(printed_epsilon(printed.rho, delta), delta, adjacency, by)
    return TruncatedAnswer(printed, corrected, claim, proof, conditions)


def verdict(answer: TruncatedAnswer, certified: Guarantee) -> tuple[Status, str]:
    """Judge the printed ε by a certificate; one for another adjacency decides nothing."""
    printed, proved = answer.claim.epsilon, answer.proof.epsilon
    assert printed is not None
    if proved is not None and proved <= printed:
        return (
            Status.PROVED,
            f"Every condition of its lemmas is met, and they prove ε = {at_most(proved)}.",
        )
    denial = f"Its lemmas do not prove the printed {at_most(printed)} here"
    if certified.epsilon is None:
        return (
            Status.CLAIM_NOT_SUPPORTED,
            f"{denial}, and no accountant here certifies a finite ε for this noise.",
        )
    delta = as_set(certified.delta or 0.0)
    certificate = (
        f"{certified.by} certifies ε = {at_most(certified.epsilon)} at δ = {delta} for this noise "
        f"under {certified.adjacency}"
    )
    if certified.adjacency is not answer.claim.adjacency:
        return (
            Status.CONDITIONS_NOT_MET,
            f"{denial}. {certificate}. The printed one speaks of {answer.claim.adjacency}.",
        )
    if certified.epsilon > printed:
        return (
            Status.CLAIM_NOT_SUPPORTED,
            f"{certificate}; nothing supports the printed {at_most(printed)}.",
        )
    return Status.CONDITIONS_NOT_MET, f"{denial}. {certificate}: it holds, by another proof."


def _decay(schedule: Schedule) -> float:
    """R of a schedule whose variance falls by a constant factor; 1 for any other."""
    factors = [(after / before) ** 2 for before, after in pairwise(schedule.sigmas)]
    if not factors or max(factors) > min(factors) * (1.0 + 1e-9) or factors[0] > 1.0:
        return 1.0
    return factors[0]


def _total(schedule: Schedule, rate: float, sensitivity: float) -> Concentrated:
    """Σ 13 s² ρ_t and least ln(1/s)/(4ρ_t), with ρ_t = Δ²/(2σ_t²)."""
    parts = []
    for sigma, count in zip(schedule.sigmas, schedule.counts, strict=True):
        rho = gaussian_rho(sigma, sensitivity)
        parts.append(Concentrated(count * 13.0 * rate**2 * rho, math.log(1.0 / rate) / (4.0 * rho)))
    return compose(parts)
