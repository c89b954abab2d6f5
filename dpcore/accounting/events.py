"""What accountants are, and what they are asked about: noise of each step, an event, a run.

σ is the absolute noise on the sum of records clipped to norm C, whatever the adjacency; the
multiplier is σ/C. An event has neither its cost nor the adjacency, an argument of the accountant.
A decay R multiplies the *variance* each time (paper 003, Algorithm 1: σ²_{t+1} = Rσ²_t); Opacus' γ
multiplies σ, so γ = √R.

The adjacency decides how far one record moves the clipped sum: C under add/remove and zero-out, 2C
under replace-one. Each theorem applies that factor by `change`.

Zero-out has the figures of add/remove. A blanked record contributes nothing to any sum and n stays,
so that the rate, the steps, σ and every divisor are the same for both neighbours. Given the earlier
outputs, a step's sum is then drawn once with the record's contribution, once without: the pair of
outputs of add/remove with public constants (`dpcore.accounting.pairs`). Add/remove itself needs
these constants to come from a public size, because a value computed from n reveals n.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.words import as_set, spaced

Array = NDArray[np.float64]

MAX_STEPS = 10_000_000
MAX_CHOSEN = 1_000
"""Most runs that one is chosen among."""
OUTPUTS, RECORDS = "outputs", "records"
"""What one is chosen by: what the runs gave, or measures of the records."""
NOT_MET = (
    "Conditions not met: a choice by measures of the same records is covered by no number of "
    "tries. Score by public data, or pay for the score, too."
)


def check_basis(basis: str) -> None:
    """Refuse a choice that looked at the protected records themselves."""
    if one_of("chosen by", basis, (OUTPUTS, RECORDS)) == RECORDS:
        raise InvalidInput(NOT_MET)


def declared(chosen_of: int) -> str:
    """What is said of a choice, by the word of whoever made it."""
    if chosen_of == 1:
        return "choice not declared"
    return f"chosen among {spaced(chosen_of)}, declared"


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


SAMPLINGS = ("none", "poisson", "fixed")
MIN_MULTIPLIER, LARGEST_MULTIPLIER = 1e-8, 1e10
"""Range of noise over sensitivity in which accountants are tested; other events are refused."""


@dataclass(frozen=True)
class Gaussian:
    """A sum of records clipped to `sensitivity` (L2) plus N(0, σ² I)."""

    sigma: float  # in the units of the sum, above 0
    sensitivity: float = 1.0  # C, above 0

    def __post_init__(self) -> None:
        number("σ", self.sigma, above=0.0)
        number("sensitivity", self.sensitivity, above=0.0)
        within_limits("σ over sensitivity", self.sigma, self.sensitivity)


@dataclass(frozen=True)
class Laplace:
    """A sum of records bounded by `sensitivity` (L1) plus Laplace noise of scale b."""

    scale: float  # b, in the units of the sum, above 0
    sensitivity: float = 1.0  # above 0

    def __post_init__(self) -> None:
        number("scale", self.scale, above=0.0)
        number("sensitivity", self.sensitivity, above=0.0)
        within_limits("scale over sensitivity", self.scale, self.sensitivity)


@dataclass(frozen=True)
class Pure:
    """Any release that is (ε, 0)-private under the adjacency that it is counted for."""

    epsilon: float

    def __post_init__(self) -> None:
        number("ε", self.epsilon, above=0.0)
        within_limits("1 over ε", 1.0, self.epsilon)


@dataclass(frozen=True)
class _Sampled:
    rate: float
    event: Gaussian

    def __post_init__(self) -> None:
        number("sampling rate", self.rate, above=0.0, at_most=1.0)


class PoissonSampled(_Sampled):
    """`event` on a sample that holds each record independently with probability `rate`."""


class FixedSampled(_Sampled):
    """`event` on a sample of fixed size drawn without replacement: `rate` of the records."""


@dataclass(frozen=True)
class Repeated:
    """`event`, `count` times, each with fresh noise and a fresh sample; may be adaptive."""

    event: Event
    count: int

    def __post_init__(self) -> None:
        whole("count", self.count, at_least=1)


@dataclass(frozen=True)
class Composed:
    """Several events on the same records, one after another; may be adaptive."""

    events: tuple[Event, ...]

    def __post_init__(self) -> None:
        if not self.events:
            raise InvalidInput("composition is empty, but it must hold at least one event.")


Event = Gaussian | Laplace | Pure | PoissonSampled | FixedSampled | Repeated | Composed


@dataclass(frozen=True)
class Step:
    """The normal form that an accountant reads: one kind of step and its count."""

    mechanism: str  # "gaussian", "laplace" or "pure"
    multiplier: float  # σ/C or b/C; of what is pure 1/ε, whatever the adjacency
    sampling: str  # "none", "poisson" or "fixed"
    rate: float  # 1 without sampling
    count: int


def steps(event: Event) -> tuple[Step, ...]:
    """The event as distinct steps with counts, in order of first use."""
    merged = Counter[Step]()
    for step, count in _unfold(event, 1):
        merged[step] += count
    return tuple(replace(step, count=count) for step, count in merged.items())


def within_limits(field: str, noise: float, sensitivity: float) -> None:
    """Refuse noise over sensitivity outside the range in which accountants are tested."""
    # A subnormal sensitivity would overflow the ratio or lose its digits.
    ratio = noise / sensitivity if sensitivity >= 1e-300 else math.inf
    number(field, ratio, at_least=MIN_MULTIPLIER, at_most=LARGEST_MULTIPLIER)


def _unfold(event: Event, count: int) -> list[tuple[Step, int]]:
    match event:
        case Gaussian():
            return [(Step("gaussian", event.sigma / event.sensitivity, "none", 1.0, 1), count)]
        case Laplace():
            return [(Step("laplace", event.scale / event.sensitivity, "none", 1.0, 1), count)]
        case Pure():
            return [(Step("pure", 1.0 / event.epsilon, "none", 1.0, 1), count)]
        case PoissonSampled() | FixedSampled() if isinstance(event.event, Gaussian):
            ((step, _),) = _unfold(event.event, 1)
            kind = "poisson" if isinstance(event, PoissonSampled) else "fixed"
            sampling = "none" if event.rate == 1.0 else kind
            return [(replace(step, sampling=sampling, rate=event.rate), count)]
        case Repeated():
            return _unfold(event.event, count * event.count)
        case Composed():
            return [step for part in event.events for step in _unfold(part, count)]
    raise TypeError(f"{type(event).__name__} is not an event that this accounting knows")


def from_schedule(
    schedule: Schedule, *, rate: float = 1.0, sampling: str = "none", sensitivity: float = 1.0
) -> Composed:
    """Make an event of a schedule of σ on the sum of records clipped to `sensitivity`."""
    one_of("sampling", sampling, SAMPLINGS)
    if sampling == "none" and rate != 1.0:
        raise InvalidInput(f"sampling rate is {as_set(rate)}, but it must be 1 without sampling.")

    def one(sigma: float) -> Event:
        base = Gaussian(sigma, sensitivity)
        if sampling == "poisson":
            return PoissonSampled(rate, base)
        return FixedSampled(rate, base) if sampling == "fixed" else base

    levels = zip(schedule.sigmas, schedule.counts, strict=True)
    return Composed(tuple(Repeated(one(sigma), count) for sigma, count in levels))


USUAL_BATCH = 256


def usual_batch(records: int) -> int:
    """The batch size where nobody chose one, from n alone, which is public.

    256; of fewer records, the largest power of two that is at most half of them.
    """
    if records >= USUAL_BATCH:
        return USUAL_BATCH
    return 1 << max(0, (records // 2).bit_length() - 1)


def steps_per_epoch(records: int, batch: int) -> int:
    """Steps in which each record is used once on average, as trainings take them: ⌈n/batch⌉."""
    return -(-records // batch)


@dataclass(frozen=True)
class TrainingPlan:
    """Settings of a noisy training run, or of repeated noisy sums."""

    sigma: float  # σ₀, absolute noise on the sum of clipped records at the first step
    records: int  # n, public; under add/remove a nominal size
    batch: int  # (expected) records per step
    steps: int
    delta: float
    clip: float = 1.0  # C
    decay: float = 1.0  # R: the variance is multiplied by it each time
    decay_every: int = 1  # steps between two decays: 1, or the steps of an epoch
    sampling: str = "poisson"  # "poisson", "fixed" or "none"
    adjacency: Adjacency = Adjacency.ZERO_OUT
    # Runs like this one of which it is the best, all counted (`dpcore.accounting.choosing`).
    chosen_of: int = 1

    def __post_init__(self) -> None:
        number("σ", self.sigma, above=0.0)
        number("C", self.clip, above=0.0)
        number("δ", self.delta, at_least=SMALLEST_DELTA, below=1.0)
        number("decay R", self.decay, above=0.0, at_most=1.0)
        whole("records", self.records, at_least=1)
        whole("batch size", self.batch, at_least=1, at_most=self.records)
        whole("settings tried", self.chosen_of, at_least=1, at_most=MAX_CHOSEN)
        whole("steps", self.steps, at_least=1, at_most=MAX_STEPS // self.chosen_of)
        whole("decay every", self.decay_every, at_least=1)
        one_of("sampling", self.sampling, ("poisson", "fixed", "none"))

    @property
    def rate(self) -> float:
        """Sampling rate q = batch/records, or 1 without sampling."""
        return 1.0 if self.sampling == "none" else self.batch / self.records

    @property
    def levels(self) -> int:
        """Number of different σ."""
        return 1 if self.decay == 1.0 else -(-self.steps // self.decay_every)

    def noise_on_mean(self) -> TrainingPlan:
        """The plan with its σ on the mean of a batch instead: as many times as much on the sum."""
        return replace(self, sigma=self.sigma * self.batch)

    def schedule(self) -> Schedule:
        """σ_t; a last level that is cut short has only its own steps."""
        remainder = self.steps % self.decay_every
        if self.decay == 1.0:
            return constant(self.sigma, self.steps)
        full = geometric(self.sigma, self.decay, self.levels, self.decay_every)
        if remainder == 0:
            return full
        return Schedule(full.sigmas, (*full.counts[:-1], remainder), full.name)

    def event(self) -> Composed:
        """The event that the run releases, with all that it was chosen among."""
        return self._event(self.schedule())

    def merged(self, levels: int) -> Composed:
        """An approximation with at most `levels` levels of noise: no bound, but fast to account."""
        schedule = self.schedule()
        return self._event(schedule.merged(min(levels, len(schedule.sigmas)), self.clip))

    def _event(self, schedule: Schedule) -> Composed:
        one = from_schedule(schedule, rate=self.rate, sampling=self.sampling, sensitivity=self.clip)
        if self.chosen_of == 1:
            return one
        # Level by level, so that what all have spent after so many steps each can be read off.
        return Composed(tuple(Repeated(part, self.chosen_of) for part in one.events))


ROUNDED_UP = 1.0 + 1e-12
"""Sums and closed forms over up to 10,000,000 equal steps have a smaller rounding error."""


@dataclass(frozen=True)
class Accountant:
    """One way to bound ε.

    Parameters
    ----------
    key, title : str
        Name in commands and on screen.
    covers : callable
        (Step, Adjacency) -> whether there is a theorem for it.
    epsilon : callable
        (steps, delta, adjacency) -> ε, an upper bound.
    source : str
        Reference of the theorem.
    reason : callable, optional
        Explains an infinite `epsilon`, where a condition may be unmet.
    """

    key: str
    title: str
    covers: Callable[[Step, Adjacency], bool]
    epsilon: Callable[[Sequence[Step], float, Adjacency], float]
    source: str
    reason: Callable[[Sequence[Step], float, Adjacency], str] | None = None


def change(adjacency: Adjacency) -> float:
    """How far one record moves a sum of records clipped to 1: 2 under replace-one, otherwise 1."""
    return 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0


def unsampled_gaussian(step: Step, adjacency: Adjacency) -> bool:
    """Whether a step adds Gaussian noise without sampling; under any adjacency."""
    return step.mechanism == "gaussian" and step.sampling == "none"
