"""A trial that can be watched, stopped, and gone on with."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, AttackResult
from dpcore.audit.study import TrialStudy
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.progress import Progress
from dpcore.questions.verify.question import row_of, trial

DOTS = 20
"""Each stands for as large a share of a world's outputs."""


class LiveTrial:
    """A method attacked, with what is proved after each block of outputs.

    One attack after another draws, until one refutes.
    """

    def __init__(self, study: TrialStudy) -> None:
        self.study = study
        self.attack = study.attacks[0]
        self.bounds: list[tuple[int, float]] = []  # outputs on either data set, and lower bounds
        self.last: AttackResult | None = None
        self._steps, self._lock = self._tried(), threading.Lock()

    def _tried(self) -> Iterator[AttackResult]:
        for attack in self.study.attacks:
            self.attack, self.bounds = attack, []
            for result in trial(self.study, attack):
                yield result
                if result.flagged:
                    return

    def go(self, report: Progress) -> AttackResult:
        """Draw on until it is decided, or all outputs are drawn; `report` may stop it."""
        with self._lock:
            for result in self._steps:
                self.last = result
                self.bounds.append((result.runs, result.lower_bound))
                report(result.runs / self.most, "Drawing outputs")
        if self.last is None:
            raise InvalidInput(f"{self.attack.method} could not be tried.")
        return self.last

    @property
    def which(self) -> str:
        """Which of the method's attacks this is."""
        every = replace(self.study, attack=None).attacks
        number = self.study.attack or every.index(self.attack) + 1
        return f"Attack {number} of {len(every)}"

    @property
    def most(self) -> int:
        """The most outputs that are drawn on either data set."""
        return self.study.outputs or self.attack.runs

    @property
    def row(self) -> dict[str, object] | None:
        """How it stands, as a row of the question's table."""
        return None if self.last is None else row_of(self.last)


def usual_attack(study: TrialStudy) -> int:
    """The number of the attack to watch: under zero-out and by normal scores, where there is one.

    From 1; of several such it is the first.
    """

    def rank(attack: Attack) -> tuple[bool, bool]:
        return attack.adjacency is Adjacency.ZERO_OUT, attack.gaussian

    ranks = [rank(attack) for attack in study.attacks]
    return ranks.index(max(ranks)) + 1


def dots(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """Scores that part a world's outputs into equal shares: their middles."""
    return np.asarray(np.quantile(scores, (np.arange(DOTS) + 0.5) / DOTS))
