"""Accountants: each bounds ε for the events it has a theorem for, and refuses the rest.

The adjacency decides how far one record moves the clipped sum: C under add/remove and zero-out, 2C
under replace-one. That factor is applied here, once, for every accountant.

Zero-out has the figures of add/remove. A blanked record contributes nothing to any sum and n stays,
so that the rate, the steps, σ and every divisor are the same for both neighbours. Given the earlier
outputs, a step's sum is then drawn once with the record's contribution, once without: the pair of
outputs of add/remove with public constants (`dpcore.accounting.pairs`). Add/remove itself needs
these constants to come from a public size, because a value computed from n reveals n.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpcore.accounting import concentrated, pairs, pld, renyi
from dpcore.accounting.composition import amplified_epsilon, strong_composition_of
from dpcore.accounting.events import Event, Step, steps
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Condition, Guarantee
from dpcore.mechanisms.gaussian import analytic_epsilon

ADD_REMOVE, ZERO_OUT, REPLACE_ONE = (
    Adjacency.ADD_REMOVE,
    Adjacency.ZERO_OUT,
    Adjacency.REPLACE_ONE,
)


@dataclass(frozen=True)
class Accountant:
    """One way to bound ε.

    Parameters
    ----------
    key, title : str
        Name in commands and on screen.
    covers : callable
        (Step, Adjacency) -> whether there is a theorem for it.
    epsilon : callable
        (steps, delta, adjacency) -> ε, an upper bound.
    source : str
        Reference of the theorem.
    reason : callable, optional
        Explains an infinite `epsilon`, where a condition may be unmet.
    """

    key: str
    title: str
    covers: Callable[[Step, Adjacency], bool]
    epsilon: Callable[[Sequence[Step], float, Adjacency], float]
    source: str
    reason: Callable[[Sequence[Step], float, Adjacency], str] | None = None


REFINEMENTS = 2  # of a grid that turns out coarse
SAMPLING_WORDS = {"poisson": "Poisson samples", "fixed": "batches of fixed size"}


def change(adjacency: Adjacency) -> float:
    """How far one record moves a sum of records clipped to 1: 2 under replace-one, otherwise 1."""
    return 2.0 if adjacency is REPLACE_ONE else 1.0


def certify(event: Event, delta: float, adjacency: Adjacency, accountant: str) -> Guarantee:
    """The (ε, δ) that an accountant certifies, or an empty guarantee with the reason.

    Parameters
    ----------
    event : Event
    delta : float
        In (0, 1).
    adjacency : Adjacency
    accountant : str
        Key of `ACCOUNTANTS`.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    one_of("accountant", accountant, tuple(ACCOUNTANTS))
    return _certified(event, float(delta), Adjacency(adjacency), accountant)


