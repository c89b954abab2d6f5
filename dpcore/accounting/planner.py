"""The accountants inverted: which σ, how many steps, which batch, which δ for a target.

The target is an ε, or a risk by the trade-off function of the noise itself. Each answer is taken
from the side where it, which is monotone, stays within the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpcore.accounting import events
from dpcore.accounting.accountants import ACCOUNTANTS, certify, certify_along, refusal
from dpcore.accounting.events import TrainingPlan, steps, steps_per_epoch
from dpcore.accounting.risk_target import RiskTarget
from dpcore.accounting.root_search import RELATIVE_ERROR, Search, boundary, most, near
from dpcore.accounting.tradeoff import from_event
from dpcore.errors import InvalidInput, number, one_of, reject
from dpcore.guarantee import SMALLEST_DELTA, Guarantee
from dpcore.progress import Progress, silent
from dpcore.words import as_set, lowered, plain, raised, spaced

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
    """PLD's guarantees after each of `marks` steps of the run, ascending.

    A run that is the best of several counts with all of them, each after as many steps.
    """
    # Each part separately: merging across the run would lose the order of the steps.
    parts = [step for part in training.event().events for step in steps(part)]
    every = [mark * training.chosen_of for mark in marks]
    return certify_along(parts, every, training.delta, training.adjacency, progress)


def solve(
    unknown: str,
    training: TrainingPlan,
    target: float | RiskTarget,
    accountant: str,
    progress: Progress = silent,
) -> Plan:
    """The value of one setting for which the run stays within a target, all others fixed.

    Parameters
    ----------
    unknown : str
        One of `UNKNOWNS`; the field of that name in `training` is where the search begins. Epochs
        are whole ones.
    training : TrainingPlan
        The run; all else in it stays.
    target : float or RiskTarget
        ε, above 0; not used when `unknown` is "epsilon". For a risk, "epsilon" is that of the run
        with the least noise that keeps it, and δ is not to be solved for.
    accountant : str
        Key of an accountant that covers the sampling and adjacency; it certifies ε. A risk is by
        the noise's own curve: exact Gaussian DP, or PLD.
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
    by_risk = isinstance(target, RiskTarget)
    if by_risk and unknown == "delta":
        raise reject("unknown", unknown, "another one: a risk does not depend on δ")
    if unknown == "epsilon" and by_risk:
        plan = solve(_searched(unknown), training, target, accountant, progress)
        return replace(plan, unknown=unknown, value=plan.guarantee.epsilon)
    if unknown == "epsilon":
        guarantee = spent(training, accountant)
        sentence = _sentence(unknown, guarantee.epsilon, guarantee)
        return Plan(unknown, guarantee.epsilon, training, guarantee, sentence)
    limit = target.gain if isinstance(target, RiskTarget) else number("ε", target, above=0.0)
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
    for key in (accountant, "pld") if by_risk else (accountant,):
        if reason := refusal(first, training.adjacency, key):
            return unreachable(reason)

    tries = 0
    guarantees: dict[float, Guarantee] = {}

    def reached(value: float) -> float:
        nonlocal tries
        # The number of tries is not known beforehand.
        progress(tries / (tries + USUAL_TRIES), f"try {tries + 1}")
        tries += 1
        settings = _with(training, unknown, value)
        try:
            if isinstance(target, RiskTarget):
                return target.reached(from_event(settings.event(), settings.adjacency))
            guarantees[value] = spent(settings, accountant)
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
        value = most(reached, limit, training.steps, _most_steps(training))
    elif unknown == "batch":
        value = most(reached, limit, training.batch, training.records)
    else:
        start, safe, other = _limits(unknown, training)
        # δ may be hundreds of powers of ten away, and every try costs about the same.
        search = Search(safe, other, 2.0 if unknown == "delta" else 1.0)
        if accountant == "pld" and training.levels > 4 * ROUGH_LEVELS and not by_risk:
            by_renyi = not refusal(first, training.adjacency, "rdp")
            start, search = near(rough, limit, start, search, by_renyi)
        value = boundary(reached, limit, start, search)
    if value is None:
        return unreachable(
            f"No {NAMES[unknown]} reaches {_said(target)} with the other settings as they "
            f"are, by {ACCOUNTANTS['pld' if by_risk else accountant].title}."
        )
    solved = _with(training, unknown, value)
    guarantee = guarantees.get(value) or spent(solved, accountant)
    sentence = _kept(_sentence(unknown, value, guarantee), target)
    return Plan(unknown, value, solved, guarantee, sentence)


def through_budget(
    unknown: str,
    training: TrainingPlan,
    target: RiskTarget,
    accountant: str,
    progress: Progress = silent,
) -> Plan | None:
    """The answer by an (ε, δ) that alone keeps the risk, at the run's δ; ``None`` of no ε."""
    epsilon = target.epsilon_alone(training.delta)
    if epsilon is None:
        return None
    return solve(_searched(unknown), training, epsilon, accountant, progress)


def saving(plan: Plan, through: Plan | None) -> float | None:
    """How many times the noise `through_budget` takes; of other unknowns, how much less of them."""
    if plan.training is None or through is None or through.training is None:
        return None
    name = "steps" if plan.unknown == "epochs" else _searched(plan.unknown)
    ratio: float = getattr(plan.training, name) / getattr(through.training, name)
    return 1.0 / ratio if name == "sigma" else ratio


def _searched(unknown: str) -> str:
    return "sigma" if unknown == "epsilon" else unknown


def _kept(sentence: str, target: float | RiskTarget) -> str:
    """The sentence with the risk that is kept."""
    if isinstance(target, RiskTarget):
        return f"{sentence.removesuffix('.')}, and {target.words}."
    return sentence


def _said(target: float | RiskTarget) -> str:
    if isinstance(target, RiskTarget):
        return f"the target that {target.words}"
    return f"ε = {as_set(target)}"


def fit(
    training: TrainingPlan, target: float, accountant: str, progress: Progress = silent
) -> Plan:
    """More noise, or where no noise is enough fewer epochs, so that the run keeps the target."""
    noise = solve("sigma", training, target, accountant, progress)
    return noise if noise.value else solve("epochs", training, target, accountant, progress)


def _epochs(
    training: TrainingPlan, target: float | RiskTarget, accountant: str, progress: Progress
) -> Plan:
    per_epoch = steps_per_epoch(training.records, training.batch)
    plan = solve("steps", training, target, accountant, progress)
    if plan.value is None:
        sentence = plan.sentence.replace(NAMES["steps"], NAMES["epochs"])
        return replace(plan, unknown="epochs", sentence=sentence)
    epochs = round(plan.value) // per_epoch
    if epochs == 0:
        sentence = (
            f"Not even one epoch of {counted(per_epoch)} stays within {_said(target)}; "
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
    return Plan("epochs", float(epochs), shorter, guarantee, _kept(sentence, target))


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
    if plan.unknown in ("steps", "epochs") and steps + more > _most_steps(plan.training):
        return "That is as many steps as are planned for here; more may fit."
    if plan.unknown == "batch" and plan.value >= plan.training.records:
        return "That is every record in each step."
    if plan.unknown in WHOLE:
        return "That is the most this accountant allows: one more would exceed the target."
    return f"Within {RELATIVE_ERROR:.2%} of the best value for this accountant, on the safe side."


def _most_steps(training: TrainingPlan) -> int:
    return events.MAX_STEPS // training.chosen_of


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
