"""The package's front door: the questions that are asked most, as one function each.

Every function here calls the code that the pages and the commands call, and adds nothing to it but
the reading of its arguments. Each import waits for the question that needs it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.accounting.events import Composed
    from dpcore.accounting.planner import Plan
    from dpcore.accounting.risk import Odds
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.training import TrainingStudy

SAMPLINGS = ("none", "poisson", "fixed")


@dataclass(frozen=True)
class Run:
    """A run of equal noisy steps: what is released, apart from what it costs.

    Parameters
    ----------
    noise_multiplier : float
        σ/C: noise on the sum of records that are clipped to C, whatever the adjacency.
    sampling_rate : float
        q in (0, 1], the share of the records in a step; 1 for all of them.
    steps : int
        T.
    adjacency : str
        "zero-out", "replace-one", or "add-remove" where q and T come from a public size.
    sampling : str
        "poisson": every record with probability q; "fixed": a batch of a fixed size.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> run = dpcore.Run(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
    >>> round(dpcore.epsilon(run, delta=1e-5), 3)
    1.516
    """

    noise_multiplier: float
    sampling_rate: float = 1.0
    steps: int = 1
    adjacency: str = "zero-out"
    sampling: str = "poisson"

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, at_least=1e-8, at_most=1e10)
        rate = number("sampling_rate", self.sampling_rate, at_least=1e-12, at_most=1.0)
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "sampling_rate", rate)
        steps = whole("steps", self.steps, at_least=1, at_most=10_000_000)
        object.__setattr__(self, "steps", steps)
        one_of("adjacency", self.adjacency, tuple(Adjacency))
        one_of("sampling", self.sampling, ("poisson", "fixed"))

    def event(self) -> Composed:
        """What is released, as accountants read it."""
        from dpcore.accounting.events import from_schedule
        from dpcore.accounting.schedules import constant

        sampling = "none" if self.sampling_rate == 1.0 else self.sampling
        noise = constant(self.noise_multiplier, self.steps)
        return from_schedule(noise, rate=self.sampling_rate, sampling=sampling)


def sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least Gaussian noise that keeps (ε, δ), by the exact calibration; rounded up.

    Parameters
    ----------
    epsilon : float
        Above 0.
    delta : float
        In (0, 1).
    sensitivity : float
        How far one person can move the query, in L2; it carries the adjacency.

    Returns
    -------
    float
        Standard deviation of a coordinate, in the query's units.

    Raises
    ------
    InvalidInput
        If an argument is outside its range.

    References
    ----------
    Balle and Wang 2018, Theorem 8; `dpcore.mechanisms.gaussian.analytic_sigma`.

    Examples
    --------
    >>> import dpcore
    >>> round(dpcore.sigma(epsilon=1, delta=1e-5), 4)
    3.7306
    """
    from dpcore.mechanisms.gaussian import analytic_sigma

    epsilon = number("epsilon", epsilon, above=0.0)
    delta = number("delta", delta, above=0.0, below=1.0)
    return float(analytic_sigma(epsilon, delta, number("sensitivity", sensitivity, above=0.0)))


def epsilon(
    what: Run | float, delta: float, *, sensitivity: float = 1.0, accountant: str = "pld"
) -> float:
    """The ε of a run, or of one release with Gaussian noise; an upper bound.

    Parameters
    ----------
    what : Run or float
        A run, or the σ of one release.
    delta : float
        In (0, 1).
    sensitivity : float
        Of one release: how far one person can move it, in L2. A run has its own.
    accountant : str
        Of a run; see `certify`. One release has an exact answer.

    Returns
    -------
    float
        ε under the adjacency of the run, or of the sensitivity. Infinite where the accountant gives
        no finite one: `certify` then says why.

    Raises
    ------
    InvalidInput
        If an argument is outside its range.

    References
    ----------
    `dpcore.accounting.accountants` for a run; Balle and Wang 2018, Theorem 8 for one release.
    """
    if isinstance(what, Run):
        _has_its_own(sensitivity)
        found = certify(what, delta, accountant=accountant).epsilon
        return math.inf if found is None else found
    from dpcore.mechanisms.gaussian import analytic_epsilon

    noise = number("sigma", what, above=0.0)
    delta = number("delta", delta, above=0.0, below=1.0)
    return float(analytic_epsilon(noise, delta, number("sensitivity", sensitivity, above=0.0)))


def delta(what: Run | float, epsilon: float, *, sensitivity: float = 1.0) -> float:
    """The δ of a run, or of one release with Gaussian noise, at an ε; an upper bound.

    Parameters
    ----------
    what : Run or float
        A run, or the σ of one release.
    epsilon : float
        At least 0.
    sensitivity : float
        Of one release: how far one person can move it, in L2.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or privacy loss distributions do not cover the run.

    References
    ----------
    Doroshenko et al. 2022 for a run; Balle and Wang 2018, Theorem 8 for one release.
    """
    epsilon = number("epsilon", epsilon, at_least=0.0)
    if isinstance(what, Run):
        from dpcore.accounting.tradeoff import from_event

        _has_its_own(sensitivity)
        return float(from_event(what.event(), Adjacency(what.adjacency)).delta(epsilon))
    from dpcore.mechanisms.gaussian import analytic_delta

    noise = number("sigma", what, above=0.0)
    return float(analytic_delta(epsilon, noise, number("sensitivity", sensitivity, above=0.0)))


def certify(run: Run, delta: float, *, accountant: str = "pld") -> Guarantee:
    """What an accountant certifies for a run, with its name, the adjacency and any reason.

    Parameters
    ----------
    run : Run
    delta : float
        In (0, 1).
    accountant : str
        "pld" (the tightest), "rdp", "gdp", "zcdp", "tcdp", "strong" or "basic".

    Returns
    -------
    Guarantee
        With ε ``None`` and a sentence where the accountant has no theorem for the run.

    Raises
    ------
    InvalidInput
        If an argument is outside its range.
    """
    from dpcore.accounting import accountants

    if not isinstance(run, Run):
        raise reject("run", run, "a dpcore.Run")
    return accountants.certify(run.event(), delta, Adjacency(run.adjacency), accountant)


def plan(
    unknown: str,
    *,
    epsilon: float | None = None,
    delta: float = 1e-5,
    records: int = 1,
    batch: int | None = None,
    steps: int = 1,
    noise_multiplier: float = 1.0,
    sampling: str | None = None,
    adjacency: str = "zero-out",
    accountant: str = "pld",
) -> Plan:
    """One setting of a run, solved for an ε that may be spent.

    Parameters
    ----------
    unknown : str
        "sigma" (the least noise multiplier), "steps" and "batch" (the most), "delta" (the least),
        or "epsilon" (what the run costs).
    epsilon : float, optional
        That may be spent; left out only where it is solved for.
    delta, steps, noise_multiplier : float, int, float
        The others; the one that is solved for is where the search begins.
    records : int
        n, which is public; under add-remove a public size in its place.
    batch : int, optional
        (Expected) records a step; all of them where it is left out.
    sampling : str, optional
        "poisson" (the usual one where there is a batch), "fixed", or "none".
    adjacency : str
        "zero-out", "replace-one" or "add-remove".
    accountant : str
        As in `certify`.

    Returns
    -------
    Plan
        The value, the settings with it, the guarantee for just these, and a sentence.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> found = dpcore.plan("steps", epsilon=2, records=10_000, batch=100, noise_multiplier=1.1)
    >>> found.value
    1724.0
    """
    from dpcore.accounting import planner

    if epsilon is None and unknown != "epsilon":
        raise InvalidInput("epsilon is missing, but a plan needs the ε that may be spent.")
    if epsilon is not None and unknown == "epsilon":
        raise InvalidInput("epsilon is given, but it is what is solved for: leave it out.")
    one_of("unknown", unknown, ("sigma", "steps", "batch", "delta", "epsilon"))
    sampled = batch is not None or unknown == "batch"
    sampling = ("poisson" if sampled else "none") if sampling is None else sampling
    one_of("sampling", sampling, SAMPLINGS)
    training = planner.TrainingPlan(
        sigma=noise_multiplier,
        records=records,
        batch=(1 if sampled else records) if batch is None else batch,
        steps=steps,
        delta=delta,
        sampling=sampling,
        adjacency=Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))),
    )
    return planner.solve(unknown, training, 1.0 if epsilon is None else epsilon, accountant)


