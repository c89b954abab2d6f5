"""What a release costs of a budget, stated before it is paid, and the payment itself."""

from __future__ import annotations

import os
import threading
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

from dpcore.errors import InvalidInput
from dpcore.guarantee import PrivacyBudget
from dpcore.release.certificate import Certificate
from dpcore.release.ledger import GaussianSpend, Ledger, Receipt
from dpcore.release.ledger.filter import Left, Refused, refused
from dpcore.release.ledger.spends import Spend, text, to_json
from dpcore.words import as_set, lowered

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


class Payable(Protocol):
    """Something is prepared, and waits for its payment."""

    @property
    def plan(self) -> Planned:
        """What is to be paid for."""


Ready = TypeVar("Ready", bound=Payable)
_LOCKS: dict[str, tuple[threading.Lock, int]] = {}
"""The lock of each payment, by its chain head, and the process that paid."""


@dataclass(frozen=True)
class Payer:
    """Whose budget pays, and who spends it."""

    data_set: str
    person_unit: str
    actor: str

    @classmethod
    def of(cls, ledger: Ledger, data_set: str, actor: str, adjacency: str) -> Payer:
        """Name who pays; refuses where the data set's adjacency is another."""
        terms = ledger.left(data_set).account.terms
        if str(terms.adjacency) != adjacency:
            raise InvalidInput(
                f"The plan's adjacency is {adjacency}, but it must be that of the data set, "
                f"{terms.adjacency}."
            )
        return cls(data_set, terms.person_unit, text("actor", actor))

    def spend(self, ledger: Ledger, spend: Spend, purpose: str) -> Receipt:
        """Pay; final once this returns. Raises `Refused` where the budget does not cover it."""
        return ledger.spend(self.data_set, spend, actor=self.actor, purpose=purpose)

    def facts(self, receipt: Receipt) -> dict[str, Any]:
        """What a certificate says of the payment."""
        return {**asdict(self), "entry": receipt.entry, "chain_head": receipt.chain_head}


@dataclass(frozen=True)
class Paid(Generic[Ready]):
    """A payment that nothing has come of yet; it lives in one process and cannot be copied."""

    prepared: Ready
    receipt: Receipt
    # A lock can be taken once, by one thread, and neither pickled nor copied in depth.
    _unused: threading.Lock = field(init=False, repr=False, compare=False)
    _process: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # One a payment: another object of the same receipt is the same payment, in a fork too.
        lock, process = _LOCKS.setdefault(self.receipt.chain_head, (threading.Lock(), os.getpid()))
        object.__setattr__(self, "_unused", lock)
        object.__setattr__(self, "_process", process)

    def use(self) -> None:
        """Take the payment for the one thing that it is for.

        Refuses one for another plan, one that was taken before, and one that a process of which
        this one is a fork has paid.
        """
        if to_json(self.prepared.plan.spend) != self.receipt.left.account.last:
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger was paid for another plan, and pays for "
                "that one only."
            )
        if os.getpid() != self._process:
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger was paid by another process, and pays "
                "in that one only."
            )
        if not self._unused.acquire(blocking=False):
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger has been used, but it pays for one "
                "only: pay for another."
            )


def attached(certificate: Certificate, ledger: Ledger) -> Receipt:
    """Write a certificate's hash into the ledger, as that of its payment."""
    stated = certificate.document["facts"]["ledger"]
    return ledger.attach(
        stated["data_set"], stated["entry"], certificate.hash, actor=stated["actor"]
    )
