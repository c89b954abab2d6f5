"""What it costs to keep the best of several runs, beside one run and a random number of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.accounting.choosing import RandomTries, best_of, least_noise
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import NAMES, WHOLE, solve
from dpcore.accounting.risk_target import RiskTarget
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
