"""Definition of a method; each file in `dpcore/erm/methods/` defines its `METHOD`."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.risk import gaussian_advantage
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput, number, whole
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Described,
    Edition,
    Guarantee,
    PrivacyBudget,
    Status,
    not_in_print,
)
from dpcore.mechanisms.entropy import NoNoise, SystemNoise
from dpcore.progress import Progress, silent
from dpcore.words import spaced

if TYPE_CHECKING:
    from dpcore.accounting.events import Event
    from dpcore.accounting.tradeoff import PrivacyCurve


Array = NDArray[np.floating]

NOISE_STREAM = 0x4E6F6973
"""Any number but 0 (`noise_generator`)."""


@dataclass(frozen=True)
class Settings:
    """Settings a user may override. Each default is a written rule in n, d, ε, δ, never in data.

    Parameters
    ----------
    steps : int, optional
        T; ``None`` for the method's own rule.
    batch : int, optional
        Records per stochastic step; ``None`` for the method's own rule.
    full_length : bool
        Run the published stochastic methods for the paper's T = n² - 1 instead of T = n.
    missing : int
        How many of the people who blur their own records may stay away or reveal their noise
        without breaking the promise; at most all but one.
    """

    steps: int | None = None
    batch: int | None = None
    full_length: bool = False
    missing: int = 0

    def steps_or(self, rule: int) -> int:
        """T as asked for, or by the method's own rule."""
        if self.steps is None:
            return rule
        return whole("steps T", self.steps, at_least=1, at_most=1_000_000)

    def batch_or(self, rule: int, records: int) -> int:
        """Records per step as asked for, or by the method's own rule."""
        if self.batch is None:
            return rule
        return whole("batch size", self.batch, at_least=1, at_most=records)


@dataclass(frozen=True)
class Calibration:
    """Everything decided before noise is drawn, for one method at one requested budget.

    Parameters
    ----------
    method, title : str
        Key and display name.
    edition : Edition
        As published, or sound.
    problem : Problem
        The public description of the task.
    requested : PrivacyBudget
        The requested total (ε, δ), for every method.
    batch : int
        (Expected) records per step; n for full-batch methods.
    claim : Guarantee
        The paper's claim, computed as in the paper.
    proof : Guarantee
        The guarantee of the method's own theorem; empty when a condition is unmet.
    certified : Guarantee
        ε at the proof's or requested δ that an accountant gives for exactly this noise.
    query : str
        The noisy quantity in words; "" without noise.
    sensitivity : float
        Δ used for σ, in the query's units; ``nan`` when there is no noise.
    sigma : float
        Standard deviation per coordinate, in the query's units.
    steps : int
        T.
    learning_rate : float
        Step size η; for inverse-time schedules the factor in front of 1/t or 1/√t.
    sampling : str
        "all" records every step, a "fixed"-size batch without replacement, or "poisson".
    model_noise : float
        Noise of one draw in the units it is applied in: those of w for output perturbation, those
        of the mean gradient for gradient methods.
    conditions : tuple of Condition
        Every hypothesis the method's own guarantee uses, checked.
    status : Status
        The verdict.
    bound_published, bound_sound : float or None
        Explicit upper bounds on the expected excess risk, where a proof gives constants.
    gaussian_mu : float or None
        The release is μ-Gaussian DP for this μ, rounded up, under the problem's adjacency; ``None``
        where its curve is not that of one Gaussian, or nothing holds.
    ridge : float
        Λ, the weight of (Λ/2)‖w‖² beside the *sum* of losses, where the method sets its own; else
        ``nan``.
    output_noise : float
        Additional noise on the weights, of the same kind, in the units of w.
    missing : int
        As in `Settings`, where people blur their own records.
    """

    method: str
    title: str
    edition: Edition
    problem: Problem
    requested: PrivacyBudget
    batch: int
    claim: Guarantee
    proof: Guarantee
    certified: Guarantee
    query: str = ""
    sensitivity: float = math.nan
    sigma: float = 0.0
    steps: int = 1
    learning_rate: float = math.nan
    sampling: str = "all"
    model_noise: float = 0.0
    conditions: tuple[Condition, ...] = ()
    status: Status = Status.NOT_PRIVATE
    bound_published: float | None = None
    bound_sound: float | None = None
    gaussian_mu: float | None = None
    ridge: float = math.nan
    output_noise: float = 0.0
    missing: int = 0


@dataclass(frozen=True)
class Trust:
    """A guarantee and the party it relies on, where records are blurred before they are sent."""

    # the trusted party, and what it is trusted to do: words that follow one another
    whom: str
    to: str
    guarantee: Guarantee


