"""The settings of a noisy training run, and the event that it releases."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accounting import schedules
from dpcore.accounting.events import Composed, from_schedule
from dpcore.errors import number, one_of, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency

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

    def __post_init__(self) -> None:
        number("σ", self.sigma, above=0.0)
        number("C", self.clip, above=0.0)
        number("δ", self.delta, at_least=SMALLEST_DELTA, below=1.0)
        number("decay R", self.decay, above=0.0, at_most=1.0)
        whole("records", self.records, at_least=1)
        whole("batch size", self.batch, at_least=1, at_most=self.records)
        whole("steps", self.steps, at_least=1, at_most=schedules.MAX_STEPS)
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

    def schedule(self) -> schedules.Schedule:
        """σ_t; a last level that is cut short has only its own steps."""
        remainder = self.steps % self.decay_every
        if self.decay == 1.0:
            return schedules.constant(self.sigma, self.steps)
        full = schedules.geometric(self.sigma, self.decay, self.levels, self.decay_every)
        if remainder == 0:
            return full
        return schedules.Schedule(full.sigmas, (*full.counts[:-1], remainder), full.name)

    def event(self) -> Composed:
        """The event that the run releases."""
        return self._event(self.schedule())

    def merged(self, levels: int) -> Composed:
        """An approximation with at most `levels` levels of noise: no bound, but fast to account."""
        schedule = self.schedule()
        return self._event(schedule.merged(min(levels, len(schedule.sigmas)), self.clip))

    def _event(self, schedule: schedules.Schedule) -> Composed:
        return from_schedule(
            schedule, rate=self.rate, sampling=self.sampling, sensitivity=self.clip
        )
