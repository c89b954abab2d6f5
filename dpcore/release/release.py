"""The private release of a model: planned from public values, paid for, trained, certified.

The order is fixed. Whatever can be refused is refused first, then the payment is committed, and
only then is noise drawn. Noise has no seed and no state: a release that ends after its payment and
before its files are written is lost, and another one is another payment.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from dpcore.datasets.additive import STEPS
from dpcore.datasets.schema import Table
from dpcore.erm.method import Settings
from dpcore.erm.methods import dpgd
from dpcore.erm.problem import Problem, default_lam
from dpcore.errors import InvalidInput, one_of, whole
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.release import grid
from dpcore.release.attack import attack
from dpcore.release.card import card
from dpcore.release.certificate import About, Certificate, certificate, facts_of
from dpcore.release.descent import Path, descend
from dpcore.release.ledger import GaussianSpend, Ledger, Receipt
from dpcore.release.mechanism import ADJACENCIES, Mechanism, mechanism_for
from dpcore.release.model import Model, digest, dimension, entry_of, preparation_for
from dpcore.release.slopes import LOSSES

METHOD = "noisy gradient descent on a grid"


@dataclass(frozen=True)
class Plan:
    """What is released, before any record is looked at but for their number.

    Parameters
    ----------
    columns, features, loss : str
        As of a `Model`.
    budget : PrivacyBudget
    mechanism : Mechanism
    path : Path
    """

    columns: str
    features: str
    loss: str
    budget: PrivacyBudget
    mechanism: Mechanism
    path: Path

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return GaussianSpend(self.mechanism.noise_multiplier, self.mechanism.steps)


@dataclass(frozen=True)
class Released:
    """A released model, its certificate, and the receipt of its payment.

    Parameters
    ----------
    model : Model
    certificate : Certificate
    receipt : Receipt
        Of the certificate's hash in the ledger; its chain head is worth keeping elsewhere.
    """

    model: Model
    certificate: Certificate
    receipt: Receipt

    def card(self) -> str:
        """The model card, as Markdown."""
        return card(self.model, self.certificate)

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""
        return {
            "model.json": self.model.to_json().encode(),
            "model.onnx": self.model.to_onnx(),
            "card.md": self.card().encode(),
            "certificate.yaml": self.certificate.to_yaml().encode(),
            "certificate.html": self.certificate.to_html().encode(),
        }


def plan(
    columns: str,
    records: int,
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency | str = Adjacency.ZERO_OUT,
    loss: str = "logistic",
    features: str = "plain",
    steps: int | None = None,
) -> Plan:
    """The plan of a release, from public values alone.

    Parameters
    ----------
    columns : str
        Description of the table (`dpcore.datasets.own.described`), with an outcome of two.
    records : int
        n, which is public.
    epsilon, delta : float
    adjacency : Adjacency or str
        zero-out or replace-one.
    loss : str
        logistic or huber.
    features : str
        plain or additive.
    steps : int, optional
        T; by DP-GD's rule unless given.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    entry, budget = entry_of(columns), PrivacyBudget(epsilon, delta)
    n = whole("number of records", records, at_least=2, at_most=grid.MOST_RECORDS)
    d = dimension(entry, features)
    rule = STEPS.get(features)
    uncounted = rule.uncounted if rule else 0
    counted = d - uncounted * sum(column.kind == "number" for column in entry.columns)
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))
    one_of("loss", loss, LOSSES)
    problem = Problem(
        loss,
        default_lam(n, counted) * dpgd.METHOD.lam_share,
        n,
        d,
        chosen,
        counted=counted,
    )
    (calibration,) = dpgd.METHOD.calibrate(
        problem, [budget.epsilon], budget.delta, Edition.SOUND, Settings(steps=steps)
    )
    return Plan(
        columns,
        features,
        loss,
        budget,
        mechanism_for(budget, d, calibration.steps, chosen),
        Path(loss, problem.lam, calibration.learning_rate, n),
    )


def release_model(
    table: Table,
    columns: str,
    *,
    about: About,
    ledger: Ledger,
    data_set: str,
    actor: str,
    epsilon: float,
    delta: float,
    loss: str = "logistic",
    features: str = "plain",
    steps: int | None = None,
) -> Released:
    """Pay for a model, train it with noise of the operating system, and certify it.

    Adjacency and person unit are the data set's in the ledger. That the table is the data set's is
    taken on the caller's word.

    Parameters
    ----------
    table : Table
        The records, read by `columns`; all are learned from.
    columns : str
    about : About
    ledger : Ledger
    data_set, actor : str
        As the ledger takes them.
    epsilon, delta, loss, features, steps
        As of `plan`.

    Raises
    ------
    Refused
        If the budget does not cover it; no noise was drawn.
    InvalidInput
        If a value is wrong; nothing was paid.
    """
    terms = ledger.left(data_set).account.terms
    made = plan(
        columns,
        table.records,
        epsilon=epsilon,
        delta=delta,
        adjacency=terms.adjacency,
        loss=loss,
        features=features,
        steps=steps,
    )
    entry = entry_of(columns)
    if (table.entry.columns, table.entry.label) != (entry.columns, entry.label):
        raise InvalidInput("The table was read by another description, but it must be by this one.")
    found = attack(made.mechanism, made.budget.delta)
    rows = grid.rows(entry, table.frame, preparation_for(features))
    signed = rows * table.label.astype(float)
    paid = ledger.spend(data_set, made.spend, actor=actor, purpose=f"model: {about.name}")
    weights = descend(signed, made.mechanism, made.path)
    model = Model(columns, features, loss, tuple(weights.tolist()))
    facts = facts_of(
        about=about,
        budget=asdict(made.budget),
        mechanism=made.mechanism,
        training={"method": METHOD, **asdict(made.path), "features": features},
        hashes={"model": model.hash, "columns": digest(columns)},
        ledger={
            "data_set": data_set,
            "person_unit": terms.person_unit,
            "actor": actor,
            "entry": paid.entry,
            "chain_head": paid.chain_head,
        },
        attack=asdict(found),
        released=datetime.now(UTC).date().isoformat(),
    )
    certified = certificate(facts)
    receipt = ledger.attach(data_set, paid.entry, certified.hash, actor=actor)
    return Released(model, certified, receipt)
