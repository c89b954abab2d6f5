"""A private table, step by step: planned from public values, prepared, paid, measured, sealed.

As with a twin (`dpcore.release.twin.twin`) whatever can be refused is refused first, then the
payment is committed, and only then is noise drawn on the records: once, without a seed. What
leaves follows from the noisy whole numbers alone (`dpcore.release.released_table`).

What is measured, and what is proved of it, is in `dpcore.summaries.mechanism`. **The attack** comes
before it is paid for: one made-up record at the ends of its columns against a blank one, or under
replace-one against one at the other ends. Their sums are made by the release's own code, and each
part's σ is what the measurement requests from its sampler. The likelihood ratio of all noisy sums
follows from one of their projections, each part in its own σ (`dpcore.release.attack`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpcore.datasets.own.description import described
from dpcore.datasets.schema import Column, Entry, Labels, Table
from dpcore.errors import InvalidInput, whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.whole_gaussian import UNITS
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.release.attack import RUNS, DistinguishingResult, distinguish, extreme_record
from dpcore.release.certificate import Certificate
from dpcore.release.documents import digest
from dpcore.release.files import OF_SUMMARY, SUMMARY
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.made_up import MAX_RECORDS
from dpcore.release.measurement import CardKind, Measurement, MeasurementPlan, check_units
from dpcore.release.payment import Paid, Payer, attached
from dpcore.release.released_table import INTERVALS, MAX_SUMS, ReleasedTable, sums_in
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import ReleaseTable
from dpcore.summaries.counts import Draw, TableSums, columns_of, exact, released, sums_of
from dpcore.summaries.follow_up import follow_up_of
from dpcore.summaries.mechanism import SummaryMechanism, SummaryQuery, mechanism_for
from dpcore.summaries.request import SummaryRequest
from dpcore.words import spaced

ABOUT = (
    "one record at the ends of its columns against a blank one (or one at the other ends, under "
    "replace-one), likelihood ratio of all noisy sums, thresholds fixed beforehand, limits of "
    "Clopper and Pearson"
)


@dataclass(frozen=True)
class SummaryNoise(Measurement):
    """What is proved of a summary, by numbers that follow from its query. All are public."""

    adjacency: str  # zero-out or replace-one; n is public in both
    units: int  # U, of a record's count
    squared: int  # Δ² in squared units of a part of weight 1, rounded up
    sigma: int  # of a part of weight 1

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("squared", self.squared, at_least=1)
        check_units(self.units)

    @classmethod
    def of(cls, summary: SummaryMechanism) -> SummaryNoise:
        """What follows from a query, its adjacency and σ."""
        return cls(str(summary.adjacency), UNITS, summary.squared_sensitivity, summary.sigma)

    @property
    def squared_sensitivity(self) -> int:
        return self.squared


CARD = CardKind(
    format="dpcore summary 1",
    what="table",
    mechanism=SummaryNoise,
    measured=lambda _: (
        "For all records and for each group: how many they are; of words, how many have each "
        "level; of numbers, how many are known, their sum and the sum of their squares within "
        "public bounds, and how many lie in each of some parts of their public range; of times to "
        "an event, how many have it and how many leave in each of some intervals, and nothing "
        "else. Which, by released.json."
    ),
    theorem=(
        "what one record adds and how far another moves it, whatever its values "
        "(dpcore/summaries/mechanism.py)"
    ),
    follows=(
        "Every number of the table, its intervals and what can be read of it follow from the noisy "
        "sums and public values alone. Whatever is computed from these, however often, is "
        "post-processing and costs nothing more. What is measured on the real records is not."
    ),
    tells=lambda _: "says",
)


@dataclass(frozen=True)
class SummaryPlan(MeasurementPlan):
    """What is measured for a table, and what is then said of it."""

    mechanism: SummaryNoise
    summary: SummaryMechanism

    def at(self, epsilon: float) -> SummaryPlan:
        """The same plan for another ε."""
        budget, current = PrivacyBudget(epsilon, self.budget.delta), self.summary
        summary = mechanism_for(budget, current.measured, current.adjacency)
        return replace(self, budget=budget, summary=summary, mechanism=SummaryNoise.of(summary))


def summary_plan(
    columns: str,
    records: int,
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency | str = Adjacency.ZERO_OUT,
    **asked: Any,
) -> SummaryPlan:
    """Plan a table; n is public, and counts persons where one may have several rows.

    `asked` is what of `SummaryRequest`: by, only, statistics, cross, weights. For curves of
    survival it is what of `follow_up_of`: time, event, by.
    """
    entry, budget = described(columns), PrivacyBudget(epsilon, delta)
    n = whole("number of records", records, at_least=1, at_most=MAX_RECORDS)
    measured = _measured(entry, n, asked)
    if (count := sums_in(measured)) > MAX_SUMS:
        raise InvalidInput(
            f"The table would have {spaced(count)} noisy sums, but it must have at most "
            f"{spaced(MAX_SUMS)}: name fewer columns, or other groups."
        )
    summary = mechanism_for(budget, measured, adjacency)
    plan = SummaryPlan(columns, n, budget, SummaryNoise.of(summary), summary)
    # The ledger takes no other noise than this.
    _ = plan.spend
    return plan


def _measured(entry: Entry, records: int, asked: Mapping[str, Any]) -> SummaryQuery:
    """What is measured of a table, or of the times to an event in it."""
    if not {"time", "event"} & set(asked):
        return SummaryRequest(**asked).measured(entry, records)
    if others := sorted(set(asked) - {"time", "event", "by"}):
        raise InvalidInput(
            f"{others[0]} is given, but it must be left out with time and event: curves of "
            "survival are a release of their own."
        )
    return follow_up_of(entry, records=records, **asked)


@dataclass(frozen=True)
class PreparedSummary:
    """Everything that the payment of a table waits for."""

    plan: SummaryPlan
    payer: Payer
    sums: TableSums = field(repr=False)  # exact
    attack: DistinguishingResult


@dataclass(frozen=True)
class PublishedSummary:
    """A private table, its certificate, and the receipt of its payment.

    Once sealed, the receipt is that of the certificate's hash in the ledger.
    """

    table: ReleasedTable
    card: Certificate
    receipt: Receipt
    named: dict[str, bytes] = field(repr=False)  # whose hashes the certificate names

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""
        return {**self.named, SUMMARY: self.card.to_yaml().encode()}


def prepare(
    plan: SummaryPlan,
    table: ReleaseTable,
    *,
    ledger: Ledger,
    data_set: str,
    actor: str,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> PreparedSummary:
    """Refuse what can be refused, and attack the mechanism; nothing is paid.

    The plan must be for the ledger's adjacency, the table's description and its number of persons,
    and the attack must not find more than is proved. Of each person one row counts, by lots; that
    the records are the data set's is taken on the caller's word.
    """
    report = stoppable(progress, cancelled)
    report(0.0, "Adding up the table")
    payer = Payer.of(ledger, data_set, actor, plan.adjacency)
    table.check(plan.columns, plan.records)
    sums = exact(table.one_row_each().table, plan.summary.measured)
    report(0.4, "Attacking the noise")
    attack_result = attack(described(plan.columns), plan.summary, plan.budget.delta)
    attack_result.stop_above(plan.mechanism)
    report(1.0, "Ready to be paid for")
    return PreparedSummary(plan, payer, sums, attack_result)


def pay(prepared: PreparedSummary, ledger: Ledger) -> Paid[PreparedSummary]:
    """Pay for one table; final once this returns, whatever follows.

    Raises `Refused` where the budget does not cover it; nothing was written then.
    """
    return Paid(prepared, prepared.payer.spend(ledger, prepared.plan.spend, "private table"))


def measure(paid: Paid[PreparedSummary], *, progress: Progress = silent) -> PublishedSummary:
    """Measure the sums of a payment, with noise of the operating system, and make the files.

    Refuses a payment that had its table. An exception that `progress` raises loses the payment.
    """
    paid.use()
    prepared, plan = paid.prepared, paid.prepared.plan
    progress(0.0, "Drawing noise")
    noisy = tuple(released(prepared.sums, plan.summary, rounded_gaussians))
    progress(0.5, "Making the table")
    units_of = {column.name: column.unit for column in columns_of(described(plan.columns))}
    table = ReleasedTable(plan.records, plan.summary, units_of, noisy)
    facts = plan.facts({}, prepared.payer.facts(paid.receipt), prepared.attack)
    page = table.to_html({"facts": facts, **CARD.derived(facts)}, table.rows)
    texts = {
        "table": table.csv(),
        "paper": page,
        "released": table.to_json(),
        "intervals": INTERVALS,
    }
    facts["hashes"] = {key: digest(text) for key, text in texts.items()}
    named = {OF_SUMMARY[key]: text.encode() for key, text in texts.items()}
    progress(1.0, "Measured")
    return PublishedSummary(table, CARD.card(facts), paid.receipt, named)


def seal(summary: PublishedSummary, ledger: Ledger) -> PublishedSummary:
    """Write the certificate's hash into the ledger: this payment's table is this one."""
    return replace(summary, receipt=attached(summary.card, ledger))


def published(
    table: ReleaseTable,
    *,
    ledger: Ledger,
    data_set: str,
    actor: str,
    epsilon: float,
    delta: float,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
    **asked: Any,
) -> PublishedSummary:
    """Pay for a table's counts, means and quartiles, measure them, and make what may leave.

    `asked` is what of `SummaryRequest`; all else is as of `private_twin`
    (`dpcore.release.twin.twin`): adjacency and person unit are the data set's in the ledger, and
    nothing is paid where `Refused`, `InvalidInput` or `Cancelled` is raised.
    """
    plan = summary_plan(
        table.columns,
        table.count,
        epsilon=epsilon,
        delta=delta,
        adjacency=ledger.left(data_set).account.terms.adjacency,
        **asked,
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


def attack(
    entry: Entry,
    summary: SummaryMechanism,
    delta: float,
    *,
    runs: int = RUNS,
    draw: Draw = rounded_gaussians,
) -> DistinguishingResult:
    """Attack tables by this description; `draw` is the sampler under attack."""
    measured = summary.measured
    first, second = (exact(each, measured).vector for each in neighbours(entry, summary.adjacency))
    still = sums_of(np.zeros(len(first)), measured)
    requested = np.array(
        released(still, summary, lambda sigma, count: [sigma] * count), dtype=float
    )
    least = int(requested.min())
    shift = math.sqrt((((first - second) / requested) ** 2).sum()) * least
    return distinguish(shift, least, delta, ABOUT, runs=runs, draw=draw)


def neighbours(entry: Entry, adjacency: str) -> tuple[Table, Table]:
    """Two tables of one made-up record each, as far apart as may be."""
    first, last = (extreme_record(entry, count) for count in (0, len(entry.columns)))
    blank, low, high = _outcomes(entry)
    if adjacency == Adjacency.REPLACE_ONE:
        return Table(entry, last, high), Table(entry, first, low)
    return Table(entry, last, high), Table(entry, last, blank)


def _outcomes(entry: Entry) -> tuple[Labels, Labels, Labels]:
    """The outcome of a blank record, and at either end."""
    if isinstance(entry.label, Column):
        lower, upper = entry.label.bounds
        return np.full(1, np.nan), np.full(1, lower), np.full(1, upper)
    ends = (0, -1, 1) if entry.predicts == "class" else (-1, 0, entry.classes - 1)
    blank, low, high = (np.full(1, end, dtype=np.int8) for end in ends)
    return blank, low, high
