"""A run of noisy steps, as the front door's questions take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.errors import number, one_of, whole
from dpcore.guarantee import Adjacency

if TYPE_CHECKING:
    from dpcore.accounting.events import Composed


@dataclass(frozen=True)
class Run:
    """A run of noisy steps: the release itself, without its cost.

    Parameters
    ----------
    noise_multiplier : float
        σ₀/C of the first step: noise on the sum of records that are clipped to C, whatever the
        adjacency.
    sampling_rate : float
        q in (0, 1], the share of the records in a step; 1 for all of them.
    steps : int
        T.
    adjacency : str
        "zero-out", "replace-one", or "add-remove" where q and T come from a public size.
    sampling : str
        "poisson": every record with probability q; "fixed": a batch of a fixed size.
    decay : float
        R in (0, 1]: the *variance* of the noise is multiplied by it each time; 1 for equal steps.
    decay_every : int
        Steps between two decays.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> run = dpcore.Run(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
    >>> round(dpcore.epsilon(run, delta=1e-5), 3)
    1.516
    """

    noise_multiplier: float
    sampling_rate: float = 1.0
    steps: int = 1
    adjacency: str = "zero-out"
    sampling: str = "poisson"
    decay: float = 1.0
    decay_every: int = 1

    def __post_init__(self) -> None:
        read: dict[str, float] = {}
        for field, least, most in (("noise_multiplier", 1e-8, 1e10), ("sampling_rate", 1e-12, 1.0)):
            read[field] = number(field, getattr(self, field), at_least=least, at_most=most)
        read["steps"] = whole("steps", self.steps, at_least=1, at_most=10_000_000)
        one_of("adjacency", self.adjacency, tuple(Adjacency))
        one_of("sampling", self.sampling, ("poisson", "fixed"))
        read["decay"] = number("decay", self.decay, above=0.0, at_most=1.0)
        every = whole("decay_every", self.decay_every, at_least=1, at_most=10_000_000)
        for field, value in (read | {"decay_every": every}).items():
            object.__setattr__(self, field, value)

    def event(self) -> Composed:
        """The release as an event for accountants."""
        from dpcore.accounting.events import from_schedule
        from dpcore.accounting.training_plan import TrainingPlan

        # A plan of anything with this noise: only its schedule is used.
        plan = TrainingPlan(
            self.noise_multiplier, 1, 1, self.steps, 0.5, 1.0, self.decay, self.decay_every
        )
        sampling = "none" if self.sampling_rate == 1.0 else self.sampling
        return from_schedule(plan.schedule(), rate=self.sampling_rate, sampling=sampling)