Rule = Callable[[Calibration, Settings], Calibration]


@dataclass(frozen=True, eq=False)
class Training:
    """What models are released from: records, calibrations, and the source of noise.

    Parameters
    ----------
    features, labels : (n, d) array, (n,) array
        As `Problem.check_data` accepts them.
    runs : int
        Independent releases of each calibration.
    seed : int, optional
        ``None`` for the operating system's noise (`noise_generator`).
    noiseless : bool
        Leave the noise out, and change nothing else: for exploration, with a seed.
    """

    problem: Problem
    features: Array
    labels: Array
    calibrations: Sequence[Calibration]
    runs: int
    seed: int | None
    progress: Progress = silent
    noiseless: bool = False

    def check(self) -> None:
        """Refuse to draw noise that was calibrated for another problem, or for other data.

        A training without noise is refused without a seed: nothing of it may be kept.
        """
        if self.noiseless and self.seed is None:
            raise InvalidInput("seed is missing, but a training without noise must have one.")
        if any(calibration.problem != self.problem for calibration in self.calibrations):
            raise InvalidInput("calibrations hold another problem, but must be made for this one.")
        self.problem.check_data(self.features, self.labels)

    @property
    def scales(self) -> Array:
        """The noise of one draw in the units it is applied in, by calibration; (k,)."""
        return np.array([calibration.model_noise for calibration in self.calibrations])

    @property
    def generators(self) -> list[np.random.Generator]:
        """A new generator of noise and batches for each run."""
        return [self.generator(run) for run in range(self.runs)]

    def generator(self, run: int, stream: int = NOISE_STREAM) -> np.random.Generator:
        """A new generator of noise and batches for one run."""
        generator = noise_generator(self.seed, run, stream)
        return NoNoise(generator.bit_generator) if self.noiseless else generator

    def grouped(self, by: Callable[[Calibration], Hashable]) -> list[list[int]]:
        """The places of calibrations that have something in common, in order of appearance."""
        groups: dict[Hashable, list[int]] = {}
        for place, calibration in enumerate(self.calibrations):
            groups.setdefault(by(calibration), []).append(place)
        return list(groups.values())

    def part(self, chosen: Sequence[int], progress: Progress) -> Training:
        """The training of some of the calibrations."""
        some = [self.calibrations[place] for place in chosen]
        return replace(self, calibrations=some, progress=progress)


Release = Callable[[Training], Array]


@dataclass(frozen=True, kw_only=True)
class Method(Described):
    """One way to train, in one or two editions.

    Parameters
    ----------
    key, title, paper, idea, words, editions, limits
        As in `Described`.
    rule : callable
        (draft, settings) -> the draft of a calibration, completed. Pure and cheap; sees public
        values only. A draft adds no noise to full batches, and claims and proves nothing.
    release : callable
        `Training` -> W with shape (calibrations, runs, d). The only step that draws noise. Methods
        that share an engine share this function, and are then trained together in one batch.
    closed_form : bool
        Whether the release is a fixed vector plus Gaussian noise, so that expectations need no
        draws.
    losses : tuple of str
        The losses that it learns and that its proof covers.
    all_classes : bool
        Whether `calibrate` counts the problems of all classes itself (`Problem.parts`); else each
        class gets a share of the budget (`dpcore.erm.one_vs_rest`).
    trust : callable, optional
        (calibration) -> `Trust` by trusted party, the most trust first; for methods that blur
        records before they are sent.
    lam_share : float
        The share of `default_lam` that the sound edition learns with, unless λ is given.
    own_ridge : bool
        Whether it regularises by a Λ of its own, or by stopping early, and needs almost no λ.
    """

    rule: Rule
    release: Release
    closed_form: bool = False
    losses: tuple[str, ...] = MARGIN_LOSSES
    all_classes: bool = False
    trust: Callable[[Calibration], tuple[Trust, ...]] | None = None
    lam_share: float = 1.0
    own_ridge: bool = False

    def refusal(self, loss: str) -> str:
        """Why the method can't learn this loss, in one plain sentence; "" where it can."""
        if loss in self.losses:
            return ""
        learnt = [words for group, words in LEARNS.items() if set(group) & set(self.losses)]
        if loss in RESIDUAL_LOSSES or not set(MARGIN_LOSSES) & set(self.losses):
            return f"{self.title} learns {' and '.join(learnt)} only."
        return f"{self.title} learns with the {' and '.join(self.losses)} loss only."

    def calibrate(
        self,
        problem: Problem,
        epsilons: Sequence[float],
        delta: float,
        edition: Edition,
        settings: Settings,
    ) -> list[Calibration]:
        """One calibration per requested ε. Pure; sees public values only.

        Refused are an ε not above 0, and a δ not strictly between 0 and 1.
        """
        number("delta", delta, above=0.0, below=1.0)
        nothing = Guarantee(None, None, problem.adjacency, "none", "No noise is added.")
        drafts = [
            Calibration(
                method=self.key,
                title=self.title,
                edition=edition,
                problem=problem,
                requested=PrivacyBudget(epsilon, delta),
                batch=problem.records,
                claim=not_in_print(problem.adjacency),
                proof=nothing,
                certified=nothing,
            )
            for epsilon in epsilons
        ]
        return [self.rule(draft, settings) for draft in drafts]


