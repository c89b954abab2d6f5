"""A claim about anybody's code on trial: its outputs on two neighbouring data sets, told apart."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from dpcore.audit.attack import block_seed
from dpcore.audit.bounds import Verdict, verdict
from dpcore.audit.sequential import EpsilonBound, Looks, epsilon_bound
from dpcore.errors import InvalidInput, number, reject, whole
from dpcore.guarantee import PrivacyBudget
from dpcore.progress import Progress, silent

Array = NDArray[np.floating]

PILOT, MOST_PILOT = 20, 200
"""Pairs, for each number of an output and at most, from which an attacker learns where the data
sets differ; they prove nothing."""
PILOT_TIME = 0.1
"""The share of the time that is spent on them at most."""
MOST = 100_000
CORRELATED = 200
"""Numbers of an output up to which a direction takes account of how they vary together."""
TELLING = 200
"""Outputs on either data set by which Laplace noise is told from normal noise 98 times in 100."""
NOT_NORMAL, MOST_COMPARED, FEWEST_VALUES = 1e-3, 5_000, 20
"""How often normal scores of one variance are refused, the most that Shapiro and Wilk's test takes,
and the fewest different values that scores must have."""
LEARNT = ("coef_", "intercept_", "cluster_centers_", "components_")
"""What an estimator in the manner of scikit-learn has learnt, where its outputs are no numbers."""


class EitherWay:
    """The larger of the bounds on μ where the first data set's scores may be the smaller ones."""

    def __init__(self, mu: float, most: int, confidence: float) -> None:
        self.ways = [Looks(mu, most, 1.0 - (1.0 - confidence) / 2.0) for _ in range(2)]

    @property
    def pairs(self) -> int:
        return self.ways[0].pairs

    @property
    def lower_bound(self) -> float:
        return max(way.lower_bound for way in self.ways)

    def see(self, first: Array, second: Array) -> None:
        """Take further pairs, in their order."""
        self.ways[0].see(first, second)
        self.ways[1].see(second, first)


