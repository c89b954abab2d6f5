"""The shuffle model: messages reach their reader in random order, without a sender's name.

Hiding among clones (Feldman, McMillan and Talwar 2021). One record differs, so one message comes
from R₀ or from R₁. If both and every other message's law are within e^{ε₀} of each other, then

    R₀ = q Q₀ + (1-q) Q₁,  R₁ = (1-q) Q₀ + q Q₁,  q = e^{ε₀}/(1 + e^{ε₀}),

and any other message is, with probability e^{-ε₀}, a draw from (Q₀ + Q₁)/2: its law is at least
e^{-ε₀} times R₀ and times R₁, so times their mean. Whatever the reader sees follows from how many
messages came from Q₀ and how many from Q₁. With C ~ Binomial(n-1, e^{-ε₀}) clones and A ~
Binomial(C, 1/2) of them from Q₀ that is (A+1, C-A) with probability q and (A, C-A+1) otherwise,
against the reverse. Their divergence is what `_Clones.delta` sums up: at a given C the odds rise
with the number from Q₀, so the worst event is a tail. It falls with C, because one clone more can
be drawn by whoever sees one less; so C may be rounded down.

Gaussian messages are within e^{ε₀} only up to δ₀, their exact curve at ε₀. Then R₀ and R₁ are
moved by δ₀/(1 + e^{ε₀}) to a pair that is (where one exceeds e^{ε₀} times the other, both are
redivided; the curve of a Gaussian is the same both ways, so that masses stay 1). Another message
with law p falls short of e^{-ε₀} times their mean by at most e^{-ε₀} δ₀ (1 + 1/(1 + e^{ε₀})) and
is moved by that. All of it together is η ≤ n e^{-ε₀} δ₀ (1 + 1/(1 + e^{ε₀})), which costs
(1 + e^ε) η of δ. Any ε₀ may be chosen, since nobody has to know it.

The closed form in print (their Theorem 3.1) is looser, and needs ε₀ ≤ ln(n/(16 ln(2/δ))).

Adjacency: replace-one; n is the number of messages mixed.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.sampled import up_to
from dpcore.errors import number, whole
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon

Array = NDArray[np.float64]

BLOCKS = 96
CANDIDATES, GRID = 24, 400
HALVINGS = 44
ROUNDING = 1e-11


class _Clones:
    """The distribution of the number of clones, in blocks rounded down to their smallest number."""

    def __init__(self, local: Array, records: int) -> None:
        """Several ε₀ at once."""
        self.local = local[:, None]
        share = np.exp(-self.local)
        mean = (records - 1) * share
        spread = np.sqrt(mean) + 1.0
        low = np.maximum(mean - 9.0 * spread, 0.0)
        high = np.minimum(mean + 7.0 * spread, records - 1.0)
        starts = np.floor(low + (high - low) * np.linspace(0.0, 1.0, BLOCKS))
        starts = np.hstack([np.zeros_like(mean), starts])
        below = up_to(starts[:, 1:] - 1.0, records - 1, share)
        # The last block is open; differences of a distribution function are not negative.
        edges = np.hstack([np.zeros_like(mean), below, np.ones_like(mean)])
        self.weight = np.diff(edges, axis=1)
        self.clones = starts

    def delta(self, epsilon: Array) -> Array:
        """δ of each ε₀ at its own ε."""
        from scipy import special

        target = epsilon[:, None]
        with np.errstate(over="ignore"):
            odds, bound = np.exp(-self.local), np.exp(np.minimum(target, self.local))
        total = 1.0 + odds  # q = 1/total and 1 - q = odds/total
        from_zero = (self.clones + 1.0) * (bound - odds) / ((1.0 + bound) * (1.0 - odds))
        most = np.minimum(np.floor(from_zero), self.clones + 1.0)

        def beyond(limit: Array) -> Array:
            """P(A > limit), A ~ Binomial(clones, 1/2)."""
            inside = np.clip(limit, 0.0, self.clones)
            tail = special.betainc(
                np.maximum(inside + 1.0, 1.0), np.maximum(self.clones - inside, 1e-300), 0.5
            )
            tail = np.where(limit >= self.clones, 0.0, tail)
            return np.asarray(np.where(limit < 0.0, 1.0, tail))

        more, less = beyond(most - 1.0), beyond(most)
        first = (more + odds * less) / total
        second = (odds * more + less) / total
        excess = np.maximum(first * (1.0 + ROUNDING) - bound * second * (1.0 - ROUNDING), 0.0)
        excess = np.where(target >= self.local, 0.0, excess)
        deltas = np.sum(self.weight * excess, axis=1) * (1.0 + ROUNDING)
        return np.asarray(np.minimum(deltas, 1.0))


def _least_epsilon(local: Array, records: int, delta: float, moved: Array) -> float:
    """The smallest ε over several ε₀ at which clones and moved mass together stay within δ."""
    clones = _Clones(local, records)
    low, high = np.zeros_like(local), local.copy()
    possible = (1.0 + np.exp(high)) * moved <= delta
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        fits = clones.delta(middle) + (1.0 + np.exp(middle)) * moved <= delta
        high = np.where(fits, middle, high)
        low = np.where(fits, low, middle)
    # Where even ε₀ itself is not reached, some smaller ε may have been.
    reached = possible | (high < local)
    return float(np.min(high[reached], initial=math.inf))


@lru_cache(maxsize=4_096)
def shuffled_gaussian_epsilon(mu: float, records: int, delta: float) -> float:
    """ε at δ of n shuffled messages with Gaussian noise, each μ-Gaussian DP; rounded up.

    Parameters
    ----------
    mu : float
        μ of one message, against any other record in its place: Δ/σ, above 0.
    records : int
        n, the messages that are mixed.
    delta : float
        Above 0, below 1.

    Returns
    -------
    float
        At most the ε of a single message, and equal to it where mixing is not known to help.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    number("μ", mu, above=0.0)
    whole("number of records", records, at_least=1)
    number("delta", delta, above=0.0, below=1.0)
    alone = analytic_epsilon(1.0, delta, mu)
    if records == 1 or alone == 0.0:
        return alone
    local = np.linspace(0.0, math.log(records), GRID + 1)[1:]
    weak = 1.0 / (1.0 + np.exp(local))
    moved_mass = records * np.exp(-local) * (1.0 + weak) * analytic_delta(local, 1.0, mu)
    moved = np.asarray(moved_mass * (1.0 + ROUNDING))
    # The moved mass falls fast with ε₀, and clones with it: the first that fit are the best.
    fit = 2.0 * moved < delta
    if not fit.any():
        return alone
    local, moved = local[fit][:CANDIDATES], moved[fit][:CANDIDATES]
    return min(alone, _least_epsilon(local, records, delta, moved))