def risk(what: float | Run | Guarantee, delta: float | None = None) -> Odds:
    """What a release lets somebody guess about one person: of 100 guessers, how many are right.

    Parameters
    ----------
    what : float, Run or Guarantee
        An ε under zero-out, a run, whose own curve is used (never more than its ε would say), or a
        guarantee such as `certify` gives; an estimator's `guarantee_` is one, too.
    delta : float, optional
        That goes with an ε; nothing else takes it.

    Returns
    -------
    Odds
        `right` of 100 at most, and one sentence for a person to read.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or δ is missing or superfluous.

    References
    ----------
    Kairouz, Oh and Viswanath 2015 for (ε, δ); Dong, Roth and Su 2022 for curves.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.risk(1, delta=1e-5).right
    74
    """
    from dpcore.accounting.risk import odds

    if isinstance(what, (Run, Guarantee)):
        if delta is not None:
            raise InvalidInput(f"delta is {brief(delta)}, but {_named(what)} needs none here.")
        adjacency = Adjacency(what.adjacency)
        return odds(_budget(what), adjacency)
    if delta is None:
        raise InvalidInput("delta is missing, but an ε says nothing without it.")
    return odds(PrivacyBudget(what, delta), Adjacency.ZERO_OUT)


def _budget(what: Run | Guarantee) -> PrivacyBudget | None:
    if isinstance(what, Guarantee):
        found = what.epsilon is not None and math.isfinite(what.epsilon) and not what.vacuous
        if not found or what.epsilon is None or what.delta is None:
            return None
        return PrivacyBudget(max(what.epsilon, 1e-12), what.delta)
    from dpcore.accounting import tradeoff

    curve = tradeoff.from_event(what.event(), Adjacency(what.adjacency))
    # The curve's own point at ε = 0, where δ is the advantage: nothing is lost by it.
    return PrivacyBudget(1e-12, min(tradeoff.advantage(curve), math.nextafter(1.0, 0.0)))