LEARNS = {MARGIN_LOSSES: "to tell two classes apart", RESIDUAL_LOSSES: "to predict a number"}
"""Purpose of the losses, in words."""


NO_PAPER = "Not one of the five papers."

SMALL_LAM = 1 / 64
"""`lam_share` where noise does not grow as λ shrinks: fixed on Bank, Cardio and the cohort."""

COMPLETE_ONLY = (
    "neighbours are tables of complete records; one with a gap is left out of n, and not covered"
)


def data_conditions(problem: Problem) -> tuple[Condition, ...]:
    """The assumptions of every sensitivity here about the data."""
    return (
        Condition("every ‖x‖₂ ≤ 1 (checked again before training)", True),
        Condition(
            f"n = {spaced(problem.records)} is public ({problem.adjacency})",
            problem.adjacency is not Adjacency.ADD_REMOVE,
            "The number of records is itself private, but the sensitivity divides by it.",
        ),
        *([Condition(COMPLETE_ONLY, True)] if problem.complete else []),
    )


def noise_generator(seed: int | None, run: int, stream: int = NOISE_STREAM) -> np.random.Generator:
    """The generator of one run's noise and batches.

    Without a seed the noise is the operating system's, for release; a seed gives the noise away.
    Each has a stream apart from plain `seed`, from which data are made up and split.
    """
    if seed is None:
        return SystemNoise()
    return np.random.default_rng([seed, run, stream])


SAMPLED = ("poisson", "fixed")
"""Of a calibration's `sampling`, those that draw batches; a public order draws nothing."""


def noise_advantage(calibration: Calibration) -> float | None:
    """The largest TPR - FPR that the noise itself allows; ``None`` where its law is not known."""
    if calibration.gaussian_mu is not None:
        return gaussian_advantage(calibration.gaussian_mu)
    event = _sampled(calibration)
    return None if event is None else _advantage(event, calibration.problem.adjacency)


def privacy_curve(calibration: Calibration) -> PrivacyCurve | None:
    """The exact limits of an attack against this noise, tighter than its (ε, δ).

    Gaussian DP for one Gaussian or for adaptive full-batch steps; privacy loss distributions for
    steps on sampled batches. ``None`` for noise outside an accountant's range, and where nothing is
    certified.
    """
    from dpcore.accounting.tradeoff import from_event, from_gaussian

    adjacency = calibration.problem.adjacency
    if calibration.gaussian_mu is not None:
        return from_gaussian(calibration.gaussian_mu, adjacency)
    event = _sampled(calibration)
    try:
        return None if event is None else from_event(event, adjacency)
    except InvalidInput:
        return None


@lru_cache(maxsize=1_024)
def _advantage(event: Event, adjacency: Adjacency) -> float | None:
    # A sweep asks for the same ones at each of its steps.
    from dpcore.accounting.tradeoff import advantage, from_event

    try:
        return advantage(from_event(event, adjacency))
    except InvalidInput:
        return None


def _sampled(calibration: Calibration) -> Event | None:
    """What steps on sampled batches release; ``None`` of other noise, and where none is proved."""
    if calibration.certified.epsilon is None or calibration.sampling not in SAMPLED:
        return None
    from dpcore.accounting.events import FixedSampled, Gaussian, PoissonSampled, Repeated

    sampled = PoissonSampled if calibration.sampling == "poisson" else FixedSampled
    rate = calibration.batch / calibration.problem.records
    # σ on the sum of a batch, whatever multiple of it the query is.
    batch_sigma = calibration.model_noise * calibration.batch
    queries = calibration.steps * calibration.problem.parts
    try:
        noise = Gaussian(batch_sigma, calibration.problem.computed_lipschitz(queries))
        return Repeated(sampled(rate, noise), queries)
    except InvalidInput:
        return None
