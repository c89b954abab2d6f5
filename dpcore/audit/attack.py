"""A distinguishing attack: many releases on two neighbouring data sets, and the ε they prove.

An `Attack` is fixed before any release is drawn. On a copy of the method with less noise it must
refute the promise; otherwise it would prove nothing about the method itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.audit import MAX_OUTPUTS
from dpcore.audit.bounds import Verdict, verdict
from dpcore.audit.guesses import RightGuesses
from dpcore.audit.sampled import SampledSteps
from dpcore.audit.sequential import HALF, EpsilonBound, Wager, epsilon_bound, pairs_needed
from dpcore.datasets import Preparation, Table, prepare
from dpcore.datasets.own.description import read_own
from dpcore.datasets.partition import drawn
from dpcore.errors import number, reject, whole
from dpcore.guarantee import Adjacency, Edition, Guarantee
from dpcore.mechanisms.gaussian import analytic_mu


@dataclass(frozen=True)
class Neighbours:
    """Two data sets that differ in their first record."""

    first: tuple[Array, Array]  # (n, d) of norm at most 1, and (n,) labels of ±1, or 0 if blank
    second: tuple[Array, Array]
    adjacency: Adjacency
    direction: Array  # (d,); releases of `first` lie further out


def table(
    columns: Sequence[str],
    label: str,
    rows: Sequence[Sequence[str]],
    rest: Sequence[str] = (),
) -> Table:
    """Read a user's own table with these rows for training, in order; an empty row is blank."""
    is_test = np.zeros(0, dtype=bool)
    while int((~is_test).sum()) < len(rows):
        is_test = drawn(len(is_test) + 1, Preparation())
    description = [*columns, f"predict {label}"]
    names = [column.removeprefix("predict ").partition(":")[0] for column in description]
    remaining, blank = iter(rows), [""] * len(names)
    lines = [names, *((rest if test else next(remaining)) or blank for test in is_test)]
    text = "\n".join(",".join(line) for line in lines)
    return read_own("\n".join(description), text.encode(), "neighbour")


def lone_record(
    records: int,
    dimension: int,
    adjacency: Adjacency,
    others: float = 0.0,
    features: Literal["plain", "additive", "fine"] = "plain",
) -> Neighbours:
    """One record of norm 1 among blank ones; in the other set it is blank, or its opposite.

    Only the record's own gradient changes: by L, or by 2L where its opposite replaces it.
    """
    if adjacency is Adjacency.ADD_REMOVE:
        raise reject("adjacency", adjacency, "zero-out or replace-one, which keep n")
    # The record is at the public bound of its first feature, and in the middle of all others.
    columns = [f"x{index}: -1 to 1" for index in range(dimension)]
    preparation = Preparation(norm="clip", features=features)

    def row(length: float) -> list[str]:
        return [f"{length!r}", *(dimension - 1) * ["0"], "yes"] if length else []

    def prepared(first: float) -> tuple[Array, Array]:
        rows = [row(first), *(row(others) for _ in range(records - 1))]
        split = prepare(table(columns, "label: one of no, yes", rows, row(1.0)), preparation)
        return split.x_train, split.y_train

    second = -1.0 if adjacency is Adjacency.REPLACE_ONE else 0.0
    first = prepared(1.0)
    direction = first[0][0] / np.linalg.norm(first[0][0])
    return Neighbours(first, prepared(second), adjacency, direction)


Array = NDArray[np.floating]
Scores = Callable[[float, int, int], tuple[Array, Array]]
"""(share of the noise, runs, seed) -> scores of independent releases on either data set."""

BLOCK = 100
"""Outputs of the first block on each data set."""


@dataclass(frozen=True)
class Target:
    """The target of an attack, at one budget."""

    promise: Guarantee  # that is tried: what is proved, or what is published of an edition in print
    scores: Scores
    claim: Guarantee | None = None  # what is published of it, where anything is
    proof: Guarantee | None = None  # what is proved, where that is not what is tried
    steps: SampledSteps | None = None  # the curves of a training on batches


@dataclass(frozen=True, kw_only=True)
class Power:
    """Where an attack has power, and how much."""

    epsilon: float = 1.0  # budget at which the attack has power
    delta: float = 1e-5
    gaussian: bool = True  # scores are normal with one variance, so that μ can be fitted
    at_once: bool = False  # all outputs come from one training, and its canaries are guessed at
    flags: float = 2.0 / 3.0  # a copy with this share of the noise is flagged
    runs: int = 2_000  # on each data set

    def attack(
        self,
        method: str,
        edition: Edition,
        adjacency: Adjacency,
        about: str,
        aim: Callable[[float, float], Target],
    ) -> Attack:
        """The attack of this power; for the arguments see `Attack`."""
        return Attack(
            method=method,
            edition=edition,
            adjacency=adjacency,
            about=about,
            aim=aim,
            **{field.name: getattr(self, field.name) for field in fields(Power)},
        )


