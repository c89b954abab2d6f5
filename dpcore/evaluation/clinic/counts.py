"""Count whom models treat at each threshold, in so few numbers that a page holds every run's."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets import Split
from dpcore.erm.method import Array
from dpcore.evaluation.clinic.decision_curve import decisions
from dpcore.evaluation.study import THRESHOLDS

NAME = "counts.npz"
"""Of the file of a job."""
PEOPLE = 1000
"""Of whom single runs are told."""
Whole = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What decisions by each model lead to at one threshold."""

    threshold: float
    places: Whole  # (M,), the split of each run
    share: Array  # (M,), of the test records who have the condition
    found: Array  # (E, M), share who have it and are treated
    alarms: Array  # (E, M), share who do not have it and are treated

    @property
    def right(self) -> Array:
        """Share of people who are decided on rightly, (E, M)."""
        return 1.0 - self.alarms - (self.share - self.found)

    @property
    def missed(self) -> Array:
        """Of 1,000 people, those who have the condition and are not treated, (E, M)."""
        return PEOPLE * (self.share - self.found)

    @property
    def false(self) -> Array:
        """Of 1,000 people, those who do not have it and are treated, (E, M)."""
        return PEOPLE * self.alarms

    @property
    def net_benefit(self) -> Array:
        """Net benefit of treating by each model, (E, M)."""
        return self.found - self._weight * self.alarms

    @property
    def treat_all(self) -> Array:
        """Net benefit of treating everybody, (M,)."""
        return self.share - self._weight * (1.0 - self.share)

    @property
    def _weight(self) -> float:
        return self.threshold / (1.0 - self.threshold)


@dataclass(frozen=True, eq=False)
class TreatedCounts:
    """Of the test records of each split, how many each of the models treats, rightly or not."""

    epsilons: NDArray[np.float64]  # (E,), ascending; ∞ for the model without privacy
    places: Whole  # (M,), the split of each run, the same at each ε
    people: Whole  # (S,), test records of each split
    cases: Whole  # (S,), of whom so many have the condition
    found: Whole  # (E, M, T), cases who are treated at each of `THRESHOLDS`
    alarms: Whole  # (E, M, T), others who are treated

    def written(self) -> bytes:
        """The counts as a file."""
        file = io.BytesIO()
        np.savez_compressed(file, **vars(self))
        return file.getvalue()

    @classmethod
    def read(cls, data: bytes) -> TreatedCounts:
        """The counts of `written`."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    def outcomes(self, threshold: float) -> Outcomes:
        """What acting from this threshold on leads to, as shares of each run's own people."""
        column = THRESHOLDS.index(threshold)
        people, cases = self.people[self.places], self.cases[self.places]
        found, alarms = (counts[:, :, column] / people for counts in (self.found, self.alarms))
        return Outcomes(threshold, self.places, cases / people, found, alarms)

    def single(self, at: int, threshold: float, most: int) -> Whole:
        """Found, missed, false alarms and left alone of 1,000 people, (runs, 4), in some runs.

        At most so many runs, spread over the splits; each is judged on the records of its own.
        """
        column = THRESHOLDS.index(threshold)
        count = len(self.places)
        some = np.linspace(0, count - 1, min(most, count)).round().astype(np.intp)
        people, cases = (counts[self.places[some]] for counts in (self.people, self.cases))
        found, alarms = (counts[at, some, column] for counts in (self.found, self.alarms))
        parts = np.stack([found, cases - found, alarms, people - cases - alarms], axis=1)
        return _of_thousand(parts)


def _of_thousand(parts: Whole) -> Whole:
    """Rows of counts as parts of 1,000 that add up, by the largest remainders."""
    exact = PEOPLE * parts / parts.sum(axis=1, keepdims=True)
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    raised: Whole = whole + (rank < PEOPLE - whole.sum(axis=1, keepdims=True))
    return raised


class Counter:
    """Count while models are trained, and keep no model."""

    def __init__(self) -> None:
        self._parts: dict[tuple[float, int], tuple[Whole, Whole]] = {}
        self._records: dict[int, tuple[int, int]] = {}

    def __call__(self, split: Split, place: int, models: Mapping[float, Array]) -> None:
        """Count for the models (runs, d) of one method on one split, by ε."""
        ill = split.y_test > 0
        self._records[place] = len(ill), int(ill.sum())
        for epsilon, weights in models.items():
            told = decisions(expit(weights @ split.x_test.T), ill, THRESHOLDS)
            found, alarms = (
                np.rint(shares * len(ill)).astype(np.uint32)
                for shares in (told.true_positives, told.alarms)
            )
            self._parts[epsilon, place] = found, alarms

    @property
    def counts(self) -> TreatedCounts:
        """All that was counted."""
        places = sorted(self._records)
        epsilons = sorted({epsilon for epsilon, _ in self._parts})

        def together(which: int) -> Whole:
            rows: list[Whole] = [
                np.concatenate([self._parts[epsilon, place][which] for place in places])
                for epsilon in epsilons
            ]
            return np.stack(rows)

        runs = [len(self._parts[epsilons[0], place][0]) for place in places]
        people, cases = zip(*(self._records[place] for place in places), strict=True)
        return TreatedCounts(
            np.array(epsilons),
            np.repeat(np.arange(len(places)), runs),
            np.array(people),
            np.array(cases),
            together(0),
            together(1),
        )


def joined(parts: Sequence[tuple[TreatedCounts, Sequence[float]]]) -> TreatedCounts:
    """Those of several methods on the same splits and runs, each at these ε of its own."""
    first = parts[0][0]
    rows = sorted(
        (float(epsilon), number, int(np.flatnonzero(counts.epsilons == epsilon)[0]))
        for number, (counts, epsilons) in enumerate(parts)
        for epsilon in epsilons
    )
    found, alarms = (
        np.stack([getattr(parts[number][0], name)[place] for _, number, place in rows])
        for name in ("found", "alarms")
    )
    epsilons = np.array([epsilon for epsilon, _, _ in rows])
    return TreatedCounts(epsilons, first.places, first.people, first.cases, found, alarms)
