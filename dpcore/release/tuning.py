"""Let a release choose λ: each setting of a public list is trained and scored, and all are paid.

A try is T of the mechanism's sums: those of a training by one of the settings, of the counts that
correct its risks, and m sums that score it. So k tries are kT sums, each chosen on the sums before,
and the proof is that of `Mechanism.times`, whatever is then chosen by all of them. Their number is
fixed, so that neither it nor the time says anything.

The score is how many records the weights decide rightly. A record adds U = 2²⁰ units where they do,
else nothing; of a person's rows that count the mean is taken, rounded down. So it adds one whole
number of at most U ≤ R (`dpcore.release.grid`), and one record moves the sum by at most R under
zero-out and under replace-one alike. Each of the m sums is the same one with noise of its own, of
the mechanism's σ, in one coordinate: the others would be noise alone. Their mean is the score.

A record's number is a function of its own rows and the weights, bit by bit, as in `risk_counts`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.datasets.persons import Persons
from dpcore.errors import InvalidInput, number, reject
from dpcore.progress import Progress, section
from dpcore.release import grid
from dpcore.release.grid import Array, Whole
from dpcore.release.mechanism import Draw, Mechanism, Path, descend, noisy_means
from dpcore.release.scorer import Scorer

MOST = 20
SHARE = 0.1
"""Of a try's sums, for its score."""


def checked(factors: tuple[float, ...]) -> tuple[float, ...]:
    """The factors of λ to try, each once; refused where there is nothing to choose, or too much."""
    listed = tuple(number("λ factor", each, at_least=1e-6, at_most=1e6) for each in factors)
    if listed and not 2 <= len(set(listed)) == len(listed) <= MOST:
        raise reject("settings to choose from", len(listed), f"2 to {MOST} different ones")
    return listed


def sums_for(steps: int) -> int:
    """m, by the number of the other sums, which is public."""
    return max(1, round(SHARE * steps))


def contributions(
    scorer: Scorer, signed: Array, weights: Array, first: Whole | None = None
) -> Whole:
    """What each record adds, in units; shape (records,). Arguments are as of `risk_counts`."""
    # The intercept's feature is above 0, so its sign is the label's; 0 of a blank row.
    label = np.sign(signed[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is not right
        scores = scorer.scores(signed * label, weights)
        units = np.where(label * np.sign(scores) > 0.0, grid.UNITS, 0).astype(np.int64)
    if first is None:
        return units
    sizes = np.diff(first, append=signed.shape[1])
    return np.asarray(np.add.reduceat(units, first) // sizes)


def right(scorer: Scorer, signed: Array, weights: Array, persons: Persons | None = None) -> int:
    """The exact sum, in units."""
    return sum(
        int(contributions(scorer, signed[:, where], weights, first).sum())
        for where, first in grid.blocks(signed.shape[1], grid.ROWS, persons)
    )


def noisy_right(
    scorer: Scorer,
    signed: Array,
    weights: Array,
    mechanism: Mechanism,
    sums: int,
    draw: Draw,
    persons: Persons | None = None,
) -> float:
    """The mean of m noisy sums, in records."""
    (mean,) = noisy_means([right(scorer, signed, weights, persons)], mechanism, sums, draw)
    return mean


def best(
    signed: Array,
    mechanism: Mechanism,
    path: Path,
    factors: tuple[float, ...],
    draw: Draw,
    progress: Progress,
    persons: Persons | None = None,
) -> tuple[Array, Path]:
    """Train by each setting; returns weights and path of the one with the best noisy score."""
    tries = []
    for place, factor in enumerate(factors):
        tried = replace(path, lam=path.lam * factor)
        part = section(progress, place / len(factors), 1.0 / len(factors))
        weights = descend(signed, mechanism, tried, draw, part, persons)
        score = noisy_right(path.scorer, signed, weights, mechanism, path.score_sums, draw, persons)
        tries.append((score, -place, weights, tried))
    if not tries:
        raise InvalidInput("There is no setting to choose from.")
    _, _, weights, tried = max(tries, key=lambda each: each[:2])
    return weights, tried
