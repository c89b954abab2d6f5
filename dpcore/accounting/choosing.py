"""What it costs to try several settings and to keep the best.

Everything here is about one try: a private mechanism with the noise that is accounted for, whatever
its settings. The best is chosen by a score of what the tries released: of their outputs alone, of
public data, or of a noisy score that is part of each try and of its cost. A score that is measured
on the protected records themselves is covered by nothing here (`events.check_basis`): it could tell
one record's presence through which try was kept, whatever the noise of the tries.

**k tries, settled beforehand.** All k outputs together are the k-fold composition of a try, and
keeping one of them is post-processing. That is always sound, and attained where all are released.
A run that is chosen among k (`TrainingPlan.chosen_of`) counts each of its steps k times.

**A random number K of tries** (`RandomTries`), each with settings drawn alike, of which the best
alone is released, and neither K nor the others (Liu and Talwar 2019; Papernot and Steinke 2022).
Let Q be the law of one try's output on the records, Q' that on a neighbour's; ties are broken by
lot. With f(x) = E[x^K] and the mass U(y) under Q of what is better than y, the best has the density
φ(U) with respect to Q, where φ(t) = f'(1 - t); on the neighbour φ(U') with respect to Q'.

*Theorem.* Let T be the ROC of one try: Q'(S) ≤ T(Q(S)) and Q(S) ≤ T(Q'(S)) for all S. Let
ρ = sup φ(1 - T(1 - s))/φ(s) over s in [0, 1]. Then for all ε ≥ 0, with δ_Q that of one try,

    δ(ε) ≤ 1 - f(1 - δ_Q(ε - ln ρ)).

*Proof.* "Better than y" is an event, so U ≥ 1 - T(1 - U'); φ falls, so φ(U) ≤ ρ φ(U'). With
x = ε - ln ρ, φ(U)Q - e^ε φ(U')Q' ≤ φ(U)(Q - e^x Q') ≤ φ(U) w Q for w = (1 - e^x Q'/Q)₊ ≤ 1, whose
integral under Q is δ_Q(x). U is uniform under Q, so the integral of φ(U) w is largest where w is 1
on the best outcomes: it is at most ∫ φ(t) dt from 0 to δ_Q(x), which is 1 - f(1 - δ_Q(x)). Where
K = 0 the same is released on both. ∎ So the choice costs ln ρ, and a try's ε at the δ* at which the
chance that any of K tries fails is δ.

For a truncated negative binomial K with the parameters η > -1 and γ (η = 1: geometric, η = 0:
logarithmic) φ(t) is in proportion to (γ + (1-γ)t)^{-(η+1)}. This bound is never above Theorem 2 of
Papernot and Steinke by the tight conversion to (ε, δ): there ρ is bounded by the Rényi divergence
of a try at any order λ̂, as T is, by e^{(1+η)((1-1/λ̂) ε̂ + ln(1/γ)/λ̂)}; f' by f'(1) = E[K]; and δ_Q
by its own Rényi divergence at the order λ. The improved bounds of arXiv 2402.13087 need properties
of a single training algorithm, and are not used.

For Poisson K with mean m, φ(t) = m e^{-mt}, and ln ρ = m max(s - 1 + T(1-s)). Theorem 6 of Papernot
and Steinke is better where m is large: f'^λ f''^{1-λ} at (1-U, 1-U') is at most m e^{(λ-1)mδ̂} for
δ̂ = δ_Q(ln(1 + 1/(λ-1))), so that the choice is (λ, ε_λ + mδ̂ + ln m/(λ-1))-RDP. The smaller holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting import renyi, tradeoff
from dpcore.accounting.accountants import certify, refusal, uncovered
from dpcore.accounting.events import ROUNDED_UP, Event, TrainingPlan, steps, unsampled_gaussian
from dpcore.accounting.planner import LARGEST, MIN
from dpcore.accounting.root_search import Search, boundary
from dpcore.accounting.tradeoff import PrivacyCurve
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee
from dpcore.words import as_set

Array = NDArray[np.float64]

MAX_MEAN = 1e5
SHAPES = {"logarithmic": 0.0, "geometric": 1.0, "poisson": math.inf}
"""η of each law of the number of tries; Poisson is its limit."""
CELLS = 2**16
"""Of each of two grids of [0, 1]; on a cell ρ is bounded by its ends."""
ROUNDING = 1e-8
"""Exceeds what the rounding of T near 1 does to ln ρ."""
ORDERS = 1.0 + np.geomspace(1e-2, 1e3, 200)


@dataclass(frozen=True)
class RandomTries:
    """A number of tries that is drawn by a public law, and stays secret.

    Parameters
    ----------
    mean : float
        E[K], from 1 to 10⁵; at 1 there is exactly one try, but for Poisson.
    law : str
        "logarithmic", "geometric" or "poisson".
    """

    mean: float
    law: str = "logarithmic"

    def __post_init__(self) -> None:
        one_of("law", self.law, tuple(SHAPES))
        mean = number("mean number of tries", self.mean, at_least=1.0, at_most=MAX_MEAN)
        object.__setattr__(self, "mean", mean)

    @property
    def shape(self) -> float:
        """η."""
        return SHAPES[self.law]

    @cached_property
    def gamma(self) -> float:
        """γ, rounded down: E[K] = η(1-γ)/(γ(1-γ^η)), and (1/γ - 1)/ln(1/γ) at η = 0."""
        if self.shape == 1.0 or self.mean == 1.0:
            return 1.0 / self.mean
        low, high = 1e-3 / MAX_MEAN, 1.0
        for _ in range(200):
            middle = math.sqrt(low * high)
            if not low < middle < high:
                break
            low, high = (middle, high) if _mean(self.shape, middle) > self.mean else (low, middle)
        return low

    def log_density(self, better: Array) -> Array:
        """Logarithm ln φ(t) of the density of the best, but for a constant, by what is better."""
        if self.law == "poisson":
            return -self.mean * better
        return -(self.shape + 1.0) * np.log(self.gamma + (1.0 - self.gamma) * better)

    def each_delta(self, delta: float) -> float:
        """The δ* of a try with which any of K tries fails with probability δ, rounded down.

        1 - f(1 - δ*) = δ. For η ≠ 0 that is δ* = γ/(1-γ) ((1 - δ(1-γ^η))^{-1/η} - 1), for η = 0
        γ/(1-γ) (γ^{-δ} - 1), and for Poisson -ln(1-δ)/m.
        """
        if self.law == "poisson":
            each = -math.log1p(-delta) / self.mean
        elif self.mean == 1.0:
            each = delta
        else:
            failed = delta * -math.log(self.gamma)
            if self.shape:
                share = -math.expm1(self.shape * math.log(self.gamma))
                failed = -math.log1p(-delta * share) / self.shape
            each = self.gamma / (1.0 - self.gamma) * math.expm1(failed)
        return each / ROUNDED_UP

    def log_ratio(self, curve: PrivacyCurve) -> float:
        """Bound ln ρ for tries of this curve, rounded up."""
        if self.law != "poisson" and self.mean == 1.0:
            return 0.0
        lowest = 1e-4 if self.law == "poisson" else 1e-4 * self.gamma
        cells = np.geomspace(lowest, 1.0, CELLS), np.linspace(0.0, 1.0, CELLS)
        ends = np.unique(np.concatenate(cells))
        # At the neighbour's s at least 1 - T(1 - s) is better; the density falls with both.
        least = 1.0 - tradeoff.power(curve, 1.0 - ends)
        gaps = self.log_density(least[:-1]) - self.log_density(ends[1:])
        return float(gaps.max()) * ROUNDED_UP + ROUNDING


def least_noise(training: TrainingPlan, tries: RandomTries, epsilon: float) -> float | None:
    """The least σ₀ of each try with which the best of them keeps ε at the run's δ, rounded up."""
    one = replace(training, chosen_of=1)

    def reached(sigma: float) -> float:
        try:
            event = replace(one, sigma=sigma).event()
        except InvalidInput:  # noise decayed beyond the limits of a schedule or a step
            return math.inf
        return best_of(event, tries, one.delta, one.adjacency).bound

    search = Search(LARGEST * one.clip, MIN * one.clip, 1.0)
    return boundary(reached, epsilon, one.sigma, search)


