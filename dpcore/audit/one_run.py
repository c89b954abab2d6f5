"""A lower bound on ε from a single training: many canaries, each in or out by a coin's toss.

After one training an auditor guesses "in" for the canaries that look most like members, "out" for
those that look least like them, and abstains on the rest. The promise for one record bounds how
many of these guesses can be right (Steinke, Nasr and Jagielski 2023, Theorem 5.2): of r guesses on
m canaries, with q = 1/(1 + e^{-ε}) and W ~ Binomial(r, q),

    P(v right or more) ≤ P(W ≥ v) + 2mδ max_{0 < i ≤ v} P(v > W ≥ v - i)/i.

So v right guesses refute every ε for which that is below 1 %. This needs no second training, and
proves less than many trainings would: the bound is on the worst of all canaries, estimated from an
average over them.

Each canary has a feature of its own, so that in a linear network canaries do not interfere. One
that is out is blank, without a label and therefore without a gradient; under replace-one it has the
opposite label; under add/remove it is absent, and about half of the public size are present. The
verdict on the promised ε depends on the training alone, so it can reveal a fault in clipping,
noise, batches or accounting, and in their combination. The number of records says nothing about a
single canary here: the attacks on many trainings (`dpcore.audit.deep`) test that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from dpcore.audit.attack import Bound
from dpcore.audit.deep import promised
from dpcore.errors import number, whole
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu

if TYPE_CHECKING:
    from dpcore.deep.config import TrainingConfig

Array = NDArray[np.floating]

FEATURE = 10.0
"""A canary's own feature: beside it the shared constant is negligible."""
CLIP = 1e-2
MOVED = 1e-4
"""Change of a weight by C in one step: too little to change the slope."""
COIN_STREAM = 0x436F696E
"""Any number that no other random stream begins with."""
CANARIES = 4_000
LARGEST_EPSILON = 50.0
LESS = 3.0
"""The number of guesses is tuned for noise this many times too small: few guesses prove most for an
honest training, but too little to refute anything."""


@dataclass(frozen=True, kw_only=True)
class OneRunResult(Bound):
    """The result of an audit of one training."""

    @property
    def about(self) -> str:
        """The purpose of this audit, and its limits."""
        return (
            "How many canaries are guessed at is tuned to find out a training with a third of the "
            "noise that it should have; one with more than that may pass, and of an honest "
            "training it proves less than it could."
        )

    canaries: int
    guesses: int
    right: int


def chance(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest probability of so many right guesses (Steinke et al. 2023, Theorem 5.2)."""
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
    """The ε that so many right guesses prove, ≥ 0; rounded down."""
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
    """The number of guesses that proves most, by public values only; fixed before the training."""
    mu = LESS * float(analytic_mu(epsilon, delta))
    best, best_bound = canaries, -1.0
    for guesses in np.unique(np.geomspace(20, canaries, 24).astype(int)).tolist():
        # Canaries that are in score N(μ, 1), others N(0, 1); the highest r/2 are guessed "in".
        part = min(guesses / (2.0 * canaries), 0.5)

        def above(level: float, part: float = part) -> float:
            return 0.5 * float(stats.norm.sf(level) + stats.norm.sf(level - mu)) - part

        level = float(optimize.brentq(above, -50.0, 50.0 + mu))
        right = int(guesses * 0.5 * float(stats.norm.sf(level - mu)) / part)
        bound = least_epsilon(canaries, guesses, min(right, guesses), delta, confidence)
        if bound > best_bound:
            best, best_bound = guesses, bound
    return best


def guessed(scores: Array, inside: NDArray[np.bool_], guesses: int) -> int:
    """Count right guesses: "in" for the highest scores (one more if odd), "out" for the lowest."""
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
    """Train once on canaries, and guess their membership."""
    from dpcore.deep.config import TrainingConfig

    m = whole("canaries", canaries, at_least=100, at_most=10_000)
    share = number("noise-share", noise_share, above=0.0, at_most=1.0)
    number("rate", rate, above=0.0, at_most=1.0)
    number("confidence", confidence, at_least=0.5, below=1.0)
    whole("seed", seed, at_least=0, at_most=2**31 - 1)
    batch = m if sampling == "none" else max(1, int(rate * m))
    config = TrainingConfig(
        network="linear",
        batch=batch,
        learning_rate=MOVED * batch / CLIP,
        clip=CLIP,
        sampling=sampling,
        adjacency=str(adjacency),
        public_size=m if adjacency is Adjacency.ADD_REMOVE else None,
        delta=delta,
        seed=seed,
    )
    epochs = whole("steps", steps, at_least=1) // config.steps_an_epoch(m)
    config, promise = promised(replace(config, epochs=max(1, epochs)), epsilon, m)
    assert promise.epsilon is not None
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
    """The change of each canary's output towards its label in one training, (m,)."""
    from dpcore.deep.training import TrainingRun

    inputs = np.diag(np.full(len(inside), FEATURE, dtype=np.float32))
    out = 0.0 if adjacency is Adjacency.REPLACE_ONE else np.nan
    targets = np.where(inside, 1.0, out).astype(np.float32)[:, None]
    present = inside if adjacency is Adjacency.ADD_REMOVE else np.ones_like(inside)
    run = TrainingRun(config, inputs[present], targets[present], 1, task="labels")
    before = run.scores(inputs)
    run.advance(run.steps)
    return np.asarray((run.scores(inputs) - before)[0, :, 0], dtype=float)
