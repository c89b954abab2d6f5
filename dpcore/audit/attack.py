"""A distinguishing attack: many releases on two neighbouring data sets, and the ε they prove.

An `Attack` is fixed before any release is drawn. On a copy of the method with less noise it must
refute the promise; otherwise it would prove nothing about the method itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dpcore.audit import bounds
from dpcore.errors import number, whole
from dpcore.guarantee import Edition, Guarantee

Array = NDArray[np.floating]
Scores = Callable[[float, int, int], tuple[Array, Array]]
"""(share of the noise, runs, seed) -> scores of independent releases on either data set."""

MAX_RUNS = 200_000


@dataclass(frozen=True)
class Target:
    """The target of an attack, at one budget."""

    promise: Guarantee  # the least (ε, δ) that is proved or certified for the added noise
    scores: Scores


@dataclass(frozen=True, kw_only=True)
class Power:
    """Where an attack has power, and how much."""

    epsilon: float = 1.0  # budget at which the attack has power
    delta: float = 1e-5
    gaussian: bool = True  # scores are normal with one variance, so that μ can be fitted
    flags: float = 2.0 / 3.0  # a copy with this share of the noise is flagged
    runs: int = 2_000  # on each data set

    def attack(
        self, method: str, edition: Edition, about: str, aim: Callable[[float, float], Target]
    ) -> Attack:
        """The attack of this power; for the arguments see `Attack`."""
        return Attack(
            method=method,
            edition=edition,
            about=about,
            aim=aim,
            **{field.name: getattr(self, field.name) for field in fields(Power)},
        )


@dataclass(frozen=True, kw_only=True)
class Attack(Power):
    """One attack on one method."""

    method: str
    edition: Edition
    about: str  # neighbours and score, in one plain sentence
    aim: Callable[[float, float], Target]  # by (ε, δ)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A promise, and the lower bound proved against it."""

    promise: Guarantee
    lower_bound: float  # on ε at the promise's δ
    confidence: float  # least probability that a true promise's ε is not below `lower_bound`
    noise_share: float  # 1 for the method itself, less for a copy with less noise

    @property
    def flagged(self) -> bool:
        """Whether the promise is refuted."""
        return self.promise.epsilon is not None and self.lower_bound > self.promise.epsilon


@dataclass(frozen=True, kw_only=True)
class AttackResult(Bound):
    """The result of an attack."""

    method: str
    edition: Edition
    by: str  # method of the bound
    runs: int  # on each data set
    about: str


def run(
    attack: Attack,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    runs: int | None = None,
    noise_share: float = 1.0,
    confidence: float = 0.99,
    seed: int = 0,
) -> AttackResult:
    """Draw, bound and compare, at the attack's own budget and number of runs unless told otherwise.

    With a `noise_share` below 1 a copy with that share of the noise is attacked, under the same
    promise. The two data sets have separate random streams.
    """
    share = number("noise-share", noise_share, above=0.0, at_most=1.0)
    draws = whole("runs", attack.runs if runs is None else runs, at_least=100, at_most=MAX_RUNS)
    number("confidence", confidence, at_least=0.5, below=1.0)
    whole("seed", seed, at_least=0, at_most=2**31 - 1)
    target = attack.aim(
        attack.epsilon if epsilon is None else epsilon, attack.delta if delta is None else delta
    )
    first, second = target.scores(share, draws, seed)
    level = target.promise.delta or 0.0
    fitted = attack.gaussian and level > 0.0
    bound = bounds.from_gaussian if fitted else bounds.from_scores
    return AttackResult(
        method=attack.method,
        edition=attack.edition,
        promise=target.promise,
        lower_bound=bound(first, second, level, confidence),
        confidence=confidence,
        by="fitted μ, noncentral t" if fitted else "threshold, Clopper–Pearson",
        runs=draws,
        noise_share=share,
        about=attack.about,
    )
