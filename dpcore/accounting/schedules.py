"""Noise schedules: which σ each step uses, grouped by equal values.

σ is the absolute noise on the sum of clipped records. A decay R multiplies the *variance* each time
(paper 003, Algorithm 1: σ²_{t+1} = Rσ²_t); Opacus' γ multiplies σ, so γ = √R.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InvalidInput, number, whole
from dpcore.words import as_set, spaced

Array = NDArray[np.float64]

MAX_STEPS = 10_000_000


@dataclass(frozen=True)
class Schedule:
    """Distinct noise scales in order of use, and for how many steps each is used."""

    sigmas: tuple[float, ...]  # each above 0
    counts: tuple[int, ...]  # steps at each, at least 1
    name: str  # in words

    def __post_init__(self) -> None:
        if not self.sigmas or len(self.sigmas) != len(self.counts):
            raise InvalidInput("schedule is empty or uneven, but needs one count for each σ.")
        for sigma in self.sigmas:
            number("σ", sigma, above=0.0)
        for count in self.counts:
            whole("steps", count, at_least=1, at_most=MAX_STEPS)
        whole("steps", self.steps, at_least=1, at_most=MAX_STEPS)

    @property
    def steps(self) -> int:
        """T."""
        return sum(self.counts)

    def each_step(self) -> Array:
        """σ_t for every step, shape (T,)."""
        return np.repeat(self.sigmas, self.counts)

    def merged(self, levels: int, sensitivity: float = 1.0) -> Schedule:
        """An approximation by `levels` levels, each merged from neighbours: not a bound.

        Merging preserves the mean of e^{Δ²/σ²} - 1, which the central limit theorem for sampled
        steps adds up (Bu, Dong, Long and Su 2020).
        """
        edges = np.linspace(0, len(self.sigmas), levels + 1).astype(int)[:-1]
        counts = np.array(self.counts)
        merged_counts = np.add.reduceat(counts, edges)
        exponents = (sensitivity / np.array(self.sigmas)) ** 2
        # As logarithms, since Δ/σ may be a hundred.
        logs = exponents + np.log(-np.expm1(-exponents)) + np.log(counts)
        means = np.logaddexp.reduceat(logs, edges) - np.log(merged_counts)
        sigmas = sensitivity / np.sqrt(np.logaddexp(0.0, means))
        return Schedule(tuple(sigmas.tolist()), tuple(merged_counts.tolist()), self.name)


def constant(sigma: float, steps: int) -> Schedule:
    """σ at every step."""
    return Schedule((sigma,), (whole("steps", steps, at_least=1, at_most=MAX_STEPS),), "constant")


def geometric(sigma: float, decay: float, levels: int, steps_per_level: int = 1) -> Schedule:
    """σ²_{l+1} = R σ²_l over `levels`, each used for `steps_per_level` steps.

    Paper 003: a level is an iteration (Algorithm 1) or an epoch (its experiments' reading).
    """
    decay = number("decay R", decay, above=0.0, at_most=1.0)
    whole("levels", levels, at_least=1, at_most=MAX_STEPS)
    count = whole("steps per level", steps_per_level, at_least=1, at_most=MAX_STEPS)
    if decay == 1.0:
        return constant(sigma, levels * count)
    sigmas = number("σ", sigma, above=0.0) * decay ** (0.5 * np.arange(levels))
    if sigmas[-1] <= 1e-150:
        raise InvalidInput(
            f"decay R is {as_set(decay)}, but over {spaced(levels)} levels it must leave σ above "
            "1e-150."
        )
    interval = "step" if count == 1 else f"{spaced(count)} steps"
    return Schedule(
        tuple(map(float, sigmas)),
        (count,) * levels,
        f"variance times {as_set(decay)} every {interval}",
    )


def opacus_gamma(decay: float) -> float:
    """γ of Opacus' `ExponentialNoise`, which multiplies σ, for a decay R of the variance: √R."""
    return math.sqrt(number("decay R", decay, above=0.0, at_most=1.0))


def linear(first: float, last: float, steps: int) -> Schedule:
    """Go from σ `first` to σ `last` in equal differences."""
    whole("steps", steps, at_least=1, at_most=MAX_STEPS)
    return custom(
        np.linspace(first, last, steps).tolist(),
        f"linear from {as_set(first)} to {as_set(last)}",
    )


def custom(sigmas: Sequence[float], name: str = "custom list") -> Schedule:
    """One σ per step; equal neighbours are grouped."""
    values = np.asarray([number("σ", sigma, above=0.0) for sigma in sigmas])
    if len(values) == 0:
        raise InvalidInput("schedule is empty, but must name σ for at least one step.")
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    counts = np.diff(np.append(starts, len(values)))
    return Schedule(tuple(map(float, values[starts])), tuple(map(int, counts)), name)
