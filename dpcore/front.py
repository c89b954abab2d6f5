"""The package's front door: one function for each of the most frequent questions.

Every function here calls the same code as the pages and the commands, and only adds the reading of
its arguments. Each import waits for the question that needs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from dpcore.accounting.events import Composed
    from dpcore.accounting.planner import Plan
    from dpcore.accounting.risk import Odds
    from dpcore.datasets import Table
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.training import TrainingStudy

SAMPLINGS = ("none", "poisson", "fixed")


@dataclass(frozen=True)
class Run:
    """A run of noisy steps: the release itself, without its cost.

    Parameters
    ----------
    noise_multiplier : float
        σ₀/C of the first step: noise on the sum of records that are clipped to C, whatever the
        adjacency.
    sampling_rate : float
        q in (0, 1], the share of the records in a step; 1 for all of them.
    steps : int
        T.
    adjacency : str
        "zero-out", "replace-one", or "add-remove" where q and T come from a public size.
    sampling : str
        "poisson": every record with probability q; "fixed": a batch of a fixed size.
    decay : float
        R in (0, 1]: the *variance* of the noise is multiplied by it each time; 1 for equal steps.
    decay_every : int
        Steps between two decays.

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
    decay: float = 1.0
    decay_every: int = 1

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, at_least=1e-8, at_most=1e10)
        rate = number("sampling_rate", self.sampling_rate, at_least=1e-12, at_most=1.0)
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "sampling_rate", rate)
        steps = whole("steps", self.steps, at_least=1, at_most=10_000_000)
        object.__setattr__(self, "steps", steps)
        one_of("adjacency", self.adjacency, tuple(Adjacency))
        one_of("sampling", self.sampling, ("poisson", "fixed"))
        decay = number("decay", self.decay, above=0.0, at_most=1.0)
        object.__setattr__(self, "decay", decay)
        decay_every = whole("decay_every", self.decay_every, at_least=1, at_most=10_000_000)
        object.__setattr__(self, "decay_every", decay_every)

    def event(self) -> Composed:
        """The release as an event for accountants.

        Raises
        ------
        InvalidInput
            If the noise decays beyond what accountants are tested for.
        """
        from dpcore.accounting.events import from_schedule
        from dpcore.accounting.planner import TrainingPlan

        # A plan of anything with this noise: only its schedule is used.
        plan = TrainingPlan(
            sigma=self.noise_multiplier,
            records=1,
            batch=1,
            steps=self.steps,
            delta=0.5,
            decay=self.decay,
            decay_every=self.decay_every,
        )
        sampling = "none" if self.sampling_rate == 1.0 else self.sampling
        return from_schedule(plan.schedule(), rate=self.sampling_rate, sampling=sampling)


def sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least Gaussian noise for (ε, δ), by the exact calibration; rounded up.

    Parameters
    ----------
    epsilon : float
        Above 0.
    delta : float
        In (0, 1).
    sensitivity : float
        Largest change of the query by one person, in L2; it carries the adjacency.

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
        For one release: its largest change by one person, in L2. A run has its own.
    accountant : str
        For a run; see `certify`. One release has an exact answer.

    Returns
    -------
    float
        ε under the adjacency of the run, or of the sensitivity. Infinite where the accountant gives
        no finite one: `certify` then gives the reason.

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
        certified = certify(what, delta, accountant=accountant).epsilon
        return math.inf if certified is None else certified
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
        For one release: its largest change by one person, in L2.

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
    """An accountant's certificate for a run, with its name, the adjacency and any reason.

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
    noise_multiplier: float | None = None,
    sigma: float | None = None,
    clip: float = 1.0,
    decay: float = 1.0,
    decay_every: int = 1,
    sampling: str | None = None,
    adjacency: str = "zero-out",
    accountant: str = "pld",
) -> Plan:
    """One setting of a run, solved for an allowed ε.

    Parameters
    ----------
    unknown : str
        "sigma" (the least noise σ₀), "steps" and "batch" (the most), "delta" (the least), "clip"
        (the largest C), or "epsilon" (the run's cost). The unknown may be given too, as the start
        of the search.
    epsilon : float, optional
        The allowed ε; left out only where it is solved for.
    delta : float
        In (0, 1).
    records : int
        n, which is public; under add-remove a public size in its place.
    batch : int, optional
        (Expected) records a step; all of them where it is left out.
    steps : int
        T.
    noise_multiplier : float, optional
        σ₀/C; 1 where `sigma` is left out as well.
    sigma : float, optional
        σ₀ itself, on the sum of clipped records at the first step; in place of `noise_multiplier`.
    clip : float
        C, the norm that each record is clipped to.
    decay : float
        R in (0, 1]: the *variance* is multiplied by it each time.
    decay_every : int
        Steps between two decays.
    sampling : str, optional
        "poisson" (the usual one where there is a batch), "fixed", or "none".
    adjacency : str
        "zero-out", "replace-one" or "add-remove".
    accountant : str
        As in `certify`.

    Returns
    -------
    Plan
        The value, the settings with it, the guarantee for just these, and a sentence. σ, δ and C
        are within 0.01 % of the best value and always on the safe side.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> most = dpcore.plan("steps", epsilon=2, records=10_000, batch=100, noise_multiplier=1.1)
    >>> most.value
    1724.0
    """
    from dpcore.accounting import planner

    if epsilon is None and unknown != "epsilon":
        raise InvalidInput("epsilon is missing, but a plan needs the ε that may be spent.")
    if epsilon is not None and unknown == "epsilon":
        raise InvalidInput("epsilon is given, but it is what is solved for: leave it out.")
    one_of("unknown", unknown, ("sigma", "steps", "batch", "delta", "clip", "epsilon"))
    if sigma is None:
        clip = number("clip", clip, above=0.0)
        multiplier = 1.0 if noise_multiplier is None else noise_multiplier
        sigma = number("noise_multiplier", multiplier, above=0.0) * clip
    elif noise_multiplier is not None:
        raise reject("noise_multiplier", noise_multiplier, "left out where sigma is named")
    sampled = batch is not None or unknown == "batch"
    sampling = ("poisson" if sampled else "none") if sampling is None else sampling
    one_of("sampling", sampling, SAMPLINGS)
    training = planner.TrainingPlan(
        sigma=sigma,
        records=records,
        batch=(1 if sampled else records) if batch is None else batch,
        steps=steps,
        delta=delta,
        clip=clip,
        decay=decay,
        decay_every=decay_every,
        sampling=sampling,
        adjacency=Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))),
    )
    return planner.solve(unknown, training, 1.0 if epsilon is None else epsilon, accountant)


def risk(
    what: float | Run | Guarantee, delta: float | None = None, *, adjacency: str | None = None
) -> Odds:
    """The power of a release to reveal one person: of 100 guessers, how many are right.

    Parameters
    ----------
    what : float, Run or Guarantee
        An ε, a run, whose own curve is used (never more than its ε would say), or a guarantee such
        as `certify` gives; an estimator's `guarantee_` is one, too.
    delta : float, optional
        δ of an ε; only for an ε.
    adjacency : str, optional
        Adjacency of an ε: "zero-out" (the default), "replace-one" or "add-remove". It decides what
        is guessed; only for an ε.

    Returns
    -------
    Odds
        `right` of 100 at most, and one sentence for a person to read.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or δ or an adjacency is missing or superfluous.

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
        if adjacency is not None:
            raise InvalidInput(
                f"adjacency is {brief(adjacency)}, but {_named(what)} needs none here."
            )
        return odds(_budget(what), Adjacency(what.adjacency))
    if delta is None:
        raise InvalidInput("delta is missing, but an ε says nothing without it.")
    adjacency = Adjacency.ZERO_OUT if adjacency is None else adjacency
    compared = Adjacency(one_of("adjacency", adjacency, tuple(Adjacency)))
    return odds(PrivacyBudget(what, delta), compared)


def _budget(what: Run | Guarantee) -> PrivacyBudget | None:
    if isinstance(what, Guarantee):
        finite = what.epsilon is not None and math.isfinite(what.epsilon) and not what.vacuous
        if not finite or what.epsilon is None or what.delta is None:
            return None
        return PrivacyBudget(max(what.epsilon, 1e-12), what.delta)
    from dpcore.accounting import tradeoff

    curve = tradeoff.from_event(what.event(), Adjacency(what.adjacency))
    # The curve's own point at ε = 0, where δ is the advantage: it loses nothing.
    return PrivacyBudget(1e-12, min(tradeoff.advantage(curve), math.nextafter(1.0, 0.0)))


def load(
    dataset: str,
    *,
    records: int | None = None,
    seed: int = 0,
    file: str | PathLike[str] | None = None,
    columns: str = "",
    progress: Callable[[float, str], None] | None = None,
) -> Table:
    """The records of a data set, by its name or from a file; `prepare` makes a matrix of them.

    Parameters
    ----------
    dataset : str
        Name in the catalogue, or "own" for the user's own table.
    records : int, optional
        For "cohort" only: how many patients, 100 to 1,000,000 (3,000 where it is left out).
    seed : int
        For "cohort" only: which patients.
    file : path, optional
        Path of a file (CSV) to read instead of the copy at hand; recognised by its checksum, or
        else every row is checked. The user's own table comes in one.
    columns : str
        Allowed values of the columns of the user's own table, one a line
        (`dpcore.datasets.own.described`); public, and never taken from the records.
    progress : callable, optional
        Called with (share done, message) while a set is downloaded.

    Returns
    -------
    Table
        Decoded, not yet prepared.

    Raises
    ------
    InvalidInput
        If there is no such set, or the file is malformed.
    DataUnavailable
        If the set is not at hand and can't be obtained; the sentence says what to do.

    Examples
    --------
    >>> import dpcore
    >>> len(dpcore.load("breast_cancer").frame)
    569
    """
    from dpcore import datasets

    if file is None:
        if columns:
            raise InvalidInput("columns are described, but no file is named that has them.")
        return datasets.load(dataset, records=records, seed=seed, progress=progress)
    if records is not None:
        raise reject("records", records, "left out where a file is named")
    from pathlib import Path

    from dpcore.datasets.files import contents
    from dpcore.datasets.text import LARGEST_UPLOAD

    # One byte more than allowed: reading then reports that it is too large.
    return datasets.read_upload(
        dataset, contents("file", str(file), LARGEST_UPLOAD), Path(file).name, columns
    )


def explore(study: Study, **options: Any) -> pd.DataFrame:
    """Accuracy against ε, one row a method and ε: in closed form where there is one, else sampled.

    Noise comes from the study's seed: for exploration only.

    Parameters
    ----------
    study : Study
        It names the adjacency.
    **options
        As of `dpcore.evaluation.curves.answers`: `split` (from `prepare`, where at hand),
        `progress`, `cancelled`.

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

    Batches and noise come from the configuration's seed: for exploration only.

    Parameters
    ----------
    study : TrainingStudy
        Its `config`, a `dpcore.TrainingConfig`, holds the training settings and the adjacency.
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


def vary(
    study: TrainingStudy,
    setting: str,
    values: Sequence[float] | None = None,
    *,
    gives_way: str | None = None,
) -> pd.DataFrame:
    """The effect of one setting on a private training within the same ε, one row a value.

    A setting can't be changed alone at a fixed ε: the noise or the epochs give way. Batches and
    noise come from the configuration's seed: for exploration only.

    Parameters
    ----------
    study : TrainingStudy
        Its ε is the target; without one its budget, or else the ε of its own σ₀. Its
        configuration names the adjacency.
    setting : str
        "decay", "sigma", "clip", "batch" or "units".
    values : sequence of float, optional
        Values to compare; by default the present one and some around it.
    gives_way : str, optional
        "noise": σ₀ is solved anew. "epochs": as many are run as σ₀ affords. By default the
        setting's usual one.

    Returns
    -------
    DataFrame
        Where the training with each value ended, as of `dpcore.evaluation.effects.ends`. What is
        measured is computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If a value is out of range, the setting has no effect here, or not even one step fits.
    """
    from dpcore.datasets import images
    from dpcore.evaluation import effects
    from dpcore.evaluation.task import JobContext
    from dpcore.evaluation.training.task import swept

    effect = effects.effect(setting)
    examples = images.load(study.dataset, **dict(study.settings))
    records = study.trained_on(examples.records)
    chosen = effect.values(study, records, gives_way) if values is None else tuple(values)
    sweep = effect.sweep(study, records, chosen, gives_way)
    return effects.ends(effect, chosen, sweep, swept(sweep, JobContext()).rows)


def _has_its_own(sensitivity: float) -> None:
    if sensitivity != 1.0:
        raise reject("sensitivity", sensitivity, "left out: a run's noise is in units of C")


def _named(what: Run | Guarantee) -> str:
    return "a run's own curve" if isinstance(what, Run) else "a guarantee, which has its own,"


__all__ = [
    "Run",
    "certify",
    "delta",
    "epsilon",
    "explore",
    "load",
    "plan",
    "risk",
    "sigma",
    "train",
    "vary",
]
