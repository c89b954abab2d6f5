"""The accountants inverted: which σ, how many steps, which batch, which δ for a target ε.

ε is monotone in every quantity here, so each answer is a root of a monotone function, computed by
bisection and always taken from the side where ε stays within the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from dpcore.accounting import schedules
from dpcore.accounting.accountants import ACCOUNTANTS, certify, certify_along, refusal
from dpcore.accounting.events import Composed, from_schedule, steps
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee

UNKNOWNS = ("epsilon", "sigma", "steps", "batch", "delta", "clip")
RELATIVE_ERROR = 1e-4
"""Tolerance for σ, δ or C: the answer is at most this far from the exact one, on the safe side."""

LARGEST, LEAST = 1e8, 1e-2
"""Range of noise multipliers in which σ and C are searched for."""

USUAL_TRIES = 6
FIRST_STRIDE = math.log(4.0)
ROUGH_LEVELS = 64
"""Levels of noise that replace more than four times as many in the first, rough search."""


@dataclass(frozen=True)
class TrainingPlan:
    """Settings of a noisy training run, or of repeated noisy sums.

    Parameters
    ----------
    sigma : float
        σ₀, absolute noise on the sum of clipped records at the first step.
    records : int
        n, which is public; under add/remove a public nominal size instead.
    batch : int
        (Expected) records per step.
    steps : int
        T.
    delta : float
    clip : float
        C, the norm each record is clipped to.
    decay : float
        R: the variance is multiplied by it each time; 1 for constant noise.
    decay_every : int
        Steps between two decays: 1, or the steps of an epoch.
    sampling : str
        "poisson", "fixed" or "none".
    adjacency : Adjacency
    """

    sigma: float
    records: int
    batch: int
    steps: int
    delta: float
    clip: float = 1.0
    decay: float = 1.0
    decay_every: int = 1
    sampling: str = "poisson"
    adjacency: Adjacency = Adjacency.ZERO_OUT

    def __post_init__(self) -> None:
        number("σ", self.sigma, above=0.0)
        number("C", self.clip, above=0.0)
        number("δ", self.delta, at_least=SMALLEST_DELTA, below=1.0)
        number("decay R", self.decay, above=0.0, at_most=1.0)
        whole("records", self.records, at_least=1)
        whole("batch size", self.batch, at_least=1, at_most=self.records)
        whole("steps", self.steps, at_least=1, at_most=schedules.MOST_STEPS)
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


@dataclass(frozen=True)
class Plan:
    """An answer, with the settings that reach it.

    Parameters
    ----------
    unknown : str
        The quantity that was solved for.
    value : float or None
        ``None`` when the target cannot be reached.
    training : TrainingPlan or None
        The settings with the answer.
    guarantee : Guarantee
        The accountant's guarantee for them.
    sentence : str
        The answer in words.
    """

    unknown: str
    value: float | None
    training: TrainingPlan | None
    guarantee: Guarantee
    sentence: str


def spent(
    training: TrainingPlan,
    accountant: str,
    progress: Callable[[float, str], None] | None = None,
) -> Guarantee:
    """ε of the run by one accountant.

    Parameters
    ----------
    training : TrainingPlan
    accountant : str
        Key of an accountant.
    progress : callable, optional
        Called with (fraction done, message) where the accountant is slow (PLD); an exception it
        raises ends the computation. The answer is the same.
    """
    if progress is None or accountant != "pld":
        return certify(training.event(), training.delta, training.adjacency, accountant)
    parts = [step for part in training.event().events for step in steps(part)]
    (guarantee,) = certify_along(
        parts,
        (training.steps,),
        training.delta,
        training.adjacency,
        lambda share: progress(share, "composing the steps"),
    )
    return guarantee


def solve(
    unknown: str,
    training: TrainingPlan,
    target: float,
    accountant: str,
    progress: Callable[[float, str], None] | None = None,
) -> Plan:
    """The value of one setting for which the run stays within a target ε, all others fixed.

    Parameters
    ----------
    unknown : str
        One of `UNKNOWNS`; the field of that name in `training` is where the search begins.
    training : TrainingPlan
    target : float
        ε, above 0; not used when `unknown` is "epsilon".
    accountant : str
        Key of an accountant that covers the sampling and adjacency.
    progress : callable, optional
        Called with (fraction done, message) before each try; an exception it raises ends the
        search.

    Returns
    -------
    Plan
        The least noise, most steps, largest batch, least δ or largest C within the target. σ, δ and
        C are within `RELATIVE_ERROR` of the best that the accountant allows, and always on the safe
        side: the answer's guarantee is for exactly the value returned.

    Raises
    ------
    InvalidInput
        If `unknown` is not one of them, the target is not positive, or the batch is unknown where
        nothing is sampled.
    """
    one_of("unknown", unknown, UNKNOWNS)
    if unknown == "epsilon":
        guarantee = spent(training, accountant)
        return Plan(
            unknown,
            guarantee.epsilon,
            training,
            guarantee,
            _sentence(unknown, guarantee.epsilon, guarantee),
        )
    target = number("ε", target, above=0.0)
    if unknown == "batch" and training.sampling == "none":
        raise InvalidInput(
            "sampling is none, but to solve for the batch it must be poisson or fixed."
        )
    # One step decides whether there is a theorem; later noise may decay beyond any limit.
    first = replace(training, steps=1).event()
    if reason := refusal(first, training.adjacency, accountant):
        empty = Guarantee(None, None, training.adjacency, ACCOUNTANTS[accountant].title, reason)
        return Plan(unknown, None, None, empty, reason)

    tries = 0
    guarantees: dict[float, Guarantee] = {}

    def report(share: float, message: str) -> None:
        if progress is not None:
            progress(share, message)

    def epsilon(value: float) -> float:
        nonlocal tries
        # The number of tries is not known beforehand.
        report(tries / (tries + USUAL_TRIES), f"try {tries + 1}")
        tries += 1
        try:
            guarantees[value] = spent(_with(training, unknown, value), accountant)
        except InvalidInput:  # noise decayed beyond the limits of a schedule or a step
            return math.inf
        return _finite(guarantees[value])

    def rough(value: float, by: str) -> float:
        report(0.0, "coming near")
        settings = _with(training, unknown, value)
        try:
            coarse, fine = (
                _finite(certify(settings.merged(levels), settings.delta, settings.adjacency, by))
                for levels in (ROUGH_LEVELS // 2, ROUGH_LEVELS)
            )
        except InvalidInput:
            return math.inf
        # The effect of merging on ε falls with the square of the number of levels.
        return fine + (fine - coarse) / 3.0 if 0.0 < coarse < math.inf else fine

    if unknown in ("steps", "batch"):
        top = schedules.MOST_STEPS if unknown == "steps" else training.records
        begin = training.steps if unknown == "steps" else training.batch
        value = _most(epsilon, target, begin, top)
    else:
        start, safe, other = _limits(unknown, training)
        # δ may be hundreds of powers of ten away, and every try costs about the same.
        search = _Search(safe, other, 2.0 if unknown == "delta" else 1.0)
        if accountant == "pld" and training.levels > 4 * ROUGH_LEVELS:
            start, search = _near(
                rough, target, start, search, not refusal(first, training.adjacency, "rdp")
            )
        value = _edge(epsilon, target, start, search)
    if value is None:
        by = ACCOUNTANTS[accountant].title
        sentence = (
            f"No {NAMES[unknown]} reaches ε = {target:g} with the other settings as they are, "
            f"by {by}."
        )
        empty = Guarantee(None, None, training.adjacency, by, sentence)
        return Plan(unknown, None, None, empty, sentence)
    guarantee = guarantees[value]
    return Plan(
        unknown,
        value,
        _with(training, unknown, value),
        guarantee,
        _sentence(unknown, value, guarantee),
    )


def to_set(plan: Plan, digits: int = 5) -> TrainingPlan | None:
    """The answer's settings with σ, δ and C in few digits, as a control can hold them.

    σ and δ are rounded up and C down, so that ε can only decrease.
    """
    if plan.training is None or plan.value is None:
        return None
    if plan.unknown not in ("sigma", "delta", "clip"):
        return plan.training
    return _with(plan.training, plan.unknown, _safely(plan.unknown, plan.value, digits))


def _safely(unknown: str, value: float, digits: int) -> float:
    """Round to `digits` significant digits: C down, all else up."""
    rounding = ROUND_FLOOR if unknown == "clip" else ROUND_CEILING
    return float(Context(prec=digits, rounding=rounding).create_decimal(repr(float(value))))


def precision(plan: Plan) -> str:
    """How far the answer may be from the best one, in one sentence; empty where there is none."""
    if plan.value is None or plan.training is None or plan.unknown == "epsilon":
        return ""
    if plan.unknown == "steps" and plan.value >= schedules.MOST_STEPS:
        return "That is as many steps as are planned for here; more may fit."
    if plan.unknown == "batch" and plan.value >= plan.training.records:
        return "That is every record in each step."
    if plan.unknown in ("steps", "batch"):
        return "That is the most this accountant allows: one more would exceed the target."
    return f"Within {RELATIVE_ERROR:.2%} of the best value for this accountant, on the safe side."


def _limits(unknown: str, training: TrainingPlan) -> tuple[float, float, float]:
    """The start of the search, and the safest and the boldest value that it may return."""
    if unknown == "delta":
        return training.delta, 0.999, SMALLEST_DELTA
    if unknown == "clip":
        return training.clip, training.sigma / LARGEST, training.sigma / LEAST
    return training.sigma, LARGEST * training.clip, LEAST * training.clip


NAMES = {
    "epsilon": "ε",
    "sigma": "noise σ",
    "steps": "number of steps",
    "batch": "batch size",
    "delta": "δ",
    "clip": "clipping norm C",
}


def _sentence(unknown: str, value: float | None, guarantee: Guarantee) -> str:
    if value is None or guarantee.epsilon is None:
        return guarantee.reason
    delta = _safely("delta", guarantee.delta or 0.0, 4)
    spends = (
        f"ε = {_safely('epsilon', guarantee.epsilon, 4):.4g} at δ = {delta:.4g} "
        f"({guarantee.by}, {guarantee.adjacency})."
    )
    if unknown == "epsilon":
        return spends
    whole = unknown in ("steps", "batch")
    shown = f"{value:,.0f}" if whole else f"{_safely(unknown, value, 4):.4g}"
    return f"{NAMES[unknown]} = {shown}: {spends}"


def _with(training: TrainingPlan, unknown: str, value: float) -> TrainingPlan:
    changes: dict[str, Any] = {
        unknown: round(value) if unknown in ("steps", "batch") else float(value)
    }
    return replace(training, **changes)


def _finite(guarantee: Guarantee) -> float:
    return math.inf if guarantee.epsilon is None else guarantee.epsilon


@dataclass(frozen=True)
class _Search:
    """The range of a search, and its method.

    `stride` is the first step from the start, in logarithms; each next stride is the last one times
    `widening`.
    """

    safe: float
    other: float
    widening: float
    stride: float = FIRST_STRIDE
    tolerance: float = RELATIVE_ERROR


def _near(
    rough: Callable[[float, str], float], target: float, start: float, search: _Search, renyi: bool
) -> tuple[float, _Search]:
    """A start from which a search by PLD ends after two tries, one on either side of the answer.

    `rough` gives an approximate ε by an accountant; Rényi's, where it applies, takes milliseconds.
    """
    if renyi:
        start = _edge(lambda value: rough(value, "rdp"), target, start, search) or start
        search = replace(search, stride=0.05, widening=2.0)
    fine = replace(search, tolerance=0.1 * RELATIVE_ERROR)
    near = _edge(lambda value: rough(value, "pld"), target, start, fine)
    if near is None:
        return start, search
    safer = math.copysign(0.45 * RELATIVE_ERROR, math.log(search.safe / search.other))
    return near * math.exp(safer), replace(search, stride=0.9 * RELATIVE_ERROR, widening=2.0)


def _edge(
    epsilon: Callable[[float], float], target: float, start: float, search: _Search
) -> float | None:
    """The value nearest to `other` with ε ≤ target, to `tolerance`; from the safe side.

    The bracket grows from `start` in strides, so that extreme values, slow to account for, are
    tried only when the answer lies there. It closes by the secant on ln ε against the logarithm of
    the value, bisecting where that is slow; the safe end has always been checked itself.
    """
    up = math.copysign(search.stride, math.log(search.safe / search.other))
    log_safe, log_other = math.log(search.safe), math.log(search.other)

    def gap(log_value: float) -> float:
        return _gap(epsilon(math.exp(log_value)), target)

    def clipped(log_value: float) -> float:
        return min(max(log_value, min(log_safe, log_other)), max(log_safe, log_other))

    good = bad = clipped(math.log(start))
    good_gap = bad_gap = gap(good)
    if good_gap <= 0.0:
        while bad_gap <= 0.0:
            good, good_gap, bad = bad, bad_gap, clipped(bad - up)
            up *= search.widening
            if good == bad:
                return math.exp(good)
            bad_gap = gap(bad)
    else:
        while good_gap > 0.0:
            bad, bad_gap, good = good, good_gap, clipped(good + up)
            up *= search.widening
            if good == bad:
                return None
            good_gap = gap(good)
    halve = False
    while abs(good - bad) > search.tolerance:
        share = 0.5 if halve else good_gap / (good_gap - bad_gap)
        # A little beyond the secant's root on the safe side, so that the safe end moves too.
        point = good + (bad - good) * min(max(share, 0.02), 0.98)
        point += math.copysign(0.3 * search.tolerance, good - bad)
        width = abs(good - bad)
        point_gap = gap(point)
        if point_gap <= 0.0:
            good, good_gap = point, point_gap
        else:
            bad, bad_gap = point, point_gap
        halve = abs(good - bad) > 0.5 * width
    return math.exp(good)


def _most(epsilon: Callable[[float], float], target: float, start: int, top: int) -> float | None:
    """The largest whole number up to `top` with ε ≤ target; the search begins at `start`."""
    low, low_gap, high, high_gap = 0, -1.0, min(start, top), 0.0
    high_gap = _gap(epsilon(high), target)
    while high_gap <= 0.0:
        low, low_gap = high, high_gap
        if low == top:
            return float(top)
        high = min(2 * high, top)
        high_gap = _gap(epsilon(high), target)
    halve = low == 0
    while high - low > 1:
        share = 0.5 if halve else low_gap / (low_gap - high_gap)
        # Secant step; bisection where that is slow.
        middle = low + round((high - low) * min(max(share, 0.02), 0.98))
        middle = min(max(middle, low + 1), high - 1)
        width, middle_gap = high - low, _gap(epsilon(middle), target)
        if middle_gap <= 0.0:
            low, low_gap = middle, middle_gap
        else:
            high, high_gap = middle, middle_gap
        halve = low == 0 or high - low > width // 2
    return float(low) if low else None


def _gap(epsilon: float, target: float) -> float:
    """ln(ε/target), kept finite."""
    if 0.0 < epsilon < math.inf:
        return math.log(epsilon / target)
    return -50.0 if epsilon == 0.0 else 50.0
