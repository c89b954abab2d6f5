"""Private trainings of networks for the papers' figures: final results and guarantees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.report import conclusion, measures
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin
from dpcore.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

CERTIFIED = ("epsilon", "delta", "adjacency", "accountant", "status", "reason")
METRICS = ("accuracy", "auc", "loss_train")

Labelled = tuple[dict[str, Any], TrainingStudy]
"""The labels of a row, and its study."""


def taught(studies: Sequence[Labelled], progress: Progress) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train every study; small ones that share their records side by side.

    Parameters
    ----------
    studies : sequence of (labels, TrainingStudy)
    progress : callable
        Any exception that it raises ends the work.

    Returns
    -------
    ends : DataFrame
        One row a study: its labels; accuracy, auc and loss_train as means over runs with `_low` and
        `_high` (5 % and 95 %); runs, epochs, steps, sigma (σ₀), clip, batch; claimed_epsilon and
        claimed_by (the paper's figure for the whole run); epsilon certified for the steps taken, at
        delta under adjacency by accountant; status and reason.
    history : DataFrame
        The history of every run, its labels first.
    """
    import pandas as pd

    groups: dict[object, list[int]] = {}
    for place, (_, study) in enumerate(studies):
        groups.setdefault(_records(study), []).append(place)
    ends: dict[int, dict[str, Any]] = {}
    histories: dict[int, pd.DataFrame] = {}
    done = 0
    for group in groups.values():

        def report(share: float, message: str, size: int = len(group), before: int = done) -> None:
            progress((before + share * size) / len(studies), message)

        trainer = begin([studies[place][1] for place in group], progress=report)
        trainer.run(report)
        rows = trainer.history()
        for at, place in enumerate(group):
            labels, study = studies[place]
            history_rows = rows[rows["study"] == at].drop(columns="study").reset_index(drop=True)
            histories[place] = pd.concat(
                [
                    pd.DataFrame(labels, index=history_rows.index),
                    history_rows.drop(columns=list(labels), errors="ignore"),
                ],
                axis=1,
            )
            ends[place] = labels | _end(
                conclusion(trainer, at) | measures(trainer, at), trainer.configs[at]
            )
        done += len(group)
    places = range(len(studies))
    return (
        pd.DataFrame([ends[place] for place in places]),
        pd.concat([histories[place] for place in places], ignore_index=True),
    )


def limits(lows: Iterable[float]) -> tuple[float, float]:
    """Limits of an axis of shares: from a little below the least to 1."""
    return max(0.0, math.floor(20.0 * min(lows) - 0.5) / 20.0), 1.0


def against(
    place: str, ours: dict[str, Any], theirs: dict[str, Any], metric: str
) -> tuple[str, float, float, float]:
    """Two rows of `ends` for `report.ordering`; neither wins within the spread of either's runs."""
    margin = max(0.5 * (row[f"{metric}_high"] - row[f"{metric}_low"]) for row in (ours, theirs))
    return place, ours[metric], theirs[metric], margin


def _end(summary: dict[str, Any], config: TrainingConfig) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for metric in METRICS:
        spread = summary[metric] or {"mean": None, "low": None, "high": None}
        row |= {
            metric: spread["mean"],
            f"{metric}_low": spread["low"],
            f"{metric}_high": spread["high"],
        }
    row |= {name: summary[name] for name in ("runs", "epochs", "steps", "sigma", "clip")}
    row["batch"] = config.batch
    row["claimed_epsilon"] = summary["claim"]["epsilon"]
    row["claimed_by"] = summary["claim"]["by"]
    return row | {name: summary["certified"][name] for name in CERTIFIED}


def _records(study: TrainingStudy) -> TrainingStudy:
    """The study reduced to the settings that determine its records."""
    return replace(study, config=TrainingConfig(), epsilon=None, runs=1, budget=None)
