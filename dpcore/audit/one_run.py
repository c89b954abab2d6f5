"""A lower bound on ε from a single training: many canaries, each in or out by a coin's toss.

After one training an auditor says of the canaries that look most like members "in", of those that
look least like them "out", and keeps silent about the rest. What holds for one record bounds how
many of these guesses can be right (Steinke, Nasr and Jagielski 2023, Theorem 5.2): of r guesses on
m canaries, with q = 1/(1 + e^{-ε}) and W ~ Binomial(r, q),

    P(v right or more) ≤ P(W ≥ v) + 2mδ max_{0 < i ≤ v} P(v > W ≥ v - i)/i.

So a training that is observed to be right v times refutes every ε for which that is below 1 %. It
needs no second training, and proves less than many would: a bound is a statement about the worst of
all canaries, made from an average over them.

The canaries here are records of which each has a feature to itself, so that in a linear network one
does not disturb another. One that is out is blank, without a label and therefore without a
gradient; where a record is replaced by another, it has the opposite label; under add/remove it is
not there, and about half of the public size are. Whether the ε that is promised is refuted depends
on the training alone, so a fault in clipping, noise, batches or accounting can be found, and so can
one in how they work together. How many records there are says nothing of any single canary here:
the attacks on many trainings (`dpcore.audit.deep`) look for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from dpcore.audit.attack import Bound
from dpcore.errors import InvalidInput, number, whole
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu

if TYPE_CHECKING:
    from dpcore.deep.config import TrainingConfig

Array = NDArray[np.floating]

FEATURE = 10.0
"""A canary's own feature: beside it the constant that all share is next to nothing."""
CLIP = 1e-2
MOVED = 1e-4
"""How far a step moves a weight by C: too little to change the slope."""
COIN_STREAM = 0x436F696E
"""Any number that no other stream begins with."""
CANARIES = 4_000
LARGEST_EPSILON = 50.0
LESS = 3.0
"""So many times less noise than there should be is what the number of guesses is best for: few
guesses prove most of an honest training, but too little to refute anything."""


@dataclass(frozen=True, kw_only=True)
class OneRunResult(Bound):
    """What one training gave away.

    Parameters
    ----------
    canaries, guesses, right : int
        How many there were, how many were guessed at, and how many of these rightly.
    """

    @property
    def about(self) -> str:
        """What this audit is made for, and what it therefore does not show."""
        return (
            "How many canaries are guessed at is tuned to find out a training with a third of the "
            "noise that it should have; one with more than that may pass, and of an honest "
            "training it proves less than it could."
        )

    canaries: int
    guesses: int
    right: int


