"""The cost of repeated noisy sums over sampled records, as certified upper bounds on ε.

The smaller of two bounds is reported; both hold for adaptive steps.

- Rényi accounting (`dpcore.accounting.accountants`): Poisson sampling under zero-out or add/remove,
  fixed-size sampling without replacement under replace-one, where the batch sum moves by 2C.
- Counting hits: given which steps contain the record, the output is an adaptive composition of K
  Gaussian mechanisms, K ~ Binomial(T, q) under either sampling, hence at most √K·c/σ-GDP, and the
  hockey-stick divergence is jointly convex, so δ(ε) ≤ E_K δ_G(ε; √K c/σ). It needs no
  amplification, and is the better one for very little noise (where the sampled steps show) and for
  ε → 0.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from dpcore.accounting import events
from dpcore.accounting.root_search import turning_point
from dpcore.errors import reject
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.words import as_set

Array = NDArray[np.float64]

LATTICE_RATIO = 1.02
LOWEST_INDEX, HIGHEST_INDEX = -1_400, 35_500
"""Ends of the lattice: 1e-12 and 1e305. The low one applies where δ exceeds the chance of a hit."""
MIN_EPSILON = 1e-18  # smallest ε that the hit bound resolves
EXACT_EPSILON = 1e3  # beyond it the hit bound drops the subtracted term of δ_G, which is safe
HIT_TOLERANCE = 1e-9  # relative, of ε


@dataclass(frozen=True)
class SampledGaussian:
    """T noisy sums over sampled records."""

    noise_multiplier: float  # σ/C: of the noise on the sum, over the per-record norm bound
    rate: float  # q = b/n, the expected share of records in a step
    steps: int  # T
    sampling: str  # "fixed" (a batch of fixed size without replacement) or "poisson"
    adjacency: Adjacency  # zero-out, or the one that `covered` allows

    def covered(self) -> bool:
        """Whether this accountant has a theorem for the pair of sampling and adjacency."""
        # Under zero-out the blanked record is one of the replacements replace-one allows.
        fixed = self.sampling == "fixed"
        return self.adjacency != (Adjacency.ADD_REMOVE if fixed else Adjacency.REPLACE_ONE)


def certified_epsilon(what: SampledGaussian, delta: float) -> tuple[float, str]:
    """The smaller of the two bounds, ``inf`` where neither is finite, and its accountant."""
    if not what.covered():
        raise ValueError(f"no theorem here covers {what.sampling} sampling under {what.adjacency}")
    hits = hit_epsilon(what, delta)
    renyi = renyi_epsilon(what, delta)
    if renyi <= hits:
        return renyi, "Rényi accounting"
    return hits, "hit counting with exact Gaussian composition"


def renyi_epsilon(what: SampledGaussian, delta: float) -> float:
    # The accountants take half a second to import, and the page's first view does not need them.
    from dpcore.accounting.accountants import certify

    if delta <= 0.0 or what.noise_multiplier < events.MIN_MULTIPLIER:
        return math.inf
    # Less noise costs more: safe.
    base = events.Gaussian(min(what.noise_multiplier, events.LARGEST_MULTIPLIER))
    sampled = events.FixedSampled if what.sampling == "fixed" else events.PoissonSampled
    event = events.Repeated(sampled(what.rate, base), what.steps)
    # A batch without replacement is covered under replace-one, of which zero-out is a case.
    adjacency = Adjacency.REPLACE_ONE if what.sampling == "fixed" else what.adjacency
    return certify(event, delta, adjacency, "rdp").bound


def hit_epsilon(what: SampledGaussian, delta: float) -> float:
    """ε from counting how often the record is used (module docstring); an upper bound.

    Binomial tails beyond 1e-6 δ are charged to δ in full. ``inf`` at δ = 0.
    """
    if delta <= 0.0:
        return math.inf
    hits = _Hits.of(what, delta)
    if hits.exact(0.0) <= hits.target:
        return 0.0
    bound, low_epsilon, high_epsilon = hits.exact, MIN_EPSILON, EXACT_EPSILON
    if hits.exact(EXACT_EPSILON) > hits.target:
        bound, low_epsilon = hits.simple, EXACT_EPSILON
        while bound(high_epsilon) > hits.target:
            high_epsilon *= 4.0
            if high_epsilon > 1e300:
                return math.inf
    return turning_point(
        lambda at: bound(at) > hits.target, low_epsilon, high_epsilon, HIT_TOLERANCE
    )[1]


def hits_within(what: SampledGaussian, epsilon: float, delta: float) -> bool:
    """Whether `hit_epsilon` is at most ε, above 0: one evaluation in place of a search."""
    if delta <= 0.0:
        return False
    hits = _Hits.of(what, delta)
    # The search ends a little above the smallest ε that is enough.
    below = epsilon * (1.0 - 2.0 * HIT_TOLERANCE)
    if hits.exact(min(below, EXACT_EPSILON)) <= hits.target:
        return True
    return below > EXACT_EPSILON and hits.simple(below) <= hits.target


@dataclass(frozen=True, eq=False)
class _Hits:
    mass: NDArray[np.float64]  # (h,), of each number of times, moved up to the next on the grid
    mu: NDArray[np.float64]  # (h,), of that many Gaussian mechanisms
    target: float  # what is left of δ for the sum over them

    @classmethod
    def of(cls, what: SampledGaussian, delta: float) -> _Hits:
        change = 2.0 if what.adjacency is Adjacency.REPLACE_ONE else 1.0
        hits, mass, target = _counted(what.steps, what.rate, delta)
        return cls(mass, np.sqrt(hits) * change / what.noise_multiplier, target)

    def exact(self, epsilon: float) -> float:
        """δ at ε by the exact composition of each number of times."""
        positive = self.mu > 0.0
        return float(self.mass[positive] @ analytic_delta(epsilon, 1.0 / self.mu[positive]))

    def simple(self, epsilon: float) -> float:
        """An upper bound of it without a difference, for large ε."""
        with np.errstate(divide="ignore"):
            reach = np.where(self.mu > 0, self.mu / 2 - epsilon / self.mu, -np.inf)
        return float(self.mass @ scipy.special.ndtr(reach))


@lru_cache(maxsize=32)  # a search for the noise asks for the same counts each time
def _counted(
    steps: int, rate: float, delta: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Numbers of times on a grid, and `mass` and `target` of `_Hits`."""
    tail = 1e-6 * delta
    every = range(steps)
    low = bisect_left(every, True, key=lambda k: bool(up_to(k, steps, rate) >= tail))
    high = bisect_left(every, True, key=lambda k: bool(beyond(k, steps, rate) <= tail)) + 1
    spaced = np.linspace(low, high, min(high - low + 1, 512))
    hits = np.unique(np.round(spaced).astype(np.int64))
    # Mass between two grid points is moved up to the next: δ_G grows with K, so this is safe.
    # The upper tail has its own function: a difference of numbers near 1 would round to 0.
    above = beyond(hits, steps, rate)
    within = up_to(hits, steps, rate)
    mass = np.maximum(np.diff(within, prepend=0.0), -np.diff(above, prepend=1.0))
    target = (delta - tail - float(above[-1])) * (1.0 - 1e-9)  # the sums' own rounding
    return hits, mass, target