def certify_along(
    parts: Sequence[Step],
    marks: Sequence[int],
    delta: float,
    adjacency: Adjacency,
    progress: Callable[[float], None] | None = None,
) -> list[Guarantee]:
    """PLD's guarantees after each of `marks` steps of one run, at about the cost of the last one.

    Parameters
    ----------
    parts : sequence of Step
        In the order of the run.
    marks : sequence of int
        Numbers of steps, ascending.
    delta : float
        In (0, 1).
    adjacency : Adjacency
    progress : callable, optional
        Called with the fraction done; an exception it raises ends the computation.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    pld_accountant = ACCOUNTANTS["pld"]
    if reason := _uncovered(parts, adjacency, pld_accountant):
        return [Guarantee(None, None, adjacency, pld_accountant.title, reason) for _ in marks]
    epsilons = _pld_along(parts, marks, delta, adjacency, progress)
    return [_guarantee(pld_accountant, epsilon, delta, adjacency) for epsilon in epsilons]


def _guarantee(
    chosen: Accountant, epsilon: float, delta: float, adjacency: Adjacency, reason: str = ""
) -> Guarantee:
    if math.isfinite(epsilon):
        return Guarantee(epsilon, delta, adjacency, chosen.title)
    reason = reason or f"{chosen.title} gives no finite ε at δ = {delta:g}."
    return Guarantee(None, None, adjacency, chosen.title, reason)


@lru_cache(maxsize=256)
def _certified(event: Event, delta: float, adjacency: Adjacency, accountant: str) -> Guarantee:
    # A page repeats the query on every rerun, and a solver returns to its last point.
    chosen = ACCOUNTANTS[accountant]
    if reason := refusal(event, adjacency, accountant):
        return Guarantee(None, None, adjacency, chosen.title, reason)
    parts = steps(event)
    epsilon = chosen.epsilon(parts, delta, adjacency)
    explain = chosen.reason if chosen.reason and not math.isfinite(epsilon) else None
    reason = explain(parts, delta, adjacency) if explain else ""
    return _guarantee(chosen, epsilon, delta, adjacency, reason)


def refusal(event: Event, adjacency: Adjacency, accountant: str) -> str:
    """Why an accountant has no theorem for an event, or "" if it has.

    Raises
    ------
    TypeError
        If `event` is not an event.
    """
    chosen = ACCOUNTANTS[one_of("accountant", accountant, tuple(ACCOUNTANTS))]
    return _uncovered(steps(event), adjacency, chosen)


def _uncovered(parts: Sequence[Step], adjacency: Adjacency, chosen: Accountant) -> str:
    for step in parts:
        if not chosen.covers(step, adjacency):
            noise = f"{step.mechanism.capitalize()} noise"
            noise += "" if step.sampling == "none" else f" on {SAMPLING_WORDS[step.sampling]}"
            return f"{chosen.title} has no theorem here for {noise} under {adjacency}."
    return ""


def coverage() -> list[dict[str, object]]:
    """Accountant × sampling × adjacency for Gaussian steps: what is covered."""
    rows: list[dict[str, object]] = []
    for accountant in ACCOUNTANTS.values():
        for sampling in ("none", "poisson", "fixed"):
            step = Step("gaussian", 1.0, sampling, 1.0 if sampling == "none" else 0.1, 1)
            rows.append(
                {"accountant": accountant.title, "sampling": sampling}
                | {str(adjacency): accountant.covers(step, adjacency) for adjacency in Adjacency}
            )
    return rows


def default_adjacency(sampling: str) -> Adjacency:
    """Zero-out for Poisson sampling and none, replace-one for fixed-size batches."""
    return REPLACE_ONE if sampling == "fixed" else ZERO_OUT


def _unsampled_gaussian(step: Step, adjacency: Adjacency) -> bool:
    return step.mechanism == "gaussian" and step.sampling == "none"


def _renyi_covers(step: Step, adjacency: Adjacency) -> bool:
    if step.mechanism != "gaussian":
        return False
    if step.sampling == "poisson":
        return adjacency is not REPLACE_ONE
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    return step.sampling == "none" or adjacency is not ADD_REMOVE


def _renyi_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    groups = [
        (
            sampling,
            rate,
            np.array([step.multiplier for step in group]),
            np.array([float(step.count) for step in group]),
        )
        for (sampling, rate), group in _groups(parts).items()
    ]

    def total(orders: renyi.Array, *, whole: bool) -> renyi.Array:
        result = np.zeros(len(orders))
        for sampling, rate, noise, counts in groups:
            if sampling == "fixed":
                bound = renyi.fixed_size if whole else renyi.fixed_between
                result += counts @ bound(noise / 2.0, rate, orders)
            elif sampling == "poisson":
                exact = renyi.poisson_whole if whole else renyi.poisson_between
                result += counts @ exact(noise, rate, orders)
            else:
                result += counts @ renyi.gaussian(noise / change(adjacency), orders)
        return result

    return renyi.least_epsilon(
        lambda orders: total(orders, whole=True),
        lambda orders: total(orders, whole=False),
        delta,
        steps=len(parts),
    )


def _groups(parts: Sequence[Step]) -> dict[tuple[str, float], list[Step]]:
    groups: dict[tuple[str, float], list[Step]] = {}
    for step in parts:
        groups.setdefault((step.sampling, step.rate), []).append(step)
    return groups


def _pld_covers(step: Step, adjacency: Adjacency) -> bool:
    return step.sampling != "fixed" or adjacency is not ADD_REMOVE


def loss_distributions(
    parts: Sequence[Step],
    adjacency: Adjacency,
    *,
    delta: float | None = None,
    interval: float | None = None,
    optimistic: bool = False,
) -> tuple[pld.LossDistribution, ...]:
    """The composed privacy loss distributions, one per direction that differs (`pld.compose`)."""
    counts = [step.count for step in parts]
    return tuple(
        pld.compose(pair, counts, delta=delta, interval=interval, optimistic=optimistic)
        for pair in _directions(parts, adjacency, attained=optimistic)
    )


def _directions(
    parts: Sequence[Step], adjacency: Adjacency, *, attained: bool = False
) -> list[list[pairs.Pair]]:
    """Each step's dominating pair, in every direction that differs.

    Some records attain each pair, except with batches of fixed size. With `attained` those have the
    densities of one record against others that are all its opposite, or, where it is blanked out,
    against others that are all null.
    """

    def pair(step: Step, adding: bool) -> pairs.Pair:
        moved = change(adjacency)
        if step.mechanism == "laplace":
            return pairs.LaplacePair(step.multiplier / moved)
        if step.sampling == "poisson" and adjacency is REPLACE_ONE:
            return pairs.PoissonGaussianReplaced(step.multiplier, step.rate)
        if step.sampling == "fixed" and not attained:
            if adjacency is REPLACE_ONE:
                return pairs.FixedGaussian.replaced(step.multiplier / 2.0, step.rate)
            return pairs.FixedGaussian.blanked(step.multiplier, step.rate, adding=adding)
        multiplier = step.multiplier if step.sampling == "poisson" else step.multiplier / moved
        return pairs.PoissonGaussian(multiplier, step.rate, adding)

    one_sided = any(
        step.sampling == "fixed" and attained
        if adjacency is REPLACE_ONE
        else step.sampling != "none"
        for step in parts
    )
    directions = (False, True) if one_sided else (False,)
    return [[pair(step, adding) for step in parts] for adding in directions]


def _pld_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return _pld_along(parts, [sum(step.count for step in parts)], delta, adjacency)[0]


def _pld_along(
    parts: Sequence[Step],
    marks: Sequence[int],
    delta: float,
    adjacency: Adjacency,
    progress: Callable[[float], None] | None = None,
) -> list[float]:
    """ε after each of `marks` steps."""
    directions, counts = _directions(parts, adjacency), [step.count for step in parts]
    best, earlier_intervals = np.full((2, len(marks)), math.inf)
    intervals = None
    remaining = np.arange(len(marks))
    # A grid is seldom refined: the rounds after the first count as a tenth of the progress.
    begins = (0.0, *np.linspace(0.9, 1.0, REFINEMENTS + 1).tolist())
    for begin, end in itertools.pairwise(begins):
        epsilons, grid_intervals = np.zeros(len(remaining)), np.zeros(len(remaining))
        for side, chosen in enumerate(directions):

            def report(
                share: float, side: int = side, begin: float = begin, end: float = end
            ) -> None:
                if progress is not None:
                    progress(begin + (end - begin) * (side + share) / len(directions))

            for index, distribution in pld.along(
                chosen,
                counts,
                [marks[mark] for mark in remaining.tolist()],
                delta=delta,
                intervals=intervals,
                progress=report,
            ):
                epsilons[index] = max(epsilons[index], distribution.epsilon(delta))
                grid_intervals[index] = max(grid_intervals[index], distribution.interval)
        best[remaining] = np.minimum(best[remaining], epsilons)
        # A grid that is coarse relative to ε is refined; every grid gives an upper bound.
        coarse = (
            (best[remaining] > 0.0)
            & (grid_intervals > best[remaining] / 30.0)
            & np.isfinite(best[remaining])
        )
        coarse &= grid_intervals < earlier_intervals[remaining]
        earlier_intervals[remaining] = grid_intervals
        remaining = remaining[coarse]
        if len(remaining) == 0:
            break
        intervals = best[remaining] / 100.0
    return [float(epsilon) for epsilon in best]


ROUNDED_UP = 1.0 + 1e-12
"""Sums and closed forms over up to 10,000,000 equal steps have a smaller rounding error."""


def _gdp_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    precision = math.fsum(step.count / step.multiplier**2 for step in parts) * ROUNDED_UP
    return float(analytic_epsilon(1.0 / math.sqrt(precision), delta, change(adjacency)))


def _clt_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    """μ = q √(Σ (e^{1/ν²} - 1)) (Bu, Dong, Long, Su 2020): an approximation, not a bound."""
    with np.errstate(over="ignore"):
        total = sum(
            step.count * step.rate**2 * float(np.expm1(step.multiplier**-2)) for step in parts
        )
    if not math.isfinite(total):
        return math.inf
    return float(analytic_epsilon(1.0 / math.sqrt(total), delta, 1.0))


def _zcdp_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    rho = math.fsum(0.5 * step.count * (change(adjacency) / step.multiplier) ** 2 for step in parts)
    return concentrated.epsilon(concentrated.Concentrated(rho * ROUNDED_UP), delta)


def _tcdp_covers(step: Step, adjacency: Adjacency) -> bool:
    # Under zero-out the blanked record is one of the replacements that replace-one allows.
    return step.mechanism == "gaussian" and (
        step.sampling == "none" or (step.sampling == "fixed" and adjacency is not ADD_REMOVE)
    )


def _tcdp_parts(
    parts: Sequence[Step], adjacency: Adjacency
) -> tuple[concentrated.Concentrated, tuple[Condition, ...]]:
    total: list[concentrated.Concentrated] = []
    conditions: list[Condition] = []
    for step in parts:
        # Two batches differ by one record exchanged for another, under either adjacency.
        moved = 2.0 if step.sampling == "fixed" else change(adjacency)
        base = concentrated.Concentrated(0.5 * (moved / step.multiplier) ** 2)
        if step.sampling == "fixed":
            base, step_conditions = concentrated.amplified(base, step.rate)
            conditions += step_conditions
        total.append(concentrated.Concentrated(step.count * base.rho * ROUNDED_UP, base.omega))
    composed = concentrated.compose(total)
    return composed, (*conditions, concentrated.says_something(composed))


def _tcdp_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    total, conditions = _tcdp_parts(parts, adjacency)
    met = all(condition.met for condition in conditions)
    return concentrated.epsilon(total, delta) if met else math.inf


def _tcdp_reason(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> str:
    # Only the least noisy failing step is reported; there may be hundreds.
    for step in sorted(parts, key=lambda step: step.multiplier):
        unmet = [
            condition.consequence
            for condition in _tcdp_parts([step], adjacency)[1]
            if not condition.met
        ]
        if unmet:
            return " ".join(unmet)
    return ""


def _composable(step: Step, adjacency: Adjacency) -> bool:
    if step.mechanism == "laplace" or step.sampling == "none":
        return True
    return adjacency is not (REPLACE_ONE if step.sampling == "poisson" else ADD_REMOVE)


def _step_epsilon(step: Step, share: float, adjacency: Adjacency) -> float:
    """ε of one step at a share of δ, exact before sampling; amplified by Balle et al. 2018."""
    moved = 2.0 if step.sampling == "fixed" else change(adjacency)
    if step.mechanism == "laplace":
        return moved / step.multiplier
    inner = min(share / step.rate, 1.0 - 1e-12)
    return amplified_epsilon(float(analytic_epsilon(step.multiplier, inner, moved)), step.rate)


def _basic_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    """Σ ε_t with an equal share of δ for each step."""
    total = sum(step.count for step in parts)
    return ROUNDED_UP * math.fsum(
        step.count * _step_epsilon(step, delta / total, adjacency) for step in parts
    )


def _strong_epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    """Strong composition: half of δ for the steps, half for the slack."""
    total = sum(step.count for step in parts)
    epsilons = [_step_epsilon(step, delta / (2.0 * total), adjacency) for step in parts]
    counts = [step.count for step in parts]
    return ROUNDED_UP * strong_composition_of(epsilons, counts, delta / 2.0)


ACCOUNTANTS = {
    accountant.key: accountant
    for accountant in (
        Accountant(
            "pld",
            "PLD",
            _pld_covers,
            _pld_epsilon,
            "Doroshenko et al. 2022; Zhu, Dong, Wang 2022; Balle, Barthe, Gaboardi 2018",
        ),
        Accountant(
            "rdp",
            "Rényi",
            _renyi_covers,
            _renyi_epsilon,
            "Mironov et al. 2019; Wang et al. 2019; Canonne et al. 2020",
        ),
        Accountant(
            "gdp", "Gaussian DP", _unsampled_gaussian, _gdp_epsilon, "Dong, Roth, Su 2022 (exact)"
        ),
        Accountant("zcdp", "zCDP", _unsampled_gaussian, _zcdp_epsilon, "Bun, Steinke 2016"),
        Accountant(
            "tcdp",
            "tCDP",
            _tcdp_covers,
            _tcdp_epsilon,
            "Bun, Dwork, Rothblum, Steinke 2018, all conditions",
            reason=_tcdp_reason,
        ),
        Accountant(
            "strong",
            "Strong composition",
            _composable,
            _strong_epsilon,
            "Dwork, Rothblum, Vadhan 2010; Balle, Barthe, Gaboardi 2018",
        ),
        Accountant(
            "basic",
            "Basic composition",
            _composable,
            _basic_epsilon,
            "Dwork et al. 2006; Balle, Barthe, Gaboardi 2018",
        ),
    )
}


def planning_estimate(event: Event, delta: float, adjacency: Adjacency) -> float | None:
    """ε by the central limit theorem for Gaussian DP: a planning estimate, often too low.

    Parameters
    ----------
    event : Event
        Poisson-sampled Gaussian steps; otherwise the answer is ``None``.
    delta : float
        In (0, 1).
    adjacency : Adjacency
        Not replace-one.

    References
    ----------
    Bu, Dong, Long and Su 2020.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    parts = steps(event)
    if adjacency is REPLACE_ONE or any(step.sampling != "poisson" for step in parts):
        return None
    return _clt_epsilon(parts, delta, adjacency)


def bounds(event: Event, delta: float, adjacency: Adjacency) -> tuple[float, float]:
    """(lower, upper) bound on the exact ε at δ by privacy loss distributions.

    The upper bound is that of `certify`; the gap is the pessimism of the certified ε plus the slack
    of the lower bound.

    For batches of fixed size no records attain the upper bound, and the lower one is attained by
    records that are all alike but one: the exact value lies between.

    Raises
    ------
    InvalidInput
        If PLD has no theorem for the event.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    parts = steps(event)
    if reason := refusal(event, adjacency, "pld"):
        raise InvalidInput(reason)
    distributions = loss_distributions(parts, adjacency, delta=delta, optimistic=True)
    # A cached certificate is reused.
    upper = certify(event, delta, adjacency, "pld").epsilon
    return max(
        distribution.epsilon(delta) for distribution in distributions
    ), math.inf if upper is None else upper
