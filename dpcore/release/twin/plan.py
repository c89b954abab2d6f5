"""The plan of a twin, from public values alone: what is spent, and the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.datasets.own.description import restated
from dpcore.datasets.own.field import Person
from dpcore.datasets.own.notation import read
from dpcore.errors import whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.release.ledger import GaussianSpend
from dpcore.release.made_up import MAX_RECORDS
from dpcore.release.model import entry_of
from dpcore.release.table.csv_text import harmless_columns
from dpcore.release.twin.mechanism import Counting, counting_for


@dataclass(frozen=True)
class TwinPlan:
    """What is measured, before any record is looked at but for their number."""

    columns: str
    records: int  # n, of the table (of its persons) and of the twin
    budget: PrivacyBudget
    mechanism: Counting

    @property
    def adjacency(self) -> str:
        """What counts as one person's data."""
        return self.mechanism.adjacency

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return self.mechanism.spend

    def at(self, epsilon: float) -> TwinPlan:
        """The same plan for another ε."""
        budget, current = PrivacyBudget(epsilon, self.budget.delta), self.mechanism
        mechanism = counting_for(budget, current.tables, self.records, current.adjacency)
        return replace(self, budget=budget, mechanism=mechanism)


def twin_plan(
    columns: str,
    records: int,
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency | str = Adjacency.ZERO_OUT,
) -> TwinPlan:
    """Plan a twin; n is public, and counts persons where one may have several rows."""
    entry, budget = entry_of(columns), PrivacyBudget(epsilon, delta)
    # The twin's own description must hold, too; better refused now than after the payment.
    entry_of(columns_of_twin(columns))
    n = whole("number of records", records, at_least=2, at_most=MAX_RECORDS)
    mechanism = counting_for(budget, len(entry.columns), n, adjacency)
    plan = TwinPlan(columns, n, budget, mechanism)
    # The ledger takes no other noise than this.
    _ = plan.spend
    return plan


def columns_of_twin(columns: str) -> str:
    """The description of a twin, in which every row is another person's."""
    person = read(columns).person
    return harmless_columns(restated(columns, Person()) if person is not None else columns)
