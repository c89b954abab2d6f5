"""σ, ε, δ and risk of one release or of a run, and an accountant's certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget

if TYPE_CHECKING:
    from dpcore.accounting.events import Composed
    from dpcore.accounting.risk import Odds


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
        read: dict[str, float] = {}
        for field, least, most in (("noise_multiplier", 1e-8, 1e10), ("sampling_rate", 1e-12, 1.0)):
            read[field] = number(field, getattr(self, field), at_least=least, at_most=most)
        read["steps"] = whole("steps", self.steps, at_least=1, at_most=10_000_000)
        one_of("adjacency", self.adjacency, tuple(Adjacency))
        one_of("sampling", self.sampling, ("poisson", "fixed"))
        read["decay"] = number("decay", self.decay, above=0.0, at_most=1.0)
        every = whole("decay_every", self.decay_every, at_least=1, at_most=10_000_000)
        for field, value in (read | {"decay_every": every}).items():
            object.__setattr__(self, field, value)

    def event(self) -> Composed:
        """The release as an event for accountants."""
        from dpcore.accounting.events import TrainingPlan, from_schedule

        # A plan of anything with this noise: only its schedule is used.
        plan = TrainingPlan(
            self.noise_multiplier, 1, 1, self.steps, 0.5, 1.0, self.decay, self.decay_every
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
    return analytic_sigma(epsilon, delta, number("sensitivity", sensitivity, above=0.0))


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
        return certify(what, delta, accountant=accountant).bound
    from dpcore.mechanisms.gaussian import analytic_epsilon

    noise = number("sigma", what, above=0.0)
    delta = number("delta", delta, above=0.0, below=1.0)
    return analytic_epsilon(noise, delta, number("sensitivity", sensitivity, above=0.0))


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
    return analytic_delta(epsilon, noise, number("sensitivity", sensitivity, above=0.0))


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
        With ε ``None`` and a sentence where the accountant has no theorem for the run; its μ is of
        the noise itself, by numbers where steps are sampled, and the same for every accountant.

    Raises
    ------
    InvalidInput
        If an argument is outside its range.
    """
    from dpcore.accounting import accountants, tradeoff
    from dpcore.accounting.events import steps

    if not isinstance(run, Run):
        raise reject("run", run, "a dpcore.Run")
    event, adjacency = run.event(), Adjacency(run.adjacency)
    certified = accountants.certify(event, delta, adjacency, accountant)
    if certified.epsilon is None:
        return certified
    return replace(certified, mu=tradeoff.mu_of(steps(event), adjacency, delta))


def risk(
    what: float | Run | Guarantee, delta: float | None = None, *, adjacency: str | None = None
) -> Odds:
    """The power of a release to reveal one person: of 100 guessers, how many are right.

    Parameters
    ----------
    what : float, Run or Guarantee
        An ε; a run, whose own curve is used (never more than its ε would say); or a guarantee: an
        estimator's `guarantee_`, which knows its noise, or one such as `certify` gives, of which
        (ε, δ) alone is known.
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
    from dpcore.accounting.risk import odds, odds_by, promised

    if isinstance(what, (Run, Guarantee)):
        for name, given in (("delta", delta), ("adjacency", adjacency)):
            if given is not None:
                raise InvalidInput(f"{name} is {brief(given)}, but {_named(what)} needs none here.")
        compared = Adjacency(what.adjacency)
        if isinstance(what, Guarantee):
            return odds(promised(what), compared, what.advantage)
        from dpcore.accounting import tradeoff

        return odds_by(tradeoff.advantage(tradeoff.from_event(what.event(), compared)), compared)
    if delta is None:
        raise InvalidInput("delta is missing, but an ε says nothing without it.")
    adjacency = Adjacency.ZERO_OUT if adjacency is None else adjacency
    compared = Adjacency(one_of("adjacency", adjacency, tuple(Adjacency)))
    return odds(PrivacyBudget(what, delta), compared)


def _has_its_own(sensitivity: float) -> None:
    if sensitivity != 1.0:
        raise reject("sensitivity", sensitivity, "left out: a run's noise is in units of C")


def _named(what: Run | Guarantee) -> str:
    return "a run's own curve" if isinstance(what, Run) else "a guarantee, which has its own,"
