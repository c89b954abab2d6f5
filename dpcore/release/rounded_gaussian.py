"""Whole numbers round(σZ), Z ~ N(0, 1), sampled exactly from the operating system's entropy.

No step uses floating point, and no distance has to be charged to δ. |Z| = k + x is drawn by Karney
(2016, Algorithm N): a whole k with probability ∝ e^{-k/2}, kept with probability e^{-k(k-1)/2}; x
uniform in [0, 1), kept with probability e^{-x(2k+x)/2}. Together that is ∝ e^{-(k+x)²/2}. A sign
follows.

Every probability e^{-g} is drawn as a chain of yes-or-no draws of probability g/1, g/2, g/3, … up
to the first no, which comes at an odd place with probability e^{-g} for g in [0, 1] (Canonne,
Kamath and Steinke 2020, Algorithm 1). Uniform numbers are known by their first bits, as an
interval, and get more bits for as long as a comparison, or the rounding of σ(k + x), depends on
bits that are not drawn yet. That ends with probability 1 and never on a guess.
"""

from __future__ import annotations

import os

WORD = 64
BITS = WORD
"""Bits that a uniform number begins with, and gets more of; any number up to a word is exact."""
BLOCK = 4096


class Entropy:
    """Fresh bits of the operating system, each handed out once."""

    def __init__(self) -> None:
        self._words: list[int] = []

    def word(self) -> int:
        """A whole number uniform in [0, 2^64)."""
        if not self._words:
            block = os.urandom(BLOCK)
            self._words = [
                int.from_bytes(block[place : place + 8], "little") for place in range(0, BLOCK, 8)
            ]
        return self._words.pop()

    def below(self, bound: int) -> int:
        """A whole number uniform in [0, bound), for a bound below 2^64."""
        limit = (1 << WORD) // bound * bound
        while (word := self.word()) >= limit:
            pass
        return word % bound


class Uniform:
    """A uniform number in [0, 1) of which the first bits are known: in [high, high + 1)/2^bits."""

    __slots__ = ("_entropy", "bits", "high")

    def __init__(self, entropy: Entropy, bits: int = 0) -> None:
        self._entropy, self.high, self.bits = entropy, 0, 0
        while not self.bits or self.bits < bits:
            self.refine()

    def refine(self) -> None:
        more = self._entropy.word() >> (WORD - BITS)
        self.high, self.bits = (self.high << BITS) | more, self.bits + BITS


def rounded_gaussians(sigma: int, count: int) -> list[int]:
    """Independent round(σZ), of any size.

    Parameters
    ----------
    sigma : int
        σ, at least 1.
    count : int
    """
    entropy = Entropy()
    return [_rounded(sigma, entropy) for _ in range(count)]


def _rounded(sigma: int, entropy: Entropy) -> int:
    whole, part = _magnitude(entropy)
    while True:
        one = 1 << part.bits
        # σ(k + x) + ½ lies in [low, low + 2σ)/(2·2^bits).
        low = 2 * sigma * (whole * one + part.high) + one
        size = low >> (part.bits + 1)
        if (low + 2 * sigma - 1) >> (part.bits + 1) == size:
            return size if entropy.word() & 1 else -size
        part.refine()


def _magnitude(entropy: Entropy) -> tuple[int, Uniform]:
    while True:
        whole = 0
        while _half_exponential(entropy):
            whole += 1
        if not all(_half_exponential(entropy) for _ in range(whole * (whole - 1))):
            continue
        part = Uniform(entropy)
        if all(_exponential(whole, part, entropy) for _ in range(whole + 1)):
            return whole, part


def _half_exponential(entropy: Entropy) -> bool:
    """Yes with probability e^{-1/2}."""
    place = 1
    while entropy.below(2 * place) == 0:
        place += 1
    return place % 2 == 1


def _exponential(whole: int, part: Uniform, entropy: Entropy) -> bool:
    """Yes with probability e^{-g}, g = x(2k + x)/(2k + 2), which is below 1."""
    place = 1
    while _less(place * (2 * whole + 2), whole, part, entropy):
        place += 1
    return place % 2 == 1


def _less(factor: int, whole: int, part: Uniform, entropy: Entropy) -> bool:
    """Whether a fresh uniform v has v · factor < x(2k + x)."""
    other = Uniform(entropy, part.bits)
    while True:
        one = 1 << part.bits
        left = factor * other.high << part.bits
        if left + (factor << part.bits) <= part.high * (2 * whole * one + part.high):
            return True
        if left >= (part.high + 1) * (2 * whole * one + part.high + 1):
            return False
        part.refine()
        other.refine()
