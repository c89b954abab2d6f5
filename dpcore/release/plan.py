"""The plan of a release, from public values alone: what is spent, the noise, the settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcore.accounting.events import MAX_CHOSEN, declared
from dpcore.datasets.features import STEPS
from dpcore.erm.method import Settings
from dpcore.erm.methods import dpgd
from dpcore.erm.problem import Problem, default_lam
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_mu
from dpcore.mechanisms.whole_gaussian import ADJACENCIES
from dpcore.release import grid, risk_counts, tuning
from dpcore.release.grid import Array
from dpcore.release.ledger import GaussianSpend
from dpcore.release.mechanism import MAX_STEPS, Mechanism, Path, mechanism_for
from dpcore.release.model import ReleasedModel, dimension, entry_of
from dpcore.release.risk_counts import Points
from dpcore.release.scorer import HIDDEN, LOSSES, MAX_HIDDEN, Scorer, scorer
from dpcore.words import at_most, capitalised, lowered, spaced

LEAST = 1e-3
"""The ε from which rules choose, as they know none of 0."""


@dataclass(frozen=True)
class ReleasePlan:
    """What is released, before any record is looked at but for their number."""

    columns: str  # as of a `ReleasedModel`, like features
    features: str
    budget: PrivacyBudget
    mechanism: Mechanism  # of one training
    path: Path
    chosen_of: int = 1  # models like it that are tried: all are paid
    factors: tuple[float, ...] = ()  # of λ, which are tried here; else they are as declared

    def __post_init__(self) -> None:
        # Sums beyond these, or longer ones, would be drawn without being paid.
        weights, mechanism = self.path.scorer.parameters, self.mechanism
        whole("steps", mechanism.steps, at_least=1, at_most=MAX_STEPS)
        others = self.path.count_sums + self.path.score_sums
        whole("sums that train nothing", others, at_least=0, at_most=mechanism.steps - 1)
        if self.factors:  # beyond, the weights themselves would not settle
            largest = lowered(1.0 / (self.path.learning_rate * self.path.lam), 3)
            number("λ factor", max(self.factors), above=0.0, at_most=largest)
        if self.factors and not (self.path.score_sums and len(self.factors) == self.chosen_of):
            raise reject("settings to choose from", len(self.factors), "as many as are paid")
        if weights != mechanism.dimension:
            raise reject(
                "number of weights", weights, f"the mechanism's {spaced(mechanism.dimension)}"
            )

    @property
    def adjacency(self) -> str:
        """What counts as one person's data."""
        return self.mechanism.adjacency

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return self.all_tried.spend

    @property
    def all_tried(self) -> Mechanism:
        """All trainings that it is the best of."""
        return self.mechanism.times(self.chosen_of)

    @property
    def tried(self) -> str:
        """What it costs to be the best of several, in a sentence; "" where none is declared."""
        if self.chosen_of == 1:
            return ""
        if self.factors:
            said = f"The best of {spaced(self.chosen_of)} that are trained here"
        else:
            said = capitalised(declared(self.chosen_of))
        times = at_most(math.sqrt(self.chosen_of))
        return f"{said}: all of them are paid, each with {times} times the noise of one alone."

    @property
    def noise(self) -> float:
        """Standard deviation of the noise in a coordinate of the mean gradient, C being 1."""
        return self.mechanism.sigma / self.mechanism.units / self.path.records

    def model(self, weights: Array, risks: Points | None = None) -> ReleasedModel:
        """The model of these weights, and of the curve that corrects its risks."""
        kind, listed = self.path.scorer, tuple(weights.tolist())
        return ReleasedModel(self.columns, self.features, kind.loss, listed, risks, kind.hidden)

    def untrained(self) -> ReleasedModel:
        """Before the first step: what cannot be written of it is found before it is paid."""
        is_corrected = self.path.count_sums > 0
        risks = risk_counts.straight(np.array([-1.0, 1.0])) if is_corrected else None
        return self.model(self.path.scorer.start(), risks)

    def at(self, epsilon: float) -> ReleasePlan:
        """The same plan for another ε; refuses one that no mechanism keeps."""
        budget, current = PrivacyBudget(epsilon, self.budget.delta), self.mechanism
        steps = self.all_tried.steps
        whole = mechanism_for(budget, current.dimension, steps, current.adjacency)
        mechanism = replace(whole, steps=current.steps)
        return replace(self, budget=budget, mechanism=mechanism)


