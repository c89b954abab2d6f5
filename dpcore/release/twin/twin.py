"""A private twin, step by step: planned from public values, prepared, paid for, measured, sealed.

As with a model (`dpcore.release.release`) whatever can be refused is refused first, then the
payment is committed, and only then is noise drawn on the records: once, without a seed. A twin that
is cut off after its payment is lost. What is drawn from the noisy counts is post-processing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.own.description import restated
from dpcore.datasets.own.notation import Person, read
from dpcore.datasets.schema import Entry
from dpcore.errors import whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.release.attack import DistinguishingResult
from dpcore.release.certificate import Certificate
from dpcore.release.documents import digest
from dpcore.release.files import COLUMNS, TWIN
from dpcore.release.grid import Array
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.made_up import MAX_RECORDS
from dpcore.release.measurement import MeasurementPlan
from dpcore.release.model import entry_of
from dpcore.release.payment import Paid, Payer, attached
from dpcore.release.table import ReleaseTable, harmless_columns, written
from dpcore.release.twin import counting, drawing
from dpcore.release.twin.counting import (
    CARD,
    Counting,
    Whole,
    attack,
    counting_for,
    noisy_counts,
    noisy_products,
)
from dpcore.release.twin.drawing import Fit, drawn, fitted


@dataclass(frozen=True)
class TwinPlan(MeasurementPlan):
    """What is measured for a twin, whose number of records is the plan's, too."""

    mechanism: Counting

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


@dataclass(frozen=True)
class PreparedTwin:
    """Everything that the payment of a twin waits for."""

    plan: TwinPlan
    payer: Payer
    places: Whole = field(repr=False)  # every record's cell in each column; shape (d, n)
    label: NDArray[np.int8] = field(repr=False)  # -1 or 1, or 0 of a blank record; shape (n,)
    attack: DistinguishingResult


@dataclass(frozen=True)
class Twin:
    """A private twin of a table, its card, and the receipt of its payment.

    Once sealed, the receipt is that of the card's hash in the ledger.
    """

    csv: str
    columns: str  # the description of the made-up records
    card: Certificate
    receipt: Receipt

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""
        return {
            TWIN: self.csv.encode(),
            COLUMNS: self.columns.encode(),
            "twin.yaml": self.card.to_yaml().encode(),
        }


def prepare(
    plan: TwinPlan,
    table: ReleaseTable,
    *,
    ledger: Ledger,
    data_set: str,
    actor: str,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> PreparedTwin:
    """Refuse what can be refused, and attack the mechanism; nothing is paid.

    The plan must be for the ledger's adjacency, the table's description and its number of persons,
    and the attack must not find more than is proved. Of each person one row counts, by lots; that
    the records are the data set's is taken on the caller's word.
    """
    report = stoppable(progress, cancelled)
    report(0.0, "Checking the table")
    mechanism, entry = plan.mechanism, entry_of(plan.columns)
    payer = Payer.of(ledger, data_set, actor, mechanism.adjacency)
    table.check(plan.columns, plan.records)
    counted = table.one_row_each().table
    places, label = counting.cells(entry, counted.frame), np.sign(counted.label).astype(np.int8)
    report(0.4, "Attacking the noise")
    attack_result = attack(entry, mechanism, plan.budget.delta)
    attack_result.stop_above(mechanism)
    report(1.0, "Ready to be paid for")
    return PreparedTwin(plan, payer, places, label, attack_result)


def pay(prepared: PreparedTwin, ledger: Ledger) -> Paid[PreparedTwin]:
    """Pay for one twin; final once this returns, whatever follows.

    Raises `Refused` where the budget does not cover it; nothing was written then.
    """
    return Paid(prepared, prepared.payer.spend(ledger, prepared.plan.spend, "private twin"))


def measure(paid: Paid[PreparedTwin], *, progress: Progress = silent) -> Twin:
    """Measure the counts of a payment, with noise of the operating system, and draw the twin.

    Refuses a payment that had its twin. An exception that `progress` raises loses the payment.
    """
    paid.use()
    prepared, plan = paid.prepared, paid.prepared.plan
    entry = entry_of(plan.columns)
    progress(0.0, "Drawing noise")
    fit, correlations = _measured(entry, prepared)
    progress(0.5, "Drawing made-up records")
    frame, label = drawn(entry, fit, correlations, np.random.default_rng())
    csv, columns = written(plan.columns, frame, label), columns_of_twin(plan.columns)
    facts = plan.facts(
        {"twin": digest(csv), "columns": digest(columns)},
        prepared.payer.facts(paid.receipt),
        prepared.attack,
    )
    progress(1.0, "Drawn")
    return Twin(csv, columns, CARD.card(facts), paid.receipt)


def _measured(entry: Entry, prepared: PreparedTwin) -> tuple[Fit, Array]:
    """What was measured, made fit to draw from: tables, and correlations."""
    mechanism, places, label = prepared.plan.mechanism, prepared.places, prepared.label
    exact = counting.counts(places, label, counting.sizes(entry))
    fit = fitted(noisy_counts(exact, mechanism), prepared.plan.records)
    if not mechanism.weight:
        return fit, np.eye(len(exact))
    at = drawing.cuts(fit)
    noisy = noisy_products(counting.products(places, label, at), mechanism)
    noise = mechanism.sigma / mechanism.weight / fit.known
    return fit, drawing.correlations(fit, at, noisy / fit.known, noise)


def seal(twin: Twin, ledger: Ledger) -> Twin:
    """Write the card's hash into the ledger: this payment's twin is this one."""
    return replace(twin, receipt=attached(twin.card, ledger))


def private_twin(
    table: ReleaseTable,
    *,
    ledger: Ledger,
    data_set: str,
    actor: str,
    epsilon: float,
    delta: float,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Twin:
    """Pay for noisy counts of a table, measure them, and draw as many made-up records from them.

    Adjacency and person unit are the data set's in the ledger. That the table is the data set's is
    taken on the caller's word. Raises `Refused` where the budget does not cover it, and `Cancelled`
    where it was stopped; nothing was paid then, and no noise drawn. It can be stopped until it is
    paid; an exception that `progress` raises after that loses the payment.
    """
    plan = twin_plan(
        table.columns,
        table.count,
        epsilon=epsilon,
        delta=delta,
        adjacency=ledger.left(data_set).account.terms.adjacency,
    )
    prepared = prepare(
        plan,
        table,
        ledger=ledger,
        data_set=data_set,
        actor=actor,
        progress=section(progress, 0.0, 0.5),
        cancelled=cancelled,
    )
    return seal(measure(pay(prepared, ledger), progress=section(progress, 0.5, 0.5)), ledger)