@dataclass(frozen=True, kw_only=True)
class Attack(Power):
    """One attack on one method."""

    method: str
    edition: Edition
    adjacency: Adjacency
    about: str  # neighbours and score, in one plain sentence
    aim: Callable[[float, float], Target]  # by (ε, δ)


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """What an attack has proved after some outputs."""

    method: str
    edition: Edition
    promise: Guarantee
    claim: Guarantee | None
    proof: Guarantee
    lower_bound: float  # on ε at the promise's δ
    confidence: float  # least probability that a true promise's ε is not below `lower_bound`
    noise_share: float  # 1 for the method itself, less for a copy with less noise
    by: str  # method of the bound
    runs: int  # on each data set
    needed: int  # see `EpsilonBound`
    seconds: float
    about: str
    first: Array = field(repr=False, compare=False)  # (runs,) scores of the first data set
    second: Array = field(repr=False, compare=False)

    @property
    def verdict(self) -> Verdict:
        """How the promise stands."""
        return verdict(self.lower_bound, self.promise.bound, self.runs, self.needed)

    @property
    def flagged(self) -> bool:
        """Whether the promise is refuted."""
        return self.verdict is Verdict.REFUTED


def bound_by(attack: Power, target: Target, runs: int, confidence: float) -> EpsilonBound:
    """The bound that tries a promise: on fitted μ of normal scores, by guesses, or by bets."""
    epsilon, delta = target.promise.epsilon, target.promise.delta or 0.0
    assert epsilon is not None
    if target.steps is not None:
        bets = Wager(target.steps, target.steps.strengths, confidence)
        # Many steps are almost normal together.
        needed = pairs_needed(float(analytic_mu(epsilon, delta)), HALF, confidence)
        return EpsilonBound("bets on thresholds, against the curve of sampled steps", bets, needed)
    if attack.at_once and not attack.gaussian:
        needed = math.ceil(math.log1p(-confidence) / float(special.log_expit(epsilon)))
        return EpsilonBound("right guesses", RightGuesses(epsilon, delta, confidence), needed)
    return epsilon_bound(epsilon, delta, runs, confidence, is_normal=attack.gaussian)


def tried(
    attack: Attack,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    runs: int | None = None,
    noise_share: float = 1.0,
    confidence: float = 0.99,
    seed: int = 0,
) -> Iterator[AttackResult]:
    """Draw and bound, a block of outputs at a time, until the promise is refuted or all are drawn.

    The bound of each result holds whichever of them is the last. Budget and number of outputs are
    the attack's own unless told otherwise. With a `noise_share` below 1 a copy with that share of
    the noise is attacked, under the same promise. The two data sets have separate random streams.
    """
    share = number("noise-share", noise_share, above=0.0, at_most=1.0)
    most = whole("runs", attack.runs if runs is None else runs, at_least=100, at_most=MAX_OUTPUTS)
    number("confidence", confidence, at_least=0.5, below=1.0)
    whole("seed", seed, at_least=0, at_most=2**31 - 1)
    target = attack.aim(
        attack.epsilon if epsilon is None else epsilon, attack.delta if delta is None else delta
    )
    bound = bound_by(attack, target, most, confidence)
    start, first, second = time.perf_counter(), np.zeros(0), np.zeros(0)
    while bound.pairs < most:
        size = most if attack.at_once else min(max(BLOCK, bound.pairs // 2), most - bound.pairs)
        block = target.scores(share, size, block_seed(seed, bound.pairs))
        bound.see(*block)
        first, second = np.concatenate([first, block[0]]), np.concatenate([second, block[1]])
        result = AttackResult(
            method=attack.method,
            edition=attack.edition,
            promise=target.promise,
            claim=target.claim,
            proof=target.proof or target.promise,
            lower_bound=bound.lower_bound,
            confidence=confidence,
            by=bound.by,
            runs=bound.pairs,
            needed=bound.needed,
            seconds=time.perf_counter() - start,
            noise_share=share,
            about=attack.about,
            first=first,
            second=second,
        )
        yield result
        if result.flagged:
            return


def block_seed(seed: int, pairs: int) -> int:
    """The seed of the block that begins after so many pairs."""
    return int(np.random.SeedSequence([seed, pairs]).generate_state(1)[0]) >> 2


def run(attack: Attack, **settings: Any) -> AttackResult:
    """The last result of an attack; for the settings see `tried`."""
    *_, last = tried(attack, **settings)
    return last