def chance(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The most that (ε, δ) allows for the chance of so many right guesses or more.

    Parameters
    ----------
    canaries, guesses : int
        m and r, fixed beforehand; r at most m.
    right : int
        v, 0 to r.
    epsilon : float
        At least 0.
    delta : float
        In [0, 1).

    References
    ----------
    Steinke, Nasr and Jagielski 2023, Theorem 5.2; the maximum as in their appendix D.
    """
    if right <= 0:
        return 1.0
    likely = float(special.expit(epsilon))
    beyond = float(stats.binom.sf(right - 1, guesses, likely))
    down = np.arange(1, right + 1)
    inside = np.cumsum(stats.binom.pmf(right - down, guesses, likely))
    return min(1.0, beyond + 2.0 * canaries * delta * float((inside / down).max()))


def least_epsilon(
    canaries: int, guesses: int, right: int, delta: float, confidence: float = 0.99
) -> float:
    """The ε that so many right guesses prove, ≥ 0; rounded down.

    Every ε for which `chance` is below 1 - confidence is refuted, and with it all that are smaller.

    Raises
    ------
    InvalidInput
        If the numbers do not fit, or δ or the confidence is out of range.
    """
    whole("canaries", canaries, at_least=1)
    whole("guesses", guesses, at_least=1, at_most=canaries)
    whole("right guesses", right, at_least=0, at_most=guesses)
    number("delta", delta, at_least=0.0, below=1.0)
    number("confidence", confidence, at_least=0.5, below=1.0)

    def over(epsilon: float) -> float:
        return chance(canaries, guesses, right, epsilon, delta) - (1.0 - confidence)

    if over(0.0) >= 0.0:
        return 0.0
    refuted, open_still = 0.0, LARGEST_EPSILON
    while open_still - refuted > 1e-6:
        middle = 0.5 * (refuted + open_still)
        if over(middle) < 0.0:
            refuted = middle
        else:
            open_still = middle
    return refuted


@cache
def best_guesses(canaries: int, epsilon: float, delta: float, confidence: float) -> int:
    """How many guesses would prove most of Gaussian noise that is a third of what (ε, δ) needs.

    It is settled by public values, before the training.
    """
    mu = LESS * float(analytic_mu(epsilon, delta))
    best, found = canaries, -1.0
    for guesses in np.unique(np.geomspace(20, canaries, 24).astype(int)).tolist():
        # Canaries that are in score N(μ, 1), others N(0, 1); the highest r/2 are said to be in.
        part = min(guesses / (2.0 * canaries), 0.5)

        def above(level: float, part: float = part) -> float:
            return 0.5 * float(stats.norm.sf(level) + stats.norm.sf(level - mu)) - part

        level = float(optimize.brentq(above, -50.0, 50.0 + mu))
        right = int(guesses * 0.5 * float(stats.norm.sf(level - mu)) / part)
        bound = least_epsilon(canaries, guesses, min(right, guesses), delta, confidence)
        if bound > found:
            best, found = guesses, bound
    return best


def guessed(scores: Array, inside: NDArray[np.bool_], guesses: int) -> int:
    """How many guesses are right: the highest half of them "in", the lowest half "out".

    Parameters
    ----------
    scores : (m,) array
        Larger for canaries that look like members.
    inside : (m,) array of bool
    guesses : int
        r; of an odd number the odd one is an "in".
    """
    order, out = np.argsort(scores, kind="stable"), guesses // 2
    return int(inside[order[len(order) - (guesses - out) :]].sum() + (~inside[order[:out]]).sum())


def audit(
    epsilon: float = 1.0,
    delta: float = 1e-5,
    *,
    adjacency: Adjacency = Adjacency.ZERO_OUT,
    sampling: str = "none",
    steps: int = 4,
    rate: float = 0.5,
    canaries: int = CANARIES,
    noise_share: float = 1.0,
    confidence: float = 0.99,
    seed: int = 0,
) -> OneRunResult:
    """Train once on canaries, and see what can be told of them.

    Parameters
    ----------
    epsilon, delta : float
        The budget whose least noise is taken.
    adjacency : Adjacency
    sampling : str
        "none", "poisson" or "fixed".
    steps : int
        About so many, in whole epochs.
    rate : float
        Sampling rate, where batches are drawn.
    canaries : int
        m.
    noise_share : float
        In (0, 1]: below 1, a copy with so much of the noise is trained, under the same promise.
    confidence : float
        At least 0.5, below 1.
    seed : int
        Of the coins, and of the training.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    from dpcore.deep.config import TrainingConfig
    from dpcore.deep.guarantee import guarantee

    m = whole("canaries", canaries, at_least=100, at_most=10_000)
    share = number("noise-share", noise_share, above=0.0, at_most=1.0)
    number("rate", rate, above=0.0, at_most=1.0)
    number("confidence", confidence, at_least=0.5, below=1.0)
    whole("seed", seed, at_least=0, at_most=2**31 - 1)
    batch = m if sampling == "none" else max(1, int(rate * m))
    config = TrainingConfig(
        network="linear",
        epochs=max(1, whole("steps", steps, at_least=1) // -(-m // batch)),
        batch=batch,
        learning_rate=MOVED * batch / CLIP,
        clip=CLIP,
        sampling=sampling,
        adjacency=str(adjacency),
        public_size=m if adjacency is Adjacency.ADD_REMOVE else None,
        delta=delta,
        seed=seed,
    ).within(epsilon, m)
    promise = guarantee(config, m).certified
    if promise.epsilon is None:
        raise InvalidInput(
            f"training proves nothing, but an audit needs a promise: {promise.reason}"
        )
    guesses = best_guesses(m, promise.epsilon, delta, confidence)
    inside = np.random.default_rng([COIN_STREAM, seed]).random(m) < 0.5
    scores = _trained(replace(config, sigma=share * config.sigma), inside, adjacency)
    right = guessed(scores, inside, guesses)
    return OneRunResult(
        promise=promise,
        lower_bound=least_epsilon(m, guesses, right, delta, confidence),
        confidence=confidence,
        canaries=m,
        guesses=guesses,
        right=right,
        noise_share=share,
    )


def _trained(config: TrainingConfig, inside: NDArray[np.bool_], adjacency: Adjacency) -> Array:
    """How far one training moved each canary's output towards its label, (m,)."""
    from dpcore.deep.training import TrainingRun

    inputs = np.diag(np.full(len(inside), FEATURE, dtype=np.float32))
    out = 0.0 if adjacency is Adjacency.REPLACE_ONE else np.nan
    targets = np.where(inside, 1.0, out).astype(np.float32)[:, None]
    there = inside if adjacency is Adjacency.ADD_REMOVE else np.ones_like(inside)
    run = TrainingRun(config, inputs[there], targets[there], 1, task="labels")
    before = run.scores(inputs)
    run.advance(run.steps)
    return np.asarray((run.scores(inputs) - before)[0, :, 0], dtype=float)
