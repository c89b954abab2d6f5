"""The accountants inverted: which σ, how many steps, which batch, which δ for a target ε.

Each answer is taken from the side where ε, which is monotone, stays within the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpcore.accounting import schedules
from dpcore.accounting.accountants import ACCOUNTANTS, certify, certify_along, refusal
from dpcore.accounting.events import steps
from dpcore.accounting.root_search import RELATIVE_ERROR, Search, boundary, most, near
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Guarantee
from dpcore.progress import Progress, silent
from dpcore.rounding import lowered, raised
from dpcore.words import as_set, plain, spaced

UNKNOWNS = ("epsilon", "sigma", "steps", "epochs", "batch", "delta", "clip")
WHOLE = ("steps", "epochs", "batch")

LARGEST, MIN = 1e8, 1e-2
"""Range of noise multipliers in which σ and C are searched for."""

USUAL_TRIES = 6
ROUGH_LEVELS = 64
"""Levels of noise that replace more than four times as many in the first, rough search."""


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
    progress: Progress | None = None,
) -> Guarantee:
    """ε of the run by one accountant."""
    if progress is None or accountant != "pld":
        return certify(training.event(), training.delta, training.adjacency, accountant)
    return spent_along(
        training, [training.steps], lambda share: progress(share, "composing the steps")
    )[0]


def spent_along(
    training: TrainingPlan, marks: Sequence[int], progress: Callable[[float], None] = silent
) -> list[Guarantee]:
    """PLD's guarantees after each of `marks` steps of the run, ascending."""
    # Each part separately: merging across the run would lose the order of the steps.
    parts = [step for part in training.event().events for step in steps(part)]
    return certify_along(parts, marks, training.delta, training.adjacency, progress)


