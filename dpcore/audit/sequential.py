"""Lower bounds that hold whenever one stops: a bet against a promise on every pair of outputs.

A promise bounds P(S) by e^ε Q(S) + δ(ε) for every set S of outputs and every ε, in either order of
the laws P and Q on two neighbouring data sets. Of a pair x ~ P, y ~ Q one bets a part of one's
wealth: it is multiplied by

    1 + λ (1{x ∈ S} - e^ε 1{y ∈ S} - δ(ε)),   0 ≤ λ < 1/(e^ε + δ(ε)),

whose mean is at most 1 where the promise is true, whatever S, ε and λ are, as long as earlier pairs
alone decide them; and so by a sum of such bets, on many thresholds at once. So the wealth is a
supermartingale that starts at 1, and a true promise lets it ever reach 1/α with probability at most
α (Ville): whoever looks after each pair and stops at will is wrong no more often. One wealth is
kept for each strength of a family of promises, weakest last. A strength is refuted once its wealth
has been 1/α; the lower bound is the last strength before which all are. It exceeds the true one
only where that, or the next one in the grid, is refuted.

Where both laws are normal with one variance, μ has an exact limit at any fixed number of pairs
(`dpcore.audit.bounds.gaussian_mu`). `Looks` spreads α over numbers fixed before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.audit import bounds
from dpcore.errors import number
from dpcore.mechanisms.gaussian import analytic_mu

Array = NDArray[np.floating]

CANDIDATES = 48
"""Thresholds, at levels of all scores so far, among which the next one is chosen."""
PARTS = np.geomspace(0.004, 0.9, 24)
"""Parts of the largest λ among which the next one is chosen."""
FIRST, SHARE = 12, 0.15
"""Pairs before the first bet, and pairs with the same bet as a share of those so far."""


class Promises(Protocol):
    """Promises of one form, by a strength: the larger, the weaker the promise."""

    @property
    def expected(self) -> float | None:
        """The strength that outputs are likely to have, of a promise with a line for each Q(S).

        Every threshold then tells something of its own, and all are bet on at once.
        """

    def tangent(
        self, strengths: Array, less_likely: Array, exchanged: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        """ε, and δ(ε) rounded up, of the promise that is tightest where Q(S) is `less_likely`.

        P is the law on the first data set, or on the second where the two are `exchanged`.
        """


@dataclass(frozen=True)
class ApproximateDP:
    """(ε, δ) at one δ, by ε."""

    delta: float
    expected: ClassVar[None] = None

    def tangent(
        self, strengths: Array, less_likely: Array, exchanged: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        epsilon, _ = np.broadcast_arrays(strengths, less_likely)
        return epsilon, np.full(epsilon.shape, self.delta)


class Sequential(Protocol):
    """A bound that grows with the pairs of outputs it has seen."""

    @property
    def pairs(self) -> int:
        """How many it has seen."""

    def see(self, first: Array, second: Array) -> None:
        """Take further pairs, in their order."""

    @property
    def lower_bound(self) -> float:
        """A lower bound on the strength, wherever one stops; 0 at least."""


@dataclass
class Wager:
    """The wealth of a bet against each strength of a family, after all pairs so far.

    Parameters
    ----------
    family : Promises
    strengths : ndarray of shape (k,)
        In ascending order.
    confidence : float
        1 - α: the least probability that no bound, whenever one stops, exceeds the truth.
    """

    family: Promises
    strengths: Array
    confidence: float = 0.99
    pairs: int = 0
    refuted: NDArray[np.bool_] = field(init=False)
    _logarithms: Array = field(init=False)  # of each way to bet, among which wealth is split
    _first: Array = field(default_factory=lambda: np.zeros(0))
    _second: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        number("confidence", self.confidence, at_least=0.5, below=1.0)
        self.refuted = np.zeros(len(self.strengths), dtype=bool)
        ways = 1 if self.family.expected is None else 2
        self._logarithms = np.zeros((ways, len(self.strengths)))

    @property
    def lower_bound(self) -> float:
        """The last strength before which all are refuted; 0 where the first is not."""
        count = int(np.argmin(np.append(self.refuted, False)))
        return float(self.strengths[count - 1]) if count else 0.0

    def see(self, first: Array, second: Array) -> None:
        """Bet on further pairs, in their order."""
        start = 0
        while start < len(first):
            size = max(FIRST, int(SHARE * self.pairs)) if self.pairs else FIRST
            block = slice(start, start + size)
            self._bet(first[block], second[block])
            start += size

    def _bet(self, first: Array, second: Array) -> None:
        if self.pairs:
            still = ~self.refuted
            gains = self._gains(self.strengths[still], first, second)
            wealths = self._logarithms[:, still, None] + np.cumsum(np.log1p(gains), axis=2)
            self._logarithms[:, still] = wealths[:, :, -1]
            wealth = np.logaddexp.reduce(wealths, axis=0) - math.log(len(wealths))
            self.refuted[still] = wealth.max(axis=1) >= -math.log1p(-self.confidence)
        self._first = np.sort(np.concatenate([self._first, first]))
        self._second = np.sort(np.concatenate([self._second, second]))
        self.pairs += len(first)

    def _gains(self, strengths: Array, first: Array, second: Array) -> Array:
        """(ways, strengths, pairs): λ times what each pair pays, all chosen by earlier pairs."""
        levels = np.quantile(
            np.concatenate([self._first, self._second]), np.linspace(0.02, 0.98, CANDIDATES)
        )
        seen = self._first, self._second
        below = [np.searchsorted(scores, levels, side="right") for scores in seen]
        likely = (below[0] + 0.5) / (self.pairs + 1.0), (below[1] + 0.5) / (self.pairs + 1.0)
        # {score > level} speaks for the first data set or for the second, and so its complement.
        sets = (
            (1.0 - likely[0], 1.0 - likely[1], False, False),
            (1.0 - likely[1], 1.0 - likely[0], False, True),
            (likely[0], likely[1], True, False),
            (likely[1], likely[0], True, True),
        )
        hits, alarms = (np.concatenate([each[place] for each in sets]) for place in (0, 1))
        exchanged = np.repeat([each[3] for each in sets], CANDIDATES)
        epsilon, delta = self.family.tangent(strengths[:, None], alarms[None, :], exchanged)
        odds = np.exp(epsilon)
        if self.family.expected is not None:
            # Of the sets, {score > level} for the first data set and its complement for the second.
            ends = np.r_[:CANDIDATES, 3 * CANDIDATES : 4 * CANDIDATES]
            odds, delta, alarms = odds[:, ends], delta[:, ends], alarms[ends]
            likely_slope, likely_delta = self.family.tangent(
                np.array(self.family.expected), alarms, exchanged[ends]
            )
            paid = np.exp(likely_slope) * alarms + likely_delta - odds * alarms - delta
            shares = [np.diff(each, prepend=0.0, append=1.0) for each in likely]
            places = [np.searchsorted(levels, scores) for scores in (first, second)]
            return _on_all(odds, delta.sum(axis=1), paid.sum(axis=1), shares, places)
        part, growth = _best_part(hits, alarms, odds, delta)
        chosen = np.argmax(growth, axis=1)
        row = np.arange(len(strengths))
        kind, level = chosen // CANDIDATES, levels[chosen % CANDIDATES]
        is_below, is_swapped = (np.array([each[place] for each in sets])[kind] for place in (2, 3))
        inside = [
            (scores[None, :] <= level[:, None]) == is_below[:, None] for scores in (first, second)
        ]
        hit, alarm = (np.where(is_swapped[:, None], inside[1 - i], inside[i]) for i in (0, 1))
        odds, delta = odds[row, chosen][:, None], delta[row, chosen][:, None]
        scale = np.where(growth[row, chosen] > 0.0, part[row, chosen], 0.0)[:, None]
        return np.asarray(scale / (odds + delta) * (hit - odds * alarm - delta))[None]


def _on_all(
    odds: Array,
    delta: Array,
    paid: Array,
    shares: Sequence[Array],
    places: Sequence[NDArray[np.integer]],
) -> Array:
    """(2, strengths, pairs): what pairs pay where the same λ is bet on every threshold.

    λ is chosen by what earlier scores, whose `shares` lie between levels, would have paid, and by
    what is `paid` if the expected strength is the truth. The first half of `odds` are those of
    {score > level}, the second those of its complement; `places` count the levels below a score.
    """
    up, down = np.split(odds, 2, axis=1)
    levels = np.arange(up.shape[1] + 1)
    won, lost = (np.cumsum(np.pad(each, ((0, 0), (1, 0))), axis=1) for each in (up, down))
    pays = levels - lost[:, -1:] + lost
    costs = won - levels[::-1] + delta[:, None]
    means = pays @ shares[0], costs @ shares[1]
    square = pays**2 @ shares[0] + costs**2 @ shares[1] - 2.0 * means[0] * means[1]
    # The growth of small bets is largest at mean/square (Kelly), and no bet may lose everything.
    most = PARTS[-1] / (costs.max(axis=1) - pays.min(axis=1))
    scale = np.clip(np.stack([means[0] - means[1], paid]) / square, 0.0, most)[:, :, None]
    return np.asarray(scale * (pays[:, places[0]] - costs[:, places[1]]))


def _best_part(hits: Array, alarms: Array, odds: Array, delta: Array) -> tuple[Array, Array]:
    """The part of the largest λ with the largest expected growth, and that growth."""
    best, growth = np.zeros(odds.shape), np.zeros(odds.shape)
    for part in PARTS:
        scale = part / (odds + delta)
        expected = (
            hits * (1.0 - alarms) * np.log1p(scale * (1.0 - delta))
            + (1.0 - hits) * (1.0 - alarms) * np.log1p(-scale * delta)
            + hits * alarms * np.log1p(scale * (1.0 - odds - delta))
            + (1.0 - hits) * alarms * np.log1p(-part)
        )
        better = expected > growth
        best, growth = np.where(better, part, best), np.where(better, expected, growth)
    return best, growth


def pairs_needed(mu: float, share: float, confidence: float) -> int:
    """Pairs of outputs that refute μ every second time where the noise is but a share of it.

    The mean of m pairs is √(2/m) from its own in standard deviations, and μ/share - μ above what is
    promised. So no test, which fixes m or not, needs fewer for half its chance.
    """
    shift = mu / number("share", share, above=0.0, below=1.0) - mu
    return math.ceil(2.0 * (float(special.ndtri(confidence)) / shift) ** 2)


def bets_needed(epsilon: float, delta: float, confidence: float) -> int:
    """The fewest pairs by which bets refute (ε, δ), where no two outputs of the data sets mix.

    Each pair then multiplies the wealth by 1 + λ(1 - δ), λ at most .9/(e^ε + δ).
    """
    growth = math.log1p(PARTS[-1] * (1.0 - delta) / (math.exp(min(epsilon, 700.0)) + delta))
    return FIRST + math.ceil(-math.log1p(-confidence) / growth)


HALF = 0.5
LOOKS = ((1.19, 0.8), (2.5, 0.08))
"""Looks that catch half of the noise: pairs as a multiple of those it needs, and shares of α."""
LAST = 0.08
"""The share of α for the most precise look."""
EARLIEST = 25


@dataclass
class Looks:
    """A limit on μ of scores that are normal with one variance, at pairs fixed before.

    Each look has its share of α, which together make α; so all looks hold at once.

    Parameters
    ----------
    mu : float
        The μ that is promised, by which half of the noise is caught early.
    most : int
        Pairs that are to be drawn at most; the most precise look is there.
    confidence : float
        1 - α.
    """

    mu: float
    most: int
    confidence: float = 0.99
    pairs: int = 0
    lower_bound: float = 0.0
    shares: dict[int, float] = field(init=False)  # of α, by pairs
    _first: Array = field(default_factory=lambda: np.zeros(0))
    _second: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        needed = pairs_needed(self.mu, HALF, self.confidence)
        planned = [(max(4, math.ceil(times * needed)), share) for times, share in LOOKS]
        planned.append((self.most, LAST))
        doubled = [EARLIEST * 2**place for place in range(40) if EARLIEST * 2**place < self.most]
        rest = 1.0 - sum(share for _, share in planned)
        planned += [(pairs, rest / len(doubled)) for pairs in doubled] or [(self.most, rest)]
        self.shares = {}
        for pairs, share in planned:
            at = min(pairs, self.most)
            self.shares[at] = self.shares.get(at, 0.0) + share

    def see(self, first: Array, second: Array) -> None:
        """Take further pairs, and look where it is time."""
        before, self.pairs = self.pairs, self.pairs + len(first)
        self._first = np.concatenate([self._first, first])
        self._second = np.concatenate([self._second, second])
        for pairs, share in sorted(self.shares.items()):
            if before < pairs <= self.pairs:
                level = 1.0 - share * (1.0 - self.confidence)
                found = bounds.gaussian_mu(self._first[:pairs], self._second[:pairs], level)
                self.lower_bound = max(self.lower_bound, found)


MULTIPLES = np.union1d(np.geomspace(0.02, 4.0, 200), np.linspace(0.8, 1.1, 61))
"""The ε that are bet against, as multiples of the one that is promised; close where it is."""


FURTHEST = 40.0
"""The largest ε that is bet against, whatever is promised."""


@dataclass(frozen=True)
class EpsilonBound:
    """A bound that grows, as ε at the δ of what is promised."""

    by: str  # method of the bound
    strength: Sequential
    needed: int  # pairs with which it tells half of the noise every second time, or anything at all
    epsilon_of: Callable[[float], float] = float  # of a strength

    @property
    def pairs(self) -> int:
        """How many it has seen."""
        return self.strength.pairs

    def see(self, first: Array, second: Array) -> None:
        """Take further pairs, in their order."""
        self.strength.see(first, second)

    @property
    def lower_bound(self) -> float:
        """The ε that is lost, wherever one stops; 0 at least."""
        return self.epsilon_of(self.strength.lower_bound)


def epsilon_bound(
    epsilon: float,
    delta: float,
    most: int,
    confidence: float,
    *,
    is_normal: bool,
    multiples: Array = MULTIPLES,
    looks: Callable[[float, int, float], Sequential] = Looks,
) -> EpsilonBound:
    """The bound that tries (ε, δ) with at most so many pairs: on fitted μ, or by bets.

    Scores that are normal with one variance have a μ where δ is above 0; otherwise thresholds are
    bet on, against these multiples of ε.
    """
    if is_normal and delta > 0.0:
        mu = float(analytic_mu(epsilon, delta))
        needed, fitted = pairs_needed(mu, HALF, confidence), looks(mu, most, confidence)
        of_mu = partial(bounds.epsilon_of, delta=delta)
        return EpsilonBound("fitted μ, noncentral t", fitted, needed, of_mu)
    further = np.geomspace(epsilon * multiples[-1], max(FURTHEST, epsilon * multiples[-1]), 40)
    strengths = np.union1d(epsilon * multiples, further)
    bets = Wager(ApproximateDP(delta), strengths, confidence)
    return EpsilonBound("bets on thresholds", bets, bets_needed(epsilon, delta, confidence))