def explore(study: Study, **options: Any) -> pd.DataFrame:
    """Accuracy against ε, one row a method and ε: in closed form where there is one, else sampled.

    Parameters
    ----------
    study : Study
    **options
        As of `dpcore.evaluation.curves.answers`: `split`, `progress`, `cancelled`.

    Returns
    -------
    DataFrame
        What is measured is computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If the study does not fit its data.
    """
    from dpcore.evaluation.curves import answers

    return answers(study, **options)


def train(study: TrainingStudy, **options: Any) -> pd.DataFrame:
    """A network's private training, one row a run and epoch.

    Parameters
    ----------
    study : TrainingStudy
        Its `config` says how to train, a `dpcore.TrainingConfig`.
    **options
        As of `dpcore.evaluation.training.train`: `device`, `progress`, `cancelled`.

    Returns
    -------
    DataFrame
        What is measured is computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If the study does not fit its data.
    """
    from dpcore.evaluation.training import task

    return task.train(study, **options)


def _has_its_own(sensitivity: float) -> None:
    if sensitivity != 1.0:
        raise reject("sensitivity", sensitivity, "left out: a run's noise is told in units of C")


def _named(what: Run | Guarantee) -> str:
    return "a run's own curve" if isinstance(what, Run) else "a guarantee, which has its own,"


__all__ = [
    "Run",
    "certify",
    "delta",
    "epsilon",
    "explore",
    "plan",
    "risk",
    "sigma",
    "train",
]
