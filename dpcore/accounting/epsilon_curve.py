"""How ε grows with the steps of a run, under every accountant that covers it, as one tidy table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting import paper_003
from dpcore.accounting.planner import spent, spent_along
from dpcore.accounting.training_plan import TrainingPlan
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
