"""One run against an ε or a risk by its own curve, and what keeping the best of several costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accounting.choosing import RandomTries, best_of, least_noise
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import NAMES, WHOLE, Plan, saving, solve, through_budget
from dpcore.accounting.risk_target import RiskTarget
from dpcore.accounting.tradeoff import from_event
from dpcore.progress import Progress, silent
from dpcore.words import at_most, spaced


@dataclass(frozen=True)
class ChoiceCost:
    """The answer for a run that is the best of several, in other ways."""

    unknown: str
    chosen_of: int
    alone: float | None  # for one run
    at_random: float | None  # ε or σ where their number is random with this mean; else none

    @property
    def sentence(self) -> str:
        """What choosing costs."""
        tried, unknown = spaced(self.chosen_of), self.unknown
        alone = "none" if self.alone is None else self._shown(self.alone)
        said = f"It is the best of {tried}, all counted; one run alone: {NAMES[unknown]} = {alone}."
        if self.at_random is not None:
            said += (
                f" With a random number of tries, {tried} on average, and the best alone released: "
                f"{NAMES[unknown]} = {self._shown(self.at_random)}."
            )
        return said

    def _shown(self, value: float) -> str:
        return spaced(round(value)) if self.unknown in WHOLE else at_most(value, 4)


def choice_cost(
    unknown: str,
    start: TrainingPlan,
    target: float | RiskTarget,
    accountant: str,
    progress: Progress = silent,
) -> ChoiceCost | None:
    """The cost of the choice behind a run; ``None`` where nothing was chosen.

    Arguments are as of `solve`.
    """
    if start.chosen_of == 1:
        return None
    one = replace(start, chosen_of=1)
    alone = solve(unknown, one, target, accountant, progress).value
    tries, at_random = RandomTries(start.chosen_of), None
    if not isinstance(target, RiskTarget):
        if unknown == "epsilon":
            at_random = best_of(one.event(), tries, one.delta, one.adjacency).epsilon
        if unknown == "sigma":
            at_random = least_noise(one, tries, target)
    return ChoiceCost(unknown, start.chosen_of, alone, at_random)


@dataclass(frozen=True)
class Limited:
    """The answer for one run, by PLD."""

    plan: Plan
    epsilon: float  # the limit; of a risk, at which the run keeps it by its noise
    saves: float | None = None  # `saving` of a risk
    choice: ChoiceCost | None = None  # of a run that is the best of several


def limited(
    unknown: str, start: TrainingPlan, target: float | RiskTarget, progress: Progress = silent
) -> Limited:
    """What the run spends as it is set, or its setting that keeps the limit."""
    answer = _limited(unknown, start, target, progress)
    if answer.plan.training is None:
        return answer
    wanted = 1.0 if unknown == "epsilon" else target
    return replace(answer, choice=choice_cost(unknown, start, wanted, "pld", progress))


def _limited(
    unknown: str, start: TrainingPlan, target: float | RiskTarget, progress: Progress
) -> Limited:
    kept = solve(unknown, start, target, "pld", progress)
    if not isinstance(target, RiskTarget):
        return Limited(kept, target)
    saves = saving(kept, through_budget(unknown, start, target, "pld", progress))
    if unknown != "epsilon" or kept.value is None:
        return Limited(kept, kept.guarantee.bound, saves)
    plan = solve("epsilon", start, 1.0, "pld")
    reached = target.reached(from_event(start.event(), start.adjacency))
    # The noise that was found may be a little more than the least, and than the run's.
    own = plan.guarantee.bound if reached <= target.gain else 0.0
    return Limited(plan, max(kept.guarantee.bound, own), saves)