def noise_multiplier_for(
    epsilon: float, delta: float, rate: float, steps: int, sampling: str, adjacency: Adjacency
) -> float:
    """The smallest noise multiplier on a lattice (ratio 1.02) that certifies ε within `epsilon`.

    A lattice rounds up by at most 2 % and lets neighbouring budgets share evaluations. The result
    is the last value that was checked to be within `epsilon`, so it is correct even if rounding
    makes the certified ε not quite monotone. What no finite noise reaches is refused.
    """

    def within(index: int) -> bool:
        what = SampledGaussian(LATTICE_RATIO**index, rate, steps, sampling, adjacency)
        # The cheaper bound first; one of the two is enough.
        return hits_within(what, epsilon, delta) or renyi_epsilon(what, delta) <= epsilon

    if not SampledGaussian(1.0, rate, steps, sampling, adjacency).covered():
        raise ValueError(f"no theorem here covers {sampling} sampling under {adjacency}")

    # By strides that double: from ε = 1e-12 at δ = 1e-300 the answer is 36,000 points away.
    high, stride = 0, 64
    while not within(high):
        if high == HIGHEST_INDEX:
            raise reject("delta", delta, f"larger: no finite noise reaches ε = {as_set(epsilon)}")
        high, stride = min(high + stride, HIGHEST_INDEX), 2 * stride
    low, stride = high - 64, 64
    while within(low):
        if low <= LOWEST_INDEX:
            return LATTICE_RATIO**low
        low, high, stride = max(low - stride, LOWEST_INDEX), low, 2 * stride
    return LATTICE_RATIO ** (low + 1 + bisect_left(range(low + 1, high), True, key=within))


def beyond(count: ArrayLike, trials: int, chance: float | Array) -> Array:
    """P(K > count) for K ~ Binomial(trials, chance); `scipy.stats` loads slowly."""
    below = np.clip(count, 0, trials - 1)
    tail = scipy.special.betainc(below + 1.0, trials - below, chance)
    return np.where(np.less(count, 0), 1.0, np.where(np.less(count, trials), tail, 0.0))


def up_to(count: ArrayLike, trials: int, chance: float | Array) -> Array:
    """P(K <= count) for K ~ Binomial(trials, chance); for the arguments see `beyond`."""
    below = np.clip(count, 0, trials - 1)
    tail = scipy.special.betaincc(below + 1.0, trials - below, chance)
    return np.where(np.less(count, 0), 0.0, np.where(np.less(count, trials), tail, 1.0))
