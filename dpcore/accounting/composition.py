"""Amplification by sampling and composition of (ε, δ) steps: proved, and as paper 000 prints them.

Sources: paper 000 Lemmas 3 and 4 and Theorem 7; Balle, Barthe, Gaboardi 2018 (tight amplification);
Dwork, Rothblum, Vadhan 2010 (strong composition).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import scipy

from dpcore.accounting.events import ROUNDED_UP, Accountant, Step, change
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon

PRINTED_AMPLIFICATION_LIMIT = 1.2564
"""Largest ε for which 2γε ≥ ln(1+γ(e^ε-1)) at every γ: the root of e^x - 1 = 2x, rounded down."""

LARGEST_EXPONENT = 700.0  # of e^x without overflow, with room for a factor


def amplified_epsilon(epsilon: float, rate: float) -> float:
    """ε of a mechanism run on a random share of the data: ln(1 + γ(e^ε - 1)); δ becomes γδ.

    Rounded up, and never above ε itself. Tight for a fixed-size sample without replacement under
    replace-one, and for Poisson sampling under zero-out or add/remove (Balle, Barthe, Gaboardi
    2018).
    """
    if epsilon <= LARGEST_EXPONENT:
        result = math.log1p(rate * math.expm1(epsilon))
    else:
        # e^ε overflows: ln(1 + e^y) with y = ε + ln γ bounds it with an error below e^-ε. y is
        # moved up by more than its rounding error, which e^y turns into a relative error.
        log_rate = math.log(rate)
        exponent = epsilon + log_rate + 4e-16 * (epsilon - log_rate)
        result = max(exponent, 0.0) + math.log1p(math.exp(-abs(exponent)))
    return min(epsilon, math.nextafter(result * (1.0 + 2e-15), math.inf))


def unamplified_epsilon(epsilon: float, rate: float) -> float:
    """The inverse of `amplified_epsilon` in its first argument, rounded down."""
    log_rate = math.log(rate)
    if epsilon - log_rate <= LARGEST_EXPONENT:
        result = math.log1p(math.expm1(epsilon) / rate)
    else:
        # ln((e^ε - 1)/γ); the 1 of ln(1 + …) is negligible.
        result = epsilon + (math.log(-math.expm1(-epsilon)) - log_rate)
    return max(epsilon, result * (1.0 - 4e-15))


def strong_composition(epsilon: float, steps: int, slack: float) -> float:
    """ε after `steps` adaptive (ε, δ) mechanisms: ε√(2T ln(1/δ′)) + Tε(e^ε - 1).

    The total δ is Tδ + δ′ with `slack` = δ′ (Dwork, Rothblum, Vadhan 2010, Theorem III.3; paper 000
    Lemma 4 prints ln(1/δ) in place of ln(1/δ′)). Adjacency is that of the steps.
    """
    if epsilon > 700.0:
        return math.inf
    return epsilon * math.sqrt(2.0 * steps * math.log(1.0 / slack)) + steps * epsilon * math.expm1(
        epsilon
    )


def strong_composition_of(epsilons: Sequence[float], counts: Sequence[int], slack: float) -> float:
    """`strong_composition` of steps that differ: √(2 ln(1/δ′) Σε_t²) + Σε_t(e^{ε_t} - 1).

    The losses lie in [-ε_t, ε_t] and have means of at most ε_t(e^{ε_t} - 1), so Azuma's inequality
    gives the same tail with Σε_t² for Tε². δ is the sum over the steps plus `slack`.
    """
    if max(epsilons) > 700.0:
        return math.inf
    pairs = list(zip(epsilons, counts, strict=True))
    squares = math.fsum(count * epsilon * epsilon for epsilon, count in pairs)
    means = math.fsum(count * epsilon * math.expm1(epsilon) for epsilon, count in pairs)
    return math.sqrt(2.0 * math.log(1.0 / slack) * squares) + means


def per_step_epsilon(total: float, steps: int, slack: float) -> float:
    """The largest per-step ε whose `strong_composition` stays within `total`."""
    return _largest(lambda epsilon: strong_composition(epsilon, steps, slack), total)


def printed_total(
    query_epsilon: float, delta: float, records: int, steps: int
) -> tuple[float, float]:
    """The total that Theorem 7 of paper 000 claims for T = `steps` one-record (ε, δ) queries.

    ε: amplified to 2ε/n (Lemma 3), then composed with δ′ = δ/n (Lemma 4 as printed).
    δ: Tδ/n + δ/n; at T = n² the first term is the printed nδ. At T = n² the ε is the printed
    √(8 ln(n/δ)) ε + 2nε(e^{2ε/n} - 1). Claimed, not proved.
    """
    epsilon = strong_composition(2.0 * query_epsilon / records, steps, delta / records)
    return epsilon, steps * delta / records + delta / records


def printed_query_epsilon(total: float, delta: float, records: int, steps: int) -> float:
    """The per-query ε for which `printed_total` claims `total`."""
    return _largest(lambda e: printed_total(e, delta, records, steps)[0], total)


def _largest(increasing: Callable[[float], float], target: float) -> float:
    """The largest x with increasing(x) ≤ target, to 1e-13 relative, rounded down."""
    low = high = 1.0
    while increasing(low) > target:
        low *= 0.5
    while increasing(high) <= target:
        high *= 2.0
    root = scipy.optimize.brentq(
        lambda x: increasing(x) - target, low, high, xtol=1e-300, rtol=1e-13
    )
    return root * (1.0 - 1e-12)


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
