"""Tables of ε: along a run under every accountant that covers it, and over settings around a run.

Maps over settings are by Rényi accounting, a whole one in a fraction of a second. Multipliers are
rounded down to one grid, so that every ε stays an upper bound: mostly within 2 % of
`accountants.certify`, within a fifth of it in the corners of a map.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting import paper_003, renyi
from dpcore.accounting.accountants import refusal
from dpcore.accounting.events import TrainingPlan, change
from dpcore.accounting.planner import spent, spent_along
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import Guarantee
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd


CURVES = ("pld", "rdp", "tcdp", "printed")
"""Two certified accountants, tCDP with all its conditions, and paper 003's equations as printed."""

TITLES = {
    "pld": "PLD (certified)",
    "rdp": "Rényi (certified)",
    "tcdp": "tCDP, all conditions checked",
    "printed": "tCDP as printed in paper 003 (claim)",
}


def checkpoints(steps: int, points: int) -> tuple[int, ...]:
    """At most `points` step counts from 1 to `steps`, evenly spread, the last one included."""
    marks = np.linspace(0, steps, points + 1)[1:]
    return tuple(sorted({max(1, round(float(mark))) for mark in marks}))


def epsilon_curve(
    training: TrainingPlan,
    curves: Sequence[str],
    points: int = 24,
    progress: Progress = silent,
) -> pd.DataFrame:
    """ε at checkpoints along the run."""
    import pandas as pd

    marks, rows = checkpoints(training.steps, points), []
    for index, curve in enumerate(curves):

        def report(share: float, index: int = index, curve: str = curve) -> None:
            progress((index + share) / len(curves), TITLES[curve])

        status = "claim" if curve == "printed" else "proved"
        for count, guarantee in zip(marks, along(training, curve, marks, report), strict=False):
            rows.append(
                (
                    curve,
                    TITLES[curve],
                    count,
                    math.nan if guarantee.epsilon is None else guarantee.epsilon,
                    status if guarantee.epsilon is not None else "conditions not met",
                    guarantee.reason,
                    training.delta,
                    str(guarantee.adjacency),
                    guarantee.by,
                )
            )
        report(1.0)
    names = ["curve", "title", "steps", "epsilon", "status", "reason", "delta", "adjacency"]
    return pd.DataFrame(rows, columns=[*names, "accountant"])


def along(
    training: TrainingPlan,
    curve: str,
    marks: Sequence[int],
    report: Callable[[float], None] = silent,
) -> list[Guarantee]:
    """The guarantees of a curve of `CURVES` after each of `marks` steps; none without a formula."""
    if curve == "pld":
        return spent_along(training, marks, report)
    guarantees = []
    for index, count in enumerate(marks):
        report(index / len(marks))
        run = replace(training, steps=count)
        if curve != "printed":
            guarantees.append(spent(run, curve))
        elif run.rate < 1.0:
            guarantees.append(
                paper_003.account(run.schedule(), run.rate, run.delta, run.clip).claim
            )
    return guarantees


Array = NDArray[np.float64]

SPACING = 0.004  # of neighbouring multipliers, in ln ν
LOWEST = 0.2
"""Multipliers below this cost more than any map shows: their ε counts as infinite."""

BETWEEN = np.array([1.1, 1.25, 1.5, 1.75, 2.5, 3.5])
WHOLE = np.concatenate((np.arange(2.0, 13.0), np.round(12.0 * 1.08 ** np.arange(1, 50))))
MAP_ORDERS = np.concatenate((BETWEEN, WHOLE))
USEFUL = 2.5
"""Orders beyond this times ν² ln(1/q) are skipped for a step: their divergence explodes."""


OVER = ("decay", "rate")
DECAYS = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 0.999, 1.0)
FACTORS = tuple(float(2.0 ** (step / 4.0)) for step in range(-8, 9))
"""σ₀ and q of a map relative to the run's: a quarter to four times."""


def epsilon_map(training: TrainingPlan, over: str) -> pd.DataFrame:
    """A map around a run, as a tidy table: ε over σ₀ and one other setting."""
    import pandas as pd

    one_of("over", over, OVER)
    sigmas = [training.sigma * factor for factor in FACTORS]
    if over == "decay":
        values = sorted({*DECAYS, training.decay})
        epsilons = by_decay(training, values, sigmas)
    else:
        values = sorted({min(1.0, training.rate * factor) for factor in FACTORS})
        epsilons = by_rate(training, values, sigmas)
    return pd.DataFrame(
        {
            over: np.repeat(values, len(sigmas)),
            "sigma": np.tile(sigmas, len(values)),
            "epsilon": epsilons.ravel(),
            "delta": training.delta,
            "adjacency": str(training.adjacency),
            "accountant": "Rényi",
        }
    )


