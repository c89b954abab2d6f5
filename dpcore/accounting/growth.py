"""How ε grows with the steps of a run, under every accountant that covers it, as one tidy table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting import paper_003
from dpcore.accounting.planner import Training, spent

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


def growth(training: Training, curves: Sequence[str], points: int = 24) -> pd.DataFrame:
    """ε at checkpoints along the run.

    Parameters
    ----------
    training : Training
        The whole run; its `steps` is the last checkpoint.
    curves : sequence of str
        From `CURVES`.
    points : int
        Number of checkpoints.

    Returns
    -------
    DataFrame
        Columns curve, title, steps, epsilon (nan where there is none), status, reason, delta,
        adjacency, accountant. "printed" and "tcdp" speak of replace-one whatever the run's
        adjacency, because their lemma does; the status of "printed" is "claim".
    """
    import pandas as pd

    rows = []
    for curve in curves:
        for steps in checkpoints(training.steps, points):
            run = replace(training, steps=steps)
            if curve in ("printed", "tcdp"):
                if run.rate >= 1.0:
                    continue
                answer = paper_003.account(run.schedule(), run.rate, run.delta, run.clip)
                found = answer.claim if curve == "printed" else answer.proof
                status = "claim" if curve == "printed" else "proved"
            else:
                found, status = spent(run, curve), "proved"
            epsilon = math.nan if found.epsilon is None else found.epsilon
            rows.append(
                (
                    curve,
                    TITLES[curve],
                    steps,
                    epsilon,
                    status if found.epsilon is not None else "conditions not met",
                    found.reason,
                    run.delta,
                    str(found.adjacency),
                    found.by,
                )
            )
    names = ["curve", "title", "steps", "epsilon", "status", "reason", "delta", "adjacency"]
    return pd.DataFrame(rows, columns=[*names, "accountant"])
