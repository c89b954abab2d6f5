"""Amplification by sampling and composition of (ε, δ) steps: proved, and as paper 000 prints them.

Sources: paper 000 Lemmas 3 and 4 and Theorem 7; Balle, Barthe, Gaboardi 2018 (tight amplification);
Dwork, Rothblum, Vadhan 2010 (strong composition); Kairouz, Oh, Viswanath 2015 (optimal
composition).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
import scipy

from dpcore.errors import number, whole

PRINTED_AMPLIFICATION_LIMIT = 1.2564
"""Largest ε for which 2γε ≥ ln(1+γ(e^ε-1)) at every γ: the root of e^x - 1 = 2x, rounded down."""

LARGEST_EXPONENT = 700.0  # of e^x without overflow, with room for a factor


def amplified_epsilon(epsilon: float, rate: float) -> float:
    """ε of a mechanism run on a random share of the data: ln(1 + γ(e^ε - 1)); δ becomes γδ.

    Rounded up, and never above ε itself.

    Tight for a fixed-size sample without replacement under replace-one, and for Poisson sampling
    under zero-out or add/remove (Balle, Barthe, Gaboardi 2018).

    Parameters
    ----------
    epsilon : float
        ε of the mechanism on its sample.
    rate : float
        Sampling rate γ in (0, 1].
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


def optimal_homogeneous_epsilon(
    epsilon: float, delta: float, steps: int, total_delta: float
) -> float:
    """The least (T-2i)ε that T adaptive (ε, δ) mechanisms together satisfy at `total_delta`.

    1 - (1-δ)^T (1-δ_i) with δ_i = Σ_{l<i} C(T,l)(e^{(T-l)ε} - e^{(T-2i+l)ε})/(1+e^ε)^T: nothing
    better follows from (ε, δ) alone (Kairouz, Oh, Viswanath 2015, Theorem 3.3). Adjacency is that
    of the steps.

    Parameters
    ----------
    epsilon, delta : float
        ε and δ of one step: at least 0, and in [0, 1).
    steps : int
        T, up to 1,000,000.
    total_delta : float
        In [0, 1).

    Returns
    -------
    float
        ``inf`` where `total_delta` is below 1 - (1-δ)^T.
    """
    epsilon = number("epsilon", epsilon, at_least=0.0)
    delta = number("delta", delta, at_least=0.0, below=1.0)
    steps = whole("steps", steps, at_least=1, at_most=1_000_000)
    total_delta = number("total delta", total_delta, at_least=0.0, below=1.0)
    failure = -math.expm1(steps * math.log1p(-delta))
    indices = np.arange(steps + 1)
    log_mass = (
        scipy.special.gammaln(steps + 1.0)
        - scipy.special.gammaln(indices + 1.0)
        - scipy.special.gammaln(steps - indices + 1.0)
        - indices * epsilon
        - steps * math.log1p(math.exp(-epsilon))
    )

    def exceeds(index: int) -> bool:
        # Positive terms: nothing cancels.
        gap = -np.expm1(-2.0 * epsilon * (index - indices[:index]))
        inner = float(np.exp(log_mass[:index]) @ gap) * (1.0 + 1e-9)
        return inner + (1.0 - min(inner, 1.0)) * failure > total_delta

    # -1 where not even the first is within.
    last = bisect_left(range(steps // 2 + 1), True, key=exceeds) - 1
    return (steps - 2 * last) * epsilon if last >= 0 else math.inf


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
