"""Right risks from a released model: whole counts of its scores by outcome, as noisy sums.

The weights of a training are released, and so public. The score s of each row falls between two of
`KNOTS` knots, which follow from the weights alone (`dpcore.erm.recalibration.knots`). A row whose
outcome is known adds U = 2²⁰ units, U - u to the lower knot and u to the upper one, in the half of
its outcome; u = ⌊U (s - lower)/(upper - lower)⌋ is whole. A blank row adds nothing, and scores
beyond the outer knots count as these. Of a person's rows that count the mean is taken, rounded down
in each cell. So what a record adds is a vector v ≥ 0 of whole numbers with

    ‖v‖₂ ≤ ‖v‖₁ ≤ U ≤ R,

of a person, too: a mean of such vectors is one, and rounding down makes it no longer. It is checked
on the whole numbers of each record; one that is longer adds 0. That is the bound of a step of
training, and the counts get its σ: m of the T sums of the mechanism are the same counts, each with
noise of its own, so that the proof is that of T sums, whatever m is (`dpcore.release.mechanism`).
Their mean has noise of σ/√m.

A row's share is made by products, differences, quotients and comparisons of its own numbers and the
weights, element by element: it is a function of that row, bit by bit. Sums are exact. The curve
that follows from the noisy counts is post-processing (`dpcore.erm.recalibration`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcore.datasets.persons import Persons
from dpcore.erm.recalibration import KNOTS, curves, knots, share_for
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.release import grid
from dpcore.release.grid import Array, Whole
from dpcore.release.mechanism import MAX_STEPS, Mechanism, noisy_means
from dpcore.release.scorer import Scorer

CELLS, TINY = 2 * KNOTS, 1e-9
MIN = 100
"""Records for each unit of noise, below which risks are left as trained unless asked for."""
Draw = Callable[[int, int], list[int]]
Points = tuple[tuple[float, ...], tuple[float, ...]]
"""Scores, ascending, and the log odds there."""


def sums_for(budget: PrivacyBudget, records: int, steps: int) -> int:
    """m, how many sums are counts: by public values, about their share of the budget.

    They come to the training's steps; at least 1, but where these are as many as there may be.
    """
    share = share_for(budget, records)
    wanted = max(1, round(steps * share / (1.0 - share)))
    return min(wanted, MAX_STEPS - steps)


def noise(mechanism: Mechanism, sums: int) -> float:
    """Standard deviation of the noise on the mean of m counts, in records."""
    return mechanism.sigma / (mechanism.units * math.sqrt(sums))


def are_precise(mechanism: Mechanism, sums: int, records: int) -> bool:
    """Whether m counts are precise enough for so many records, by public values.

    With more noise than n/100 a correction made risks of small tables worse (`docs/release.md`).
    """
    return sums > 0 and noise(mechanism, sums) <= records / MIN


def counts(scorer: Scorer, signed: Array, weights: Array, persons: Persons | None = None) -> Whole:
    """The exact sum of all records' vectors: by knot those without, then those with the outcome.

    `signed`, shape (d, rows), has the intercept's feature last, times the label of ±1, or 0 of a
    blank row. Without `persons` each row is a record.
    """
    places, result = knots_of(scorer, weights), np.zeros(CELLS, dtype=np.int64)
    for where, first in grid.blocks(signed.shape[1], grid.ROWS, persons):
        result += contributions(scorer, signed[:, where], weights, places, first).sum(axis=0)
    return result


def contributions(
    scorer: Scorer, signed: Array, weights: Array, places: Array, first: Whole | None = None
) -> Whole:
    """Each record's vector, in units; shape (records, `CELLS`). Arguments are as of `counts`.

    `first` says where each person's rows begin; without it each row is a record.
    """
    # The intercept's feature is above 0, so its sign is the label's.
    label = np.sign(signed[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite adds 0
        scores = scorer.scores(signed * label, weights)
        known = (label != 0.0) & np.isfinite(scores)
        scores = np.where(known, scores, 0.0)
        lower = np.clip(np.searchsorted(places, scores, side="right") - 1, 0, KNOTS - 2)
        above = (scores - places[lower]) / (places[lower + 1] - places[lower])
    upper = np.floor(np.clip(above, 0.0, 1.0) * grid.UNITS).astype(np.int64)
    cell = lower + KNOTS * (label > 0.0)
    rows = signed.shape[1]
    record = (
        np.arange(rows)
        if first is None
        else np.repeat(np.arange(len(first)), np.diff(first, append=rows))
    )
    units = np.zeros((rows if first is None else len(first), CELLS), dtype=np.int64)
    np.add.at(units, (record, cell), np.where(known, grid.UNITS - upper, 0))
    np.add.at(units, (record, cell + 1), np.where(known, upper, 0))
    if first is not None:
        units //= np.diff(first, append=rows)[:, np.newaxis]
    units[(units < 0).any(axis=1) | (units.sum(axis=1) > grid.UNITS)] = 0
    return units


def noisy_counts(
    scorer: Scorer,
    signed: Array,
    weights: Array,
    mechanism: Mechanism,
    sums: int,
    draw: Draw,
    persons: Persons | None = None,
) -> Array:
    """The mean of m noisy sums in records, shape (2, `KNOTS`); for arguments see `corrected`."""
    exact = counts(scorer, signed, weights, persons).tolist()
    return np.array(noisy_means(exact, mechanism, sums, draw)).reshape(2, KNOTS)


def corrected(
    scorer: Scorer,
    signed: Array,
    weights: Array,
    mechanism: Mechanism,
    sums: int,
    draw: Draw,
    persons: Persons | None = None,
) -> Points:
    """Fit the curve from scores to log odds, with the noise of m of the mechanism's sums."""
    noisy = noisy_counts(scorer, signed, weights, mechanism, sums, draw, persons)
    sigma = np.array(noise(mechanism, sums))
    places = knots_of(scorer, weights)
    values = curves(noisy, places, sigma).log_odds
    if not np.isfinite(values).all():
        values = places  # as trained
    return tuple(places.tolist()), tuple(values.tolist())


