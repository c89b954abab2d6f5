"""A case of the court, and its trial.

A case is a published violation: the claim, and what draws outputs on two neighbouring data sets, as
it was found or mended. An output is told by one score, whatever it is made of: a set of scores is a
set of outputs, so what is proved of scores holds of outputs. Everything here is drawn from seeds:
nothing of it is for release.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.bounds import Verdict, verdict
from dpcore.audit.sequential import epsilon_bound
from dpcore.guarantee import Guarantee

Array = NDArray[np.floating]

STREAM = 0x436F7572
"""Any number but 0, so that no other part draws the same."""


class Scores(Protocol):
    def __call__(
        self, generator: np.random.Generator, there: bool, runs: int, *, mended: bool
    ) -> Array:
        """Scores of independent outputs with the record `there` or not."""


def normal(*sigmas: float) -> Scores:
    """Draw a count of 1 or 0 with normal noise of one σ as it was found, and of another mended."""

    def scores(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
        return np.asarray(there + sigmas[mended] * generator.standard_normal(runs))

    return scores


@dataclass(frozen=True, kw_only=True)
class Case:
    scores: Scores
    key: str
    title: str
    library: str  # or the paper
    versions: str = ""  # in which it is found; "" for a paper
    source: str  # issue or paper
    link: str
    claim: Guarantee  # what is promised
    wrong: str  # in one plain sentence
    attack: str  # the neighbours and the score, in one plain sentence
    twin: str  # what the mended form does
    outputs: int = 2_000  # on each data set; enough to refute the broken form
    gaussian: bool = False  # all scores are normal with one variance, so that μ can be fitted
    origin: str = "re-enacted here"

    def draw(self, runs: int, seed: int, *, mended: bool) -> tuple[Array, Array]:
        """Scores on either data set, that with the record first, in separate streams."""
        first, second = (
            self.scores(np.random.default_rng([STREAM, seed, side]), not side, runs, mended=mended)
            for side in range(2)
        )
        return first, second


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What came of a trial of a claim, in one form of its case."""

    lost: float  # ε at the claim's δ, at least
    confidence: float
    outputs: int  # on each data set
    needed: int  # with fewer it cannot be decided
    seconds: float
    verdict: Verdict


def try_case(
    case: Case,
    *,
    mended: bool = False,
    outputs: int | None = None,
    confidence: float = 0.99,
    seed: int = 0,
) -> Judgement:
    """Draw, bound and judge one form of a case, with its own number of outputs by default."""
    runs, claim, started = outputs or case.outputs, case.claim, time.perf_counter()
    bound = epsilon_bound(
        claim.bound, claim.delta or 0.0, runs, confidence, is_normal=case.gaussian
    )
    bound.see(*case.draw(runs, seed, mended=mended))
    lost = bound.lower_bound
    return Judgement(
        lost=lost,
        confidence=confidence,
        outputs=runs,
        needed=bound.needed,
        seconds=time.perf_counter() - started,
        verdict=verdict(lost, claim.bound, runs, bound.needed),
    )
