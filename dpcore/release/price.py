"""What one release costs of a budget: stated before it is paid, by what is left after it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, Self, TypeVar

from dpcore.errors import InvalidInput
from dpcore.guarantee import PrivacyBudget
from dpcore.release.ledger import GaussianSpend
from dpcore.release.ledger.left import Left, Refused, refused
from dpcore.release.ledger.spends import to_json
from dpcore.rounding import lowered
from dpcore.words import as_set

ACCOUNTANT = "Gaussian DP"
STOPS = tuple(
    float(f"{step}e{exponent}")
    for exponent in range(1, -4, -1)
    for step in ("7", "5", "3", "2", "1.5", "1")
    if not (exponent == 1 and step in "753")
)
"""Each ε that is offered in place of one that is too large, the largest first."""


class Planned(Protocol):
    """A plan has a price: a model's, or a twin's."""

    @property
    def budget(self) -> PrivacyBudget:
        """The ε and δ that are asked for."""

    @property
    def adjacency(self) -> str:
        """What counts as one person's data."""

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""

    def at(self, epsilon: float) -> Self:
        """The same plan for another ε."""


AnyPlan = TypeVar("AnyPlan", bound=Planned)


@dataclass(frozen=True)
class Price(Generic[AnyPlan]):
    """A planned release, and the budget that it would be paid from."""

    plan: AnyPlan
    left: Left  # before it

    @cached_property
    def after(self) -> Left:
        """What would be left."""
        account, spend = self.left.account, self.plan.spend
        return Left(account.spent(spend, to_json(spend)))

    @property
    def refusal(self) -> Refused | None:
        """Why it would not be paid, if so."""
        account, after = self.left.account, self.after.account
        if account.within(after.totals):
            return None
        return refused(account, after, self.plan.spend)

    def brief(self) -> str:
        """The cost in few words, with adjacency, δ and accountant."""
        left = lowered(self.left.epsilon, 3)
        return f"ε = {as_set(self.plan.budget.epsilon)} of the {as_set(left)} left ({self.basis})"

    @property
    def basis(self) -> str:
        """δ, adjacency and accountant of the cost."""
        return f"δ = {as_set(self.plan.budget.delta)}, {self.plan.adjacency}, {ACCOUNTANT}"

    def words(self) -> str:
        """The cost, and what is left after it."""
        return f"This costs {self.brief()}. After it {self.after.words(self.plan.spend)}"

    def less(self) -> float | None:
        """The largest ε of a few that the budget covers at this δ; ``None`` where none is."""
        for epsilon in STOPS:
            try:
                smaller = Price(self.plan.at(epsilon), self.left)
                if epsilon < self.plan.budget.epsilon and smaller.refusal is None:
                    return epsilon
            except InvalidInput:
                continue
        return None