def plan(
    columns: str,
    records: int,
    *,
    epsilon: float,
    delta: float,
    adjacency: Adjacency | str = Adjacency.ZERO_OUT,
    loss: str = "logistic",
    hidden: int | None = 0,
    features: str = "plain",
    steps: int | None = None,
    corrected: bool | None = None,
    chosen_of: int = 1,
    tune: tuple[float, ...] = (),
) -> ReleasePlan:
    """Plan a release.

    Parameters
    ----------
    columns : str
        Description of the table (`dpcore.datasets.own.description`), with an outcome of two.
    records : int
        n, which is public: of persons, where one may have several rows.
    epsilon, delta : float
        The budget of this release.
    adjacency : Adjacency or str
        zero-out or replace-one.
    loss : str
        logistic or huber.
    hidden : int, optional
        Units of a hidden layer; 0 is a linear model, and by ``None`` a rule says how many.
    features : str
        plain or additive.
    steps : int, optional
        Of the training; by DP-GD's rule unless given.
    corrected : bool, optional
        Whether risks are corrected by noisy counts of scores, for some more of the mechanism's
        sums; by ``None`` they are where the loss gives risks and the counts are precise enough.
    chosen_of : int
        How many models like it, with as much noise, were tried, of which it is the best by what
        they released and by public data; the budget is for all of them.
    tune : tuple of float
        Factors of λ to try here: a model is trained by each, and the best by noisy scores is
        released. The budget is for all of them.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    entry, budget = entry_of(columns), PrivacyBudget(epsilon, delta)
    n = whole("number of records", records, at_least=2, at_most=grid.MAX_RECORDS)
    d = dimension(entry, features)
    kind = scorer(loss, d, _width(hidden, d))
    rule = STEPS.get(features)
    uncounted = rule.uncounted if rule else 0
    counted = d - uncounted * sum(column.kind == "number" for column in entry.columns)
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))
    factors = tuning.checked(tune)
    tried = whole("settings tried", chosen_of, at_least=1, at_most=MAX_CHOSEN)
    if factors and tried > 1:
        raise reject("settings tried", tried, "left out where the release chooses")
    tried = len(factors) or tried
    mechanism, path = training(
        kind, n, counted, budget, chosen, steps, corrected, tried, is_scored=bool(factors)
    )
    plan = ReleasePlan(columns, features, budget, mechanism, path, tried, factors)
    # The ledger takes no other noise than this; better refused now than at the payment.
    _ = plan.spend
    return plan


def _count_sums(
    corrected: bool | None, loss: str, budget: PrivacyBudget, records: int, steps: int
) -> int:
    has_risks = loss == "logistic"
    if corrected and not has_risks:
        raise InvalidInput(
            f"The loss is {loss}, but risks are corrected of the logistic loss only: other scores "
            "are no risks."
        )
    if corrected is False or not has_risks:
        return 0
    sums = risk_counts.sums_for(budget, records, steps)
    if corrected and not sums:
        raise reject("steps", steps, f"at most {spaced(MAX_STEPS - 1)} where risks are corrected")
    return sums


def training(
    kind: Scorer,
    records: int,
    counted: int,
    budget: PrivacyBudget,
    adjacency: Adjacency,
    steps: int | None = None,
    corrected: bool | None = False,
    tried: int = 1,
    *,
    is_scored: bool = False,
) -> tuple[Mechanism, Path]:
    """Choose noise and steps by rule, from public values; arguments are as of `plan`.

    `counted` is how many features the rules count (`dpcore.datasets.features`). The budget is for
    all trainings `tried`, each scored or not; the rules are given what one of them costs.
    """
    one = _of_one(budget, tried)
    problem = Problem(
        one_of("loss", kind.loss, LOSSES),
        default_lam(records, counted) * dpgd.METHOD.lam_share,
        records,
        kind.features,
        adjacency,
        counted=counted,
    )
    (calibration,) = dpgd.METHOD.calibrate(
        problem, [one.epsilon], one.delta, Edition.SOUND, Settings(steps=steps)
    )
    by_rule, rate = kind.pace(
        calibration.steps, calibration.learning_rate, 1.0 / problem.smoothness
    )
    trained = steps or by_rule
    count_sums = _count_sums(corrected, kind.loss, one, records, trained)

    def with_sums(steps: int) -> Mechanism:
        together = mechanism_for(budget, kind.parameters, steps * tried, adjacency)
        return replace(together, steps=steps)

    score_sums = tuning.sums_for(trained) if is_scored else 0
    mechanism = with_sums(trained + count_sums + score_sums)
    if corrected is None and not risk_counts.are_precise(mechanism, count_sums, records):
        count_sums, mechanism = 0, with_sums(trained + score_sums)
    return mechanism, Path(kind, problem.lam, rate, records, count_sums, score_sums)


def _of_one(budget: PrivacyBudget, tried: int) -> PrivacyBudget:
    """What one of so many equal Gaussian releases costs at the budget's δ."""
    if tried == 1:
        return budget
    mu = analytic_mu(budget.epsilon, budget.delta) / math.sqrt(tried)
    return PrivacyBudget(max(analytic_epsilon(1.0 / mu, budget.delta), LEAST), budget.delta)


def _width(hidden: int | None, features: int) -> int:
    """Units of the hidden layer: those asked for, else `HIDDEN`, or as many as fit."""
    most = (grid.MAX_FEATURES - features) // (features + 1)
    if hidden is None:
        if most < 1:
            raise InvalidInput(
                f"The table has {spaced(features)} features, too many for a network: it must have "
                f"at most {spaced((grid.MAX_FEATURES - 1) // 2)}."
            )
        return min(HIDDEN, most)
    width = whole("hidden", hidden, at_least=0, at_most=MAX_HIDDEN)
    if width > max(most, 0):
        raise InvalidInput(
            f"hidden is {width}, but it must be at most {max(most, 0)}: a network of "
            f"{spaced(features)} features would have more than {spaced(grid.MAX_FEATURES)} weights."
        )
    return width
