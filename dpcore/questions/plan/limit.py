"""One run against what it may spend: an ε, or a risk by the noise's own curve."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import Plan, saving, solve, through_budget
from dpcore.accounting.risk_target import RiskTarget
from dpcore.accounting.tradeoff import from_event
from dpcore.progress import Progress, silent
from dpcore.questions.plan.choice import ChoiceCost, choice_cost


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
