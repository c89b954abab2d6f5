"""Columns of a table of curves, and those that are known before any training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.erm.method import Calibration
from dpcore.erm.privacy_curve import noise_advantage
from dpcore.evaluation.scoring import OBJECTIVE, SPLIT_ERROR, Scoring, columns_for
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.study import OBJECTIVES, Calibrations
from dpcore.guarantee import Guarantee

if TYPE_CHECKING:
    import pandas as pd

CALIBRATION_COLUMNS = (
    "method",
    "edition",
    "epsilon",
    "delta",
    "adjacency",
    "status",
    "reason",
    "accountant",
    "certified_epsilon",
    "gaussian_mu",
    "noise_advantage",
    "sensitivity",
    "sigma",
    "steps",
    "excess_risk_bound_published",
    "excess_risk_bound_sound",
)


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a table of curves."""
    return (*CALIBRATION_COLUMNS, *_measured_columns(scoring), "runs", "splits", "source")


def _measured_columns(scoring: Scoring) -> tuple[str, ...]:
    """Each measure with its band and deviations; and those of the training without its noise."""
    return (
        *columns_for(scoring.measured, scoring.banded),
        *(f"{name}{end}" for name in noiseless(scoring) for end in ("", SPLIT_ERROR)),
        *columns_for(OBJECTIVES, (OBJECTIVE,)),
    )


def noiseless(scoring: Scoring) -> list[str]:
    """Each measure of the same training with its noise left out."""
    return [f"{metric.column}_noiseless" for metric in scoring.banded]


COLUMNS = columns(CLASSIFICATION)
"""Columns where classes are predicted."""


def calibration_table(calibrations: Calibrations, *, guesses: bool = True) -> pd.DataFrame:
    """σ and verdict per (method, ε): known before any training."""
    import pandas as pd

    def guarantee(c: Calibration) -> Guarantee:
        return c.proof if c.proof.epsilon is not None else c.certified

    def delta(c: Calibration) -> float:
        """δ of the guarantee, which may be below the requested δ; without one, the requested δ."""
        standing = guarantee(c)
        if standing.epsilon is None or standing.delta is None:
            return c.requested.delta
        return standing.delta

    def allowed(c: Calibration) -> float:
        advantage = noise_advantage(c) if guesses else None
        return math.nan if advantage is None else advantage

    rows = [
        (
            c.method,
            str(c.edition),
            c.requested.epsilon,
            delta(c),
            str(c.problem.adjacency),
            str(c.status),
            c.proof.reason,
            guarantee(c).by,
            math.nan if c.certified.epsilon is None else c.certified.epsilon,
            math.nan if c.gaussian_mu is None else c.gaussian_mu,
            allowed(c),
            c.sensitivity,
            c.sigma,
            c.steps,
            math.nan if c.bound_published is None else c.bound_published,
            math.nan if c.bound_sound is None else c.bound_sound,
        )
        for group in calibrations.values()
        for c in group
    ]
    return pd.DataFrame(rows, columns=list(CALIBRATION_COLUMNS))