def by_decay(training: TrainingPlan, decays: Sequence[float], sigmas: Sequence[float]) -> Array:
    """Upper bounds on ε, (decays, sigmas), else as in `training`; ∞ where noise is tiny."""
    _covered(training)
    checked = [replace(training, decay=decay).decay for decay in decays]
    costs = _Costs(training, sigmas, training.rate)
    return np.stack([costs.epsilon(decay) for decay in checked])


def by_rate(training: TrainingPlan, rates: Sequence[float], sigmas: Sequence[float]) -> Array:
    """Upper bounds on ε, (rates, sigmas), for as many steps as `training` has."""
    _covered(training)
    if training.sampling == "none":
        raise InvalidInput("sampling is none, but a map over rates needs poisson or fixed.")
    checked = [number("sampling rate", rate, above=0.0, at_most=1.0) for rate in rates]
    return np.stack([_Costs(training, sigmas, rate).epsilon(training.decay) for rate in checked])


def _covered(training: TrainingPlan) -> None:
    first = replace(training, steps=1).event()
    if reason := refusal(first, training.adjacency, "rdp"):
        raise InvalidInput(reason)


class _Costs:
    """The common grid of multipliers, and the cost of a step at each of its points."""

    def __init__(self, training: TrainingPlan, sigmas: Sequence[float], rate: float) -> None:
        self._training, self._rate = training, rate
        self._first = np.log([number("σ", s, above=0.0) / training.clip for s in sigmas])
        top = math.ceil((self._first.max() - math.log(LOWEST)) / SPACING)
        # The last point lies above every multiplier: nothing falls on it.
        self._edges = math.log(LOWEST) + SPACING * np.arange(max(top, 1) + 2)
        self._table = np.zeros((len(self._edges) - 1, len(MAP_ORDERS)))
        self._done = np.zeros(len(self._table), dtype=bool)

    def epsilon(self, decay: float) -> Array:
        """ε for each σ₀; shape (sigmas,)."""
        counts, below = self._counts(decay)
        delta = self._training.delta
        epsilons = [
            renyi.epsilon_from(MAP_ORDERS, row, delta)[0]
            for row in self._total(counts * self._training.chosen_of)
        ]
        return np.where(below, np.inf, epsilons)

    def _counts(self, decay: float) -> tuple[Array, NDArray[np.bool_]]:
        """Steps whose ln ν is in [edge, next edge), and whether any lies below the first edge."""
        run = self._training
        room = self._first[:, None] - self._edges[None, :]
        if decay == 1.0:
            above = np.where(room >= 0.0, float(run.steps), 0.0)
        else:
            # Level l has ln ν = ln ν₀ + l ln(R)/2; those down to an edge come first.
            levels = np.floor(np.maximum(room, 0.0) / (-0.5 * math.log(decay))) + 1.0
            above = np.where(room >= 0.0, np.minimum(levels * run.decay_every, run.steps), 0.0)
        return above[:, :-1] - above[:, 1:], above[:, 0] < run.steps

    def _total(self, counts: Array) -> Array:
        """RDP of each run at each order; shape (sigmas, orders)."""
        missing = np.flatnonzero(counts.any(axis=0) & ~self._done)
        if len(missing):
            self._table[missing] = self._renyi(np.exp(self._edges[missing]))
            self._done[missing] = True
        exploded = np.isinf(self._table)
        total = counts @ np.where(exploded, 0.0, self._table)
        return np.where(counts @ exploded > 0.0, np.inf, total)

    def _renyi(self, noise: Array) -> Array:
        """RDP of one step at multipliers in ascending order; shape (multipliers, orders)."""
        run, rate = self._training, self._rate
        if rate == 1.0 or run.sampling == "none":
            return renyi.gaussian(noise / change(run.adjacency), MAP_ORDERS)
        if run.sampling == "fixed":
            noise, whole, between = noise / 2.0, renyi.fixed_size, renyi.fixed_between
        else:
            whole, between = renyi.poisson_whole, renyi.poisson_between
        result = np.full((len(noise), len(MAP_ORDERS)), np.inf)
        result[:, : len(BETWEEN)] = between(noise, rate, BETWEEN)
        useful = 10.0 + USEFUL * noise**2 * -math.log(rate)
        for column, order in enumerate(WHOLE, start=len(BETWEEN)):
            first = int(np.searchsorted(useful, order))
            if first < len(noise):
                result[first:, column] = whole(noise[first:], rate, np.array([order]))[:, 0]
        return result
