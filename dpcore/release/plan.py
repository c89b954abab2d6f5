"""The plan of a release, from public values alone: what is spent, the noise, the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.datasets.additive import STEPS
from dpcore.erm.method import Settings
from dpcore.erm.methods import dpgd
from dpcore.erm.problem import Problem, default_lam
from dpcore.errors import InvalidInput, one_of, whole
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.release import grid, risk_counts
from dpcore.release.descent import Path
from dpcore.release.ledger import GaussianSpend
from dpcore.release.mechanism import ADJACENCIES, Mechanism, mechanism_for
from dpcore.release.model import dimension, entry_of
from dpcore.release.slopes import LOSSES


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
    def adjacency(self) -> str:
        """What counts as one person's data."""
        return self.mechanism.adjacency

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return self.mechanism.spend

    @property
    def noise(self) -> float:
        """Standard deviation of the noise in a coordinate of the mean gradient, C being 1."""
        return self.mechanism.sigma / self.mechanism.units / self.path.records

    def at(self, epsilon: float) -> Plan:
        """The same for another ε.

        Raises
        ------
        InvalidInput
            If there is no mechanism for it.
        """
        budget, made = PrivacyBudget(epsilon, self.budget.delta), self.mechanism
        mechanism = mechanism_for(budget, made.dimension, made.steps, made.adjacency)
        return replace(self, budget=budget, mechanism=mechanism)


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
    corrected: bool | None = None,
) -> Plan:
    """The plan of a release.

    Parameters
    ----------
    columns : str
        Description of the table (`dpcore.datasets.own.described`), with an outcome of two.
    records : int
        n, which is public: of persons, where one may have several rows.
    epsilon, delta : float
    adjacency : Adjacency or str
        zero-out or replace-one.
    loss : str
        logistic or huber.
    features : str
        plain or additive.
    steps : int, optional
        Of the training; by DP-GD's rule unless given.
    corrected : bool, optional
        Whether risks are corrected by noisy counts of scores, for some more of the mechanism's
        sums; by ``None`` they are where the loss gives risks and the counts are precise enough.

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
    steps_made = calibration.steps
    count_sums = _count_sums(corrected, loss, budget, n, steps_made)
    mechanism = mechanism_for(budget, d, steps_made + count_sums, chosen)
    if corrected is None and not risk_counts.are_precise(mechanism, count_sums, n):
        count_sums, mechanism = 0, mechanism_for(budget, d, steps_made, chosen)
    made = Plan(
        columns,
        features,
        loss,
        budget,
        mechanism,
        Path(loss, problem.lam, calibration.learning_rate, n, count_sums),
    )
    # The ledger takes no other noise than this; better refused now than at the payment.
    _ = made.spend
    return made


def _count_sums(
    corrected: bool | None, loss: str, budget: PrivacyBudget, records: int, steps: int
) -> int:
    """How many sums correct the risks."""
    has_risks = loss == "logistic"
    if corrected and not has_risks:
        raise InvalidInput(
            f"The loss is {loss}, but risks are corrected of the logistic loss only: other scores "
            "are no risks."
        )
    return (
        risk_counts.sums_for(budget, records, steps) if corrected is not False and has_risks else 0
    )