def straight(scores: Array) -> Points:
    """The curve that leaves log odds as they are, between these."""
    return tuple(scores.tolist()), tuple(scores.tolist())


def distance(scorer: Scorer, mechanism: Mechanism, rows: int) -> float:
    """How far one person with so many rows moves the counts at most, by their own code."""
    record, other = (np.zeros((scorer.features, rows)) for _ in range(2))
    # Beyond the outer knots, so that all of it counts in one cell.
    record[-1] = 2.0
    if mechanism.adjacency == Adjacency.REPLACE_ONE:
        other[-1] = -2.0
    weights = np.zeros(scorer.parameters)
    weights[scorer.features - 1] = 1.0  # the intercept's, of a network's linear part, too
    persons = Persons(np.arange(rows), np.zeros(1, dtype=np.int64), 0) if rows > 1 else None
    sums = [counts(scorer, each, weights, persons).tolist() for each in (record, other)]
    return math.dist(*sums)


def requested_sigma(scorer: Scorer, mechanism: Mechanism) -> int:
    """The least σ that the counts request from the sampler."""
    sigmas: list[int] = []

    def note(sigma: int, count: int) -> list[int]:
        sigmas.append(sigma)
        return [0] * count

    nobody, weights = np.zeros((scorer.features, 1)), np.zeros(scorer.parameters)
    noisy_counts(scorer, nobody, weights, mechanism, 2, note)
    return min(sigmas)


def knots_of(scorer: Scorer, weights: Array) -> Array:
    """The knots; those of weights of length 1 where all are next to nothing."""
    reach = scorer.reach(weights)
    return knots(reach if np.abs(reach).max() > TINY else np.eye(len(reach))[0])


def log_odds(scores: Array, points: Points) -> Array:
    """The curve at scores: straight between its points and constant beyond, element by element."""
    at, values = (np.array(part) for part in points)
    lower = np.clip(np.searchsorted(at, scores, side="right") - 1, 0, len(at) - 2)
    with np.errstate(over="ignore"):  # of points that are next to one another
        share = np.clip((scores - at[lower]) / (at[lower + 1] - at[lower]), 0.0, 1.0)
    return np.asarray(values[lower] + share * (values[lower + 1] - values[lower]))