def _mean(shape: float, gamma: float) -> float:
    log_gamma = math.log(gamma)
    spread = -log_gamma if shape == 0.0 else -math.expm1(shape * log_gamma) / shape
    return (1.0 - gamma) / gamma / spread


def best_of(event: Event, tries: RandomTries, delta: float, adjacency: Adjacency) -> Guarantee:
    """The (ε, δ) of the best of a random number of tries, each of which is this event.

    By Gaussian DP where nothing is sampled, else by PLD; empty, with the reason, where neither has
    a theorem.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    parts = steps(event)
    exact = all(unsampled_gaussian(step, adjacency) for step in parts)
    accountant = "gdp" if exact else "pld"
    if reason := refusal(event, adjacency, accountant):
        return Guarantee(None, None, adjacency, accountant, reason)
    each_delta = tries.each_delta(delta)
    if each_delta < SMALLEST_DELTA:
        reason = f"δ = {as_set(delta)} is too small to be shared among so many tries."
        return Guarantee(None, None, adjacency, accountant, reason)
    one = certify(event, each_delta, adjacency, accountant)
    curve = tradeoff.from_event(event, adjacency)
    epsilon = one.bound + tries.log_ratio(curve)
    if tries.law == "poisson" and not uncovered(parts, adjacency, renyi.ACCOUNTANT):
        rdp = renyi.curve(parts, ORDERS, adjacency, whole=False)
        gap = ORDERS - 1.0
        failing = np.array([curve.delta(each) for each in np.log1p(1.0 / gap).tolist()])
        rdp = rdp + tries.mean * failing + math.log(tries.mean) / gap
        epsilon = min(epsilon, renyi.epsilon_from(ORDERS, rdp * ROUNDED_UP, delta)[0])
    if not math.isfinite(epsilon):
        return Guarantee(None, None, adjacency, one.by, one.reason)
    return Guarantee(epsilon, delta, adjacency, one.by)
