"""Concentrated differential privacy: zCDP, the truncated form (tCDP), and their accountants.

M is (ρ, ω)-tCDP when D_α(M(D)‖M(D')) ≤ ρα for every α in (1, ω); zCDP is ω = ∞. Paper 003
quantifies the order twice and inconsistently; this is the definition of Bun, Dwork, Rothblum,
Steinke 2018. Adjacency is that of the given ρ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import scipy

from dpcore.accounting.events import ROUNDED_UP, Accountant, Step, change, unsampled_gaussian
from dpcore.accounting.root_search import turning_point
from dpcore.errors import number
from dpcore.guarantee import Adjacency, Condition
from dpcore.words import plain


@dataclass(frozen=True)
class Concentrated:
    """A (ρ, ω)-tCDP guarantee; ω = ``inf`` is ρ-zCDP."""

    rho: float  # at least 0
    omega: float = math.inf  # above 1; otherwise the statement is empty


def gaussian_rho(sigma: float, sensitivity: float = 1.0) -> float:
    """ρ = Δ²/(2σ²), with ω = ∞ (paper 003, Lemma 1)."""
    return (
        0.5 * (number("sensitivity", sensitivity, above=0.0) / number("σ", sigma, above=0.0)) ** 2
    )


def compose(parts: Sequence[Concentrated]) -> Concentrated:
    """(Σρ, min ω) (paper 003, Lemma 2)."""
    return Concentrated(math.fsum(part.rho for part in parts), min(part.omega for part in parts))


def printed_epsilon(rho: float, delta: float) -> float:
    """ρ + 2√(ρ ln(1/δ)): Bun and Steinke 2016, Proposition 1.3, and paper 003's Lemma 3.

    Valid for zCDP at every δ, for tCDP only while ln(1/δ) ≤ (ω-1)²ρ. The figure as printed, to the
    nearest double.
    """
    return rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))


def epsilon_by_branches(guarantee: Concentrated, delta: float) -> float:
    """Both branches of the tCDP conversion: least ρα + ln(1/δ)/(α-1) over α in (1, ω).

    ρ + 2√(ρL) if L ≤ (ω-1)²ρ, otherwise ρω + L/(ω-1), with L = ln(1/δ). ``inf`` for ω ≤ 1.
    """
    log_term = math.log(1.0 / delta)
    if guarantee.omega <= 1.0:
        return math.inf
    if log_term <= (guarantee.omega - 1.0) ** 2 * guarantee.rho:
        return printed_epsilon(guarantee.rho, delta)
    return guarantee.rho * guarantee.omega + log_term / (guarantee.omega - 1.0)


def epsilon(guarantee: Concentrated, delta: float) -> float:
    """The better modern conversion (Canonne, Kamath, Steinke 2020), least over α in (1, ω).

    ε = ρα + ln((α-1)/α) - (ln δ + ln α)/(α-1), at least 0. Any α gives a bound, so the numerical
    minimum errs on the safe side. ``inf`` for ω ≤ 1; never above `epsilon_by_branches`.
    """
    number("δ", delta, above=0.0, below=1.0)
    if guarantee.omega <= 1.0:
        return math.inf
    if guarantee.rho == 0.0:
        return 0.0
    log_delta = math.log(delta)

    def at(log_gap: float) -> float:
        gap = math.exp(log_gap)
        order = 1.0 + gap
        return (
            guarantee.rho * order + log_gap - math.log(order) - (log_delta + math.log(order)) / gap
        )

    # The terms are of size ρα and ln(1/δ)/(α-1); their rounding is far below 1e-12 of the sum.
    least = min(_least(at, guarantee.omega), epsilon_by_branches(guarantee, delta))
    return max(0.0, least + 1e-12 * (abs(least) + guarantee.rho))


def delta(guarantee: Concentrated, epsilon: float) -> float:
    """The least δ at ε over orders in (1, ω), by the same conversion solved for δ.

    δ = e^{(α-1)(ρα - ε)} (1 - 1/α)^α/(α-1); 1 for ω ≤ 1.
    """
    if guarantee.omega <= 1.0:
        return 1.0

    def log_at(log_gap: float) -> float:
        gap = math.exp(log_gap)
        order = 1.0 + gap
        return gap * (guarantee.rho * order - epsilon) + order * math.log1p(-1.0 / order) - log_gap

    least = _least(log_at, guarantee.omega)
    # An exponent of some hundreds has an error of about 1e-13.
    return min(1.0, math.exp(min(0.0, least + 1e-12 * (1.0 + abs(least)))))


def _least(at: Callable[[float], float], omega: float) -> float:
    """The least of a function of ln(α-1) over orders α in (1, ω)."""
    top = math.log(min(omega - 1.0, 1e12))
    ends = min(-20.0, top - 1.0), top
    result = scipy.optimize.minimize_scalar(
        at, bounds=ends, method="bounded", options={"xatol": 1e-9}
    )
    return min(float(result.fun), at(top))


def rho_for(epsilon_target: float, delta: float) -> float:
    """The largest ρ whose ρ-zCDP gives (ε, δ) by the modern conversion, rounded down."""
    number("ε", epsilon_target, above=0.0)

    def within(rho: float) -> bool:
        return epsilon(Concentrated(rho), delta) <= epsilon_target

    high = 1.0
    while within(high):
        high *= 2.0
    low = high / 2.0
    while not within(low):
        low *= 0.5
        if low < 1e-300:
            return 0.0
    return turning_point(within, low, high, 1e-12)[0]


def order_condition(guarantee: Concentrated) -> Condition:
    """The condition that ω exceeds 1: a tCDP statement is about orders in (1, ω)."""
    return Condition(
        f"ω > 1 (ω = {_order_text(guarantee.omega)})",
        guarantee.omega > 1.0,
        f"tCDP says nothing at ω = {_order_text(guarantee.omega)}; it needs ω > 1.",
    )


def amplified(base: Concentrated, rate: float) -> tuple[Concentrated, tuple[Condition, ...]]:
    """Truncated CDP of a mechanism on a uniform share s of the records, with all conditions.

    (13 s² ρ, ln(1/s)/(4ρ))-tCDP, for a fixed-size sample without replacement under replace-one, if
    ρ and s are in (0, 0.1], ln(1/s) ≥ 3ρ(2 + log₂(1/ρ)) and ω ≥ ln(1/s)/(2ρ) ≥ 1
    (Bun et al. 2018; paper 003, Lemma 4, prints neither the base of the logarithm nor the "≥ 1").

    Returns
    -------
    (guarantee, conditions)
        The guarantee is that of the lemma if all the conditions are met; otherwise it is void.
    """
    number("ρ", base.rho, above=0.0)
    number("sampling rate", rate, above=0.0, at_most=1.0)
    rho, log_rate = base.rho, -math.log(rate)
    needed = 3.0 * rho * (2.0 - math.log2(rho))
    order = log_rate / (2.0 * rho)
    lemma = "Amplification of tCDP is proved only for"
    conditions = (
        Condition(
            f"ρ ≤ 0.1 (ρ = {plain(rho, 4)})",
            rho <= 0.1,
            f"{lemma} ρ up to 0.1; here ρ = {plain(rho, 4)}.",
        ),
        Condition(
            f"s ≤ 0.1 (s = {plain(rate, 4)})",
            rate <= 0.1,
            f"{lemma} s up to 0.1; here s = {plain(rate, 4)}.",
        ),
        Condition(
            f"ln(1/s) ≥ 3ρ(2 + log₂(1/ρ)) ({plain(log_rate, 4)} against {plain(needed, 4)})",
            log_rate >= needed,
            f"{lemma} ln(1/s) ≥ {plain(needed, 4)}; here it is {plain(log_rate, 4)}.",
        ),
        Condition(
            f"ω ≥ ln(1/s)/(2ρ) ≥ 1 (ω = {_order_text(base.omega)}, middle {_order_text(order)})",
            base.omega >= order >= 1.0,
            f"{lemma} ω ≥ ln(1/s)/(2ρ) ≥ 1; here ω = {_order_text(base.omega)}, that order "
            f"{_order_text(order)}.",
        ),
    )
    return Concentrated(13.0 * rate**2 * rho, log_rate / (4.0 * rho)), conditions


def _order_text(order: float) -> str:
    return plain(order, 4) if math.isfinite(order) else "∞"


def _zcdp_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    rho = math.fsum(0.5 * step.count * (change(adjacency) / step.multiplier) ** 2 for step in parts)
    return epsilon(Concentrated(rho * ROUNDED_UP), delta)


ZCDP = Accountant("zcdp", "zCDP", unsampled_gaussian, _zcdp_epsilon, "Bun, Steinke 2016")


def _tcdp_covers(step: Step, adjacency: Adjacency) -> bool:
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    if step.mechanism != "gaussian":
        return False
    if step.sampling == "fixed":
        return adjacency is not Adjacency.ADD_REMOVE
    return step.sampling == "none"


def _tcdp_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    total, conditions = _composed(parts, adjacency)
    met = all(condition.met for condition in conditions)
    return epsilon(total, delta) if met else math.inf


def _tcdp_reason(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> str:
    # Only the least noisy failing step is reported; there may be hundreds.
    for step in sorted(parts, key=lambda step: step.multiplier):
        conditions = _composed([step], adjacency)[1]
        if unmet := [condition.consequence for condition in conditions if not condition.met]:
            return " ".join(unmet)
    return ""


def _composed(
    parts: Sequence[Step], adjacency: Adjacency
) -> tuple[Concentrated, tuple[Condition, ...]]:
    total: list[Concentrated] = []
    conditions: list[Condition] = []
    for step in parts:
        # Two batches differ by one record exchanged for another, under either adjacency.
        moved = 2.0 if step.sampling == "fixed" else change(adjacency)
        base = Concentrated(0.5 * (moved / step.multiplier) ** 2)
        if step.sampling == "fixed":
            base, step_conditions = amplified(base, step.rate)
            conditions += step_conditions
        total.append(Concentrated(step.count * base.rho * ROUNDED_UP, base.omega))
    composed = compose(total)
    return composed, (*conditions, order_condition(composed))


TCDP = Accountant(
    "tcdp",
    "tCDP",
    _tcdp_covers,
    _tcdp_epsilon,
    "Bun, Dwork, Rothblum, Steinke 2018, all conditions",
    reason=_tcdp_reason,
)
