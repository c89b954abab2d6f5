"""The private release of a model, step by step: prepared, paid for, trained, sealed.

The order is fixed. Whatever can be refused is refused first (`prepare`), then the payment is
committed (`pay`), and only then is noise drawn on the records (`train`). Noise has no seed and no
state: what is cut off between its payment and its files is lost, and another try is another
payment. The hash of the certificate goes into the ledger last (`seal`), so that a payment
without a result has none there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from dpcore.datasets.persons import Persons
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.release import grid, risk_counts, tuning
from dpcore.release.attack import DistinguishingResult, attack
from dpcore.release.certificate import (
    About,
    Certificate,
    Record,
    TriedModels,
    certificate,
    facts_of,
)
from dpcore.release.documents import digest
from dpcore.release.facts import METHOD
from dpcore.release.files import CARD, MODEL_FILE, ONNX, PAGE, card, hashes
from dpcore.release.grid import Array
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.ledger.spends import LONGEST_TEXT
from dpcore.release.mechanism import descend
from dpcore.release.model import ReleasedModel, entry_of, preparation_for
from dpcore.release.payment import Paid, Payer, attached
from dpcore.release.plan import ReleasePlan, plan
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import ReleaseTable


@dataclass(frozen=True)
class Prepared:
    """Everything that a payment waits for."""

    plan: ReleasePlan
    about: About
    payer: Payer
    signed: Array = field(repr=False)  # every row, times its label; shape (d, rows)
    persons: Persons | None = field(repr=False)  # whose the rows are; none where each is a record
    attack: DistinguishingResult


@dataclass(frozen=True)
class Released:
    """A released model, its certificate, and the receipt of its payment.

    Once sealed, the receipt is that of the certificate's hash in the ledger.
    """

    model: ReleasedModel
    certificate: Certificate
    receipt: Receipt
    named: Mapping[str, bytes] = field(repr=False)  # the files whose hashes the certificate names

    def card(self) -> str:
        """The model card, as Markdown."""
        return self.named[CARD].decode()

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""
        return {
            **self.named,
            "certificate.yaml": self.certificate.to_yaml().encode(),
            PAGE: self.certificate.to_html().encode(),
        }


def prepare(
    plan: ReleasePlan,
    table: ReleaseTable,
    *,
    about: About,
    ledger: Ledger,
    data_set: str,
    actor: str,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Prepared:
    """Refuse what can be refused, and attack the mechanism; nothing is paid.

    The plan must be for the ledger's adjacency, the table's description and its number of persons,
    and the attack must not find more than is proved. All records are learned from; that they are
    the data set's is taken on the caller's word.
    """
    report = stoppable(progress, cancelled)
    report(0.0, "Checking the table")
    mechanism = plan.all_tried
    payer = Payer.of(ledger, data_set, actor, mechanism.adjacency)
    table.check(plan.columns, plan.path.records)
    record = Record.of(plan.columns)
    # What may fail, such as a package that is missing, fails before anything is paid.
    counted = plan.path.count_sums > 0
    plan.untrained().to_onnx()
    entry, records = entry_of(plan.columns), table.table
    rows = grid.rows(entry, records.frame, preparation_for(plan.features))
    report(0.4, "Attacking the noise")
    attack_result = attack(
        mechanism, plan.path.scorer, plan.budget.delta, record.rows, counted=counted
    )
    attack_result.stop_above(mechanism)
    report(1.0, "Ready to be paid for")
    rows *= records.label.astype(float)
    return Prepared(plan, about, payer, rows, table.persons, attack_result)


def pay(prepared: Prepared, ledger: Ledger) -> Paid[Prepared]:
    """Pay for one training; final once this returns, whatever follows.

    Raises `Refused` where the budget does not cover it; nothing was written then.
    """
    purpose = f"model: {prepared.about.name}"[:LONGEST_TEXT]
    return Paid(prepared, prepared.payer.spend(ledger, prepared.plan.spend, purpose))


def train(paid: Paid[Prepared], *, progress: Progress = silent) -> Released:
    """Train the one model of a payment, with noise of the operating system, and certify it.

    Refuses a payment that had its training. An exception that `progress` raises loses the payment.
    """
    paid.use()
    prepared, plan = paid.prepared, paid.prepared.plan
    rows, persons, path = prepared.signed, prepared.persons, plan.path
    if plan.factors:
        weights, path = tuning.best(
            rows, plan.mechanism, path, plan.factors, rounded_gaussians, progress, persons
        )
    else:
        weights = descend(rows, plan.mechanism, path, progress=progress, persons=persons)
    risks = None
    if plan.path.count_sums:
        risks = risk_counts.corrected(
            plan.path.scorer,
            rows,
            weights,
            plan.mechanism,
            plan.path.count_sums,
            rounded_gaussians,
            persons,
        )
    model = plan.model(weights, risks)
    facts = facts_of(
        about=prepared.about,
        budget=asdict(plan.budget),
        mechanism=plan.mechanism,
        training={"method": METHOD, **path.facts(), "features": plan.features},
        hashes={"model": model.hash, "columns": digest(plan.columns)},
        ledger=prepared.payer.facts(paid.receipt),
        record=Record.of(plan.columns),
        choice=TriedModels(plan.chosen_of, plan.factors),
        attack=asdict(prepared.attack),
        released=datetime.now(UTC).date().isoformat(),
    )
    named = {
        MODEL_FILE: model.to_json().encode(),
        ONNX: model.to_onnx(),
        CARD: card(model, certificate(facts)).encode(),
    }
    facts["hashes"]["files"] = hashes(named)
    return Released(model, certificate(facts), paid.receipt, named)


def seal(released: Released, ledger: Ledger) -> Released:
    """Write the certificate's hash into the ledger: this payment's model is this one."""
    return replace(released, receipt=attached(released.certificate, ledger))


def release_model(
    table: ReleaseTable,
    *,
    about: About,
    ledger: Ledger,
    data_set: str,
    actor: str,
    epsilon: float,
    delta: float,
    loss: str = "logistic",
    hidden: int | None = 0,
    features: str = "plain",
    steps: int | None = None,
    corrected: bool | None = None,
    chosen_of: int = 1,
    tune: tuple[float, ...] = (),
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Released:
    """Pay for a model, train it with noise of the operating system, and certify it.

    Adjacency and person unit are the data set's in the ledger. That the table is the data set's is
    taken on the caller's word.

    Parameters
    ----------
    table : ReleaseTable
        The records (`dpcore.release.table.read_for_release`); all are learned from.
    about : About
    ledger : Ledger
    data_set, actor : str
        As the ledger takes them.
    epsilon, delta, loss, hidden, features, steps, corrected, chosen_of, tune
        As of `plan`.
    progress : callable
        (fraction, what is being done). Once it is paid, an exception that it raises loses it.
    cancelled : callable
        Asked until it is paid.

    Raises
    ------
    Refused
        If the budget does not cover it; no noise was drawn.
    InvalidInput
        If a value is wrong; nothing was paid.
    Cancelled
        If it was stopped on request; nothing was paid.
    """
    release_plan = plan(
        table.columns,
        table.count,
        epsilon=epsilon,
        delta=delta,
        adjacency=ledger.left(data_set).account.terms.adjacency,
        loss=loss,
        hidden=hidden,
        features=features,
        steps=steps,
        corrected=corrected,
        chosen_of=chosen_of,
        tune=tune,
    )
    prepared = prepare(
        release_plan,
        table,
        about=about,
        ledger=ledger,
        data_set=data_set,
        actor=actor,
        progress=section(progress, 0.0, 0.5),
        cancelled=cancelled,
    )
    return seal(train(pay(prepared, ledger), progress=section(progress, 0.5, 0.5)), ledger)
