"""Events: frozen descriptions of releases, without their cost, as input of accountants.

σ is the absolute noise on the sum of records clipped to norm C, whatever the adjacency; the
multiplier is σ/C. An event does not contain the adjacency, which is an argument of the accountant.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

from dpcore.accounting.schedules import Schedule
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.words import as_set

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