def solve(
    unknown: str,
    training: TrainingPlan,
    target: float,
    accountant: str,
    progress: Progress = silent,
) -> Plan:
    """The value of one setting for which the run stays within a target ε, all others fixed.

    Parameters
    ----------
    unknown : str
        One of `UNKNOWNS`; the field of that name in `training` is where the search begins. Epochs
        are whole ones.
    training : TrainingPlan
        The run; all else in it stays.
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
        The least noise, most steps or epochs, largest batch, least δ or largest C within the
        target. σ, δ and C are within `RELATIVE_ERROR` of the best that the accountant allows, and
        always on the safe side: the answer's guarantee is for exactly the value returned.

    Raises
    ------
    InvalidInput
        If `unknown` is not one of them, the target is not positive, or the batch is unknown where
        nothing is sampled.
    """
    one_of("unknown", unknown, UNKNOWNS)
    if unknown == "epsilon":
        guarantee = spent(training, accountant)
        sentence = _sentence(unknown, guarantee.epsilon, guarantee)
        return Plan(unknown, guarantee.epsilon, training, guarantee, sentence)
    target = number("ε", target, above=0.0)
    if unknown == "epochs":
        return _epochs(training, target, accountant, progress)
    if unknown == "batch" and training.sampling == "none":
        raise InvalidInput(
            "sampling is none, but to solve for the batch it must be poisson or fixed."
        )

    def unreachable(reason: str) -> Plan:
        by = ACCOUNTANTS[accountant].title
        empty = Guarantee(None, None, training.adjacency, by, reason)
        return Plan(unknown, None, None, empty, reason)

    # One step decides whether there is a theorem; later noise may decay beyond any limit.
    first = replace(training, steps=1).event()
    if reason := refusal(first, training.adjacency, accountant):
        return unreachable(reason)

    tries = 0
    guarantees: dict[float, Guarantee] = {}

    def epsilon(value: float) -> float:
        nonlocal tries
        # The number of tries is not known beforehand.
        progress(tries / (tries + USUAL_TRIES), f"try {tries + 1}")
        tries += 1
        try:
            guarantees[value] = spent(_with(training, unknown, value), accountant)
        except InvalidInput:  # noise decayed beyond the limits of a schedule or a step
            return math.inf
        return guarantees[value].bound

    def rough(value: float, by: str) -> float:
        progress(0.0, "coming near")
        settings = _with(training, unknown, value)
        try:
            coarse, fine = (
                certify(settings.merged(levels), settings.delta, settings.adjacency, by).bound
                for levels in (ROUGH_LEVELS // 2, ROUGH_LEVELS)
            )
        except InvalidInput:
            return math.inf
        # The effect of merging on ε falls with the square of the number of levels.
        return fine + (fine - coarse) / 3.0 if 0.0 < coarse < math.inf else fine

    if unknown == "steps":
        value = most(epsilon, target, training.steps, schedules.MAX_STEPS)
    elif unknown == "batch":
        value = most(epsilon, target, training.batch, training.records)
    else:
        start, safe, other = _limits(unknown, training)
        # δ may be hundreds of powers of ten away, and every try costs about the same.
        search = Search(safe, other, 2.0 if unknown == "delta" else 1.0)
        if accountant == "pld" and training.levels > 4 * ROUGH_LEVELS:
            by_renyi = not refusal(first, training.adjacency, "rdp")
            start, search = near(rough, target, start, search, by_renyi)
        value = boundary(epsilon, target, start, search)
    if value is None:
        return unreachable(
            f"No {NAMES[unknown]} reaches ε = {as_set(target)} with the other settings as they "
            f"are, by {ACCOUNTANTS[accountant].title}."
        )
    sentence = _sentence(unknown, value, guarantees[value])
    return Plan(unknown, value, _with(training, unknown, value), guarantees[value], sentence)


def fit(
    training: TrainingPlan, target: float, accountant: str, progress: Progress = silent
) -> Plan:
    """More noise, or where no noise is enough fewer epochs, so that the run keeps the target."""
    noise = solve("sigma", training, target, accountant, progress)
    return noise if noise.value else solve("epochs", training, target, accountant, progress)


def _epochs(training: TrainingPlan, target: float, accountant: str, progress: Progress) -> Plan:
    per_epoch = steps_per_epoch(training.records, training.batch)
    plan = solve("steps", training, target, accountant, progress)
    if plan.value is None:
        sentence = plan.sentence.replace(NAMES["steps"], NAMES["epochs"])
        return replace(plan, unknown="epochs", sentence=sentence)
    epochs = round(plan.value) // per_epoch
    if epochs == 0:
        sentence = (
            f"Not even one epoch of {counted(per_epoch)} stays within ε = {as_set(target)}; "
            f"{counted(round(plan.value))} would."
        )
        by, adjacency = plan.guarantee.by, plan.guarantee.adjacency
        return Plan("epochs", None, None, Guarantee(None, None, adjacency, by, sentence), sentence)
    shorter = replace(training, steps=epochs * per_epoch)
    guarantee = spent(shorter, accountant)
    assert guarantee.epsilon is not None  # that of more steps was found
    sentence = (
        f"{NAMES['epochs']} = {spaced(epochs)} of {counted(per_epoch)}: "
        f"{_spends(guarantee.epsilon, guarantee)}"
    )
    return Plan("epochs", float(epochs), shorter, guarantee, sentence)


def counted(steps: int) -> str:
    """A number of steps in words."""
    return f"{spaced(steps)} step{'' if steps == 1 else 's'}"


def to_set(plan: Plan, digits: int = 5) -> TrainingPlan | None:
    """The answer's settings in few digits for a control: σ and δ rounded up, C down."""
    if plan.training is None or plan.value is None:
        return None
    if plan.unknown not in ("sigma", "delta", "clip"):
        return plan.training
    return _with(plan.training, plan.unknown, _safely(plan.unknown, plan.value, digits))


def _safely(unknown: str, value: float, digits: int) -> float:
    return (lowered if unknown == "clip" else raised)(value, digits)


def precision(plan: Plan) -> str:
    """How far the answer may be from the best one, in one sentence; empty where there is none."""
    if plan.value is None or plan.training is None or plan.unknown == "epsilon":
        return ""
    steps = plan.value if plan.unknown == "steps" else plan.training.steps
    per_epoch = steps_per_epoch(plan.training.records, plan.training.batch)
    more = 1 if plan.unknown == "steps" else per_epoch
    if plan.unknown in ("steps", "epochs") and steps + more > schedules.MAX_STEPS:
        return "That is as many steps as are planned for here; more may fit."
    if plan.unknown == "batch" and plan.value >= plan.training.records:
        return "That is every record in each step."
    if plan.unknown in WHOLE:
        return "That is the most this accountant allows: one more would exceed the target."
    return f"Within {RELATIVE_ERROR:.2%} of the best value for this accountant, on the safe side."


def _limits(unknown: str, training: TrainingPlan) -> tuple[float, float, float]:
    """The start of the search, and the safest and the boldest value that it may return."""
    if unknown == "delta":
        return training.delta, 0.999, SMALLEST_DELTA
    if unknown == "clip":
        return training.clip, training.sigma / LARGEST, training.sigma / MIN
    return training.sigma, LARGEST * training.clip, MIN * training.clip


NAMES = {
    "epsilon": "ε",
    "sigma": "noise σ",
    "steps": "number of steps",
    "epochs": "number of epochs",
    "batch": "batch size",
    "delta": "δ",
    "clip": "clipping norm C",
}


def _sentence(unknown: str, value: float | None, guarantee: Guarantee) -> str:
    if value is None or guarantee.epsilon is None:
        return guarantee.reason
    spends = _spends(guarantee.epsilon, guarantee)
    if unknown == "epsilon":
        return spends
    shown = spaced(round(value)) if unknown in WHOLE else plain(_safely(unknown, value, 4), 4)
    return f"{NAMES[unknown]} = {shown}: {spends}"


def _spends(epsilon: float, guarantee: Guarantee) -> str:
    delta = _safely("delta", guarantee.delta or 0.0, 4)
    return (
        f"ε = {plain(_safely('epsilon', epsilon, 4), 4)} at δ = {plain(delta, 4)} "
        f"({guarantee.by}, {guarantee.adjacency})."
    )


def _with(training: TrainingPlan, unknown: str, value: float) -> TrainingPlan:
    changes: dict[str, Any] = {unknown: round(value) if unknown in WHOLE else float(value)}
    return replace(training, **changes)