@dataclass(frozen=True)
class ClaimTrial:
    """How the trial of a claim ended.

    Parameters
    ----------
    claimed : PrivacyBudget
    attacked : float
        ε that is lost at the claim's δ, at the confidence; 0 where nothing is shown.
    confidence : float
    outputs : int
        On either data set, without those of the pilot.
    needed : int
        With fewer it cannot be decided.
    seconds : float
    is_normal : bool
        Whether scores are taken to be normal with one variance.
    verdict : str
        "refuted", "not refuted" or "cannot be decided".
    """

    claimed: PrivacyBudget
    attacked: float
    confidence: float
    outputs: int
    needed: int
    seconds: float
    is_normal: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether the claim stands, as far as these outputs tell."""
        return verdict(self.attacked, self.claimed.epsilon, self.outputs, self.needed)

    @property
    def row(self) -> dict[str, Any]:
        """It as a row of a table."""
        return {
            "claimed": self.claimed.epsilon,
            "delta": self.claimed.delta,
            "attacked": self.attacked,
            "confidence": self.confidence,
            "verdict": str(self.verdict),
            "outputs": self.outputs,
            "needed": self.needed,
            "seconds": self.seconds,
            "is_normal": self.is_normal,
        }


def try_claim(
    train: Callable[[Any, int], Any] | Any,
    *,
    claim: tuple[float, float] | PrivacyBudget,
    neighbours: tuple[Any, Any],
    budget_seconds: float = 60.0,
    outputs: int = MOST,
    is_normal: bool = False,
    confidence: float = 0.99,
    seed: int = 0,
    progress: Progress = silent,
) -> ClaimTrial:
    """Try an (ε, δ) claim of any code by its outputs on two neighbouring data sets.

    A direction in which the outputs differ is learnt from a pilot, of 20 pairs for each of their
    numbers and at most 200. Bets on thresholds along it then bound ε from below, whenever they end
    (`dpcore.audit.sequential`).

    Parameters
    ----------
    train : callable or estimator
        (data, seed) -> an array of numbers of one shape, a number, an estimator with `coef_`, or a
        torch module such as Opacus wraps. Each call has another seed and must draw its noise anew.
        Of an estimator in the manner of scikit-learn a copy is fitted each time, with the seed as
        its `random_state`.
    claim : PrivacyBudget or (float, float)
        ε above 0, and δ in [0, 1).
    neighbours : (data, data)
        Two data sets that the claim's adjacency calls neighbours; for an estimator each is (X, y).
    budget_seconds : float
        When to stop if nothing is decided.
    outputs : int
        The most outputs on either data set.
    is_normal : bool
        Whether outputs are taken to be normal with one variance on either data set, which decides
        far sooner where δ is above 0. Nothing is refuted before 200 outputs on either, and those
        that contradict it are refused.
    confidence : float
        Least probability that a true claim is not refuted.
    seed : int
    progress : callable
        Called with the share of the time that is gone; may raise to end it.

    Returns
    -------
    ClaimTrial

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or outputs are no numbers, change their shape or are
        not normal where `is_normal`.
    """
    number("budget_seconds", budget_seconds, above=0.0)
    most = whole("outputs", outputs, at_least=4, at_most=MOST)
    budget, is_normal, bound = _begun(claim, is_normal, most, confidence)
    start, run = time.perf_counter(), _fitting(train)

    def draw(size: int, place: int) -> tuple[Array, Array]:
        first, second = (
            np.stack(
                [
                    _numbers(run(data, block_seed(seed, 2 * (place + each) + side)))
                    for each in range(size)
                ]
            )
            for side, data in enumerate(neighbours)
        )
        if first.shape[1:] != second.shape[1:]:
            raise InvalidInput(
                f"Outputs have {first.shape[1]} numbers on one data set and {second.shape[1]} on "
                "the other, which tells them apart by itself."
            )
        return first, second

    pilot = draw(PILOT, MOST)
    while len(pilot[0]) < min(PILOT * pilot[0].shape[1], MOST_PILOT):
        if time.perf_counter() - start > PILOT_TIME * budget_seconds:
            break
        more = draw(PILOT, MOST + len(pilot[0]))
        pilot = np.vstack([pilot[0], more[0]]), np.vstack([pilot[1], more[1]])
    direction = _direction(*pilot)
    scores: list[tuple[Array, Array]] = []
    while bound.pairs < most:
        gone = (time.perf_counter() - start) / budget_seconds
        if gone >= 1.0:
            break
        progress(gone, "drawing outputs")
        size = min(max(4, bound.pairs // 4), most - bound.pairs)
        first, second = draw(size, bound.pairs)
        scores.append((first @ direction, second @ direction))
        bound.see(*scores[-1])
        if bound.lower_bound >= budget.epsilon and (bound.pairs >= TELLING or not is_normal):
            break
    if is_normal and bound.pairs >= TELLING:
        _check_normal(*map(np.concatenate, zip(*scores, strict=True)))
    return _trial(budget, bound, confidence, is_normal, start)


def try_outputs(
    first: ArrayLike,
    second: ArrayLike,
    *,
    claim: tuple[float, float] | PrivacyBudget,
    is_normal: bool = False,
    confidence: float = 0.99,
) -> ClaimTrial:
    """Try an (ε, δ) claim by scores of outputs that were drawn elsewhere.

    Parameters
    ----------
    first, second : array_like of shape (n,)
        One number for each output on either of two neighbouring data sets, in the order drawn. Of
        more on one of them the last are left aside. How many there are must not follow from them
        where `is_normal`.
    claim : PrivacyBudget or (float, float)
        ε above 0, and δ in [0, 1).
    is_normal : bool
        Whether scores are taken to be normal with one variance on either data set, where δ is above
        0. With fewer than 200 on either nothing is decided, and those that contradict it are
        refused.
    confidence : float
        Least probability that a true claim is not refuted.

    Returns
    -------
    ClaimTrial

    Raises
    ------
    InvalidInput
        If an argument is outside its range, there are fewer than four outputs, or scores are not
        normal where `is_normal`.
    """
    start = time.perf_counter()
    pairs = min(np.size(first), np.size(second))
    whole("outputs", pairs, at_least=4, at_most=MOST)
    budget, is_normal, bound = _begun(claim, is_normal, pairs, confidence)
    worlds = [_numbers(scores)[:pairs] for scores in (first, second)]
    if is_normal and pairs >= TELLING:
        _check_normal(*worlds)
    bound.see(*worlds)
    return _trial(budget, bound, confidence, is_normal, start)


def _begun(
    claim: Any, is_normal: bool, most: int, confidence: float
) -> tuple[PrivacyBudget, bool, EpsilonBound]:
    """The budget, whether scores are taken to be normal, and the bound of a trial."""
    try:
        budget = claim if isinstance(claim, PrivacyBudget) else PrivacyBudget(*claim)
    except TypeError:
        raise reject("claim", claim, "(ε, δ), such as (1.0, 1e-5)") from None
    is_normal = is_normal and budget.delta > 0.0
    bound = epsilon_bound(
        budget.epsilon, budget.delta, most, confidence, is_normal=is_normal, looks=EitherWay
    )
    return budget, is_normal, bound


def _trial(
    budget: PrivacyBudget, bound: EpsilonBound, confidence: float, is_normal: bool, start: float
) -> ClaimTrial:
    # Of few scores it can't be told that they are not normal.
    least = TELLING if is_normal else 0
    lost = bound.lower_bound if bound.pairs >= least else 0.0
    took = time.perf_counter() - start
    needed = max(bound.needed, least)
    return ClaimTrial(budget, lost, confidence, bound.pairs, needed, took, is_normal)


def _check_normal(first: Array, second: Array) -> None:
    """Refuse scores that are not normal with one variance, in a thousandth of true cases at most.

    The tests are those of Shapiro and Wilk and of Bartlett, each at half of that level.
    """
    values = np.unique(np.concatenate([first, second])).size
    fault = f"have only {values} different values" if values < FEWEST_VALUES else ""
    if not fault:
        rest = np.concatenate([first - first.mean(), second - second.mean()])
        rest = rest[:: math.ceil(rest.size / MOST_COMPARED)]
        with np.errstate(all="ignore"):
            shape, variances = stats.shapiro(rest).pvalue, stats.bartlett(first, second).pvalue
        if not shape >= NOT_NORMAL / 2.0:
            fault = "are not normal"
        elif not variances >= NOT_NORMAL / 2.0:
            fault = "have another variance in either world"
    if fault:
        raise InvalidInput(
            f"is_normal (“Scores are normal”) is on, but these scores {fault}: leave it off."
        )


def read_worlds(text: str) -> dict[str, Array]:
    """Scores by the two worlds of a table (CSV) with the columns world and score, in their order.

    Raises
    ------
    InvalidInput
        Naming the line, the value and what is allowed.
    """
    lines = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), restkey="")
    worlds: dict[str, list[float]] = {}
    try:
        missing = {"world", "score"} - set(lines.fieldnames or ())
        if missing:
            raise reject("header", ",".join(lines.fieldnames or ()), "world,score")
        for place, line in enumerate(lines, start=2):
            whole("lines", place, at_least=2, at_most=2 * MOST + 1)
            score = number(f"line {place}: score", line["score"])
            worlds.setdefault(str(line["world"]).strip(), []).append(score)
            if len(worlds) > 2:
                raise reject(f"line {place}: world", line["world"], " or ".join(list(worlds)[:2]))
    except csv.Error:
        raise InvalidInput("The file is broken, but it must be a table (CSV).") from None
    if len(worlds) != 2:
        raise reject("the number of worlds", len(worlds), "2")
    return {name: np.array(scores) for name, scores in worlds.items()}


def _direction(first: Array, second: Array) -> Array:
    """The direction in which the means differ most against how outputs vary, alone and together."""
    spread = np.sqrt((first.var(axis=0) + second.var(axis=0)) / 2.0)
    apart = first.mean(axis=0) - second.mean(axis=0)
    # A number without noise that differs gives everything away.
    scale = np.where(spread > 0.0, spread, 1e-12 * (1.0 + np.abs(apart)))
    direction = apart / scale
    if len(apart) <= CORRELATED:
        each = np.vstack([(part - part.mean(axis=0)) / scale for part in (first, second)])
        # Of few outputs the correlations of many numbers are hardly known.
        alone = len(apart) / (len(apart) + len(each))
        together = (1.0 - alone) * each.T @ each / len(each) + alone * np.eye(len(apart))
        direction = np.linalg.solve(together, direction)
    return np.asarray(direction / scale)


def _fitting(train: Any) -> Callable[[Any, int], Any]:
    """Make an estimator a function that fits a copy of it with a seed; others are one already."""
    if not hasattr(train, "get_params"):
        return train  # type: ignore[no-any-return]
    from sklearn.base import clone

    def fit(data: Any, seed: int) -> Any:
        copy = clone(train)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=seed)
        return copy.fit(*data)

    return fit


def _numbers(output: Any) -> Array:
    learnt = [getattr(output, name) for name in LEARNT if hasattr(output, name)]
    try:
        if hasattr(output, "state_dict"):  # a module of torch
            learnt = list(output.state_dict().values())
        parts = [np.ravel(np.asarray(_on_host(part), dtype=float)) for part in learnt or [output]]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"train returned a {type(output).__name__}, but it must return numbers, or an "
            "estimator with coef_, or a torch module."
        ) from None
    numbers = np.concatenate(parts)
    return np.asarray(np.where(np.isfinite(numbers), numbers, 1e12))


def _on_host(part: Any) -> Any:
    return part.detach().cpu().double() if hasattr(part, "detach") else part
