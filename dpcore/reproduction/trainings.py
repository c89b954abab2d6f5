"""Private trainings of networks for the papers' figures: final results and guarantees."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.measures import METRICS
from dpcore.evaluation.training.report import conclusion, measures
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import begin
from dpcore.evaluation.training.variants import nonprivate
from dpcore.figures.style import Look
from dpcore.progress import Progress
from dpcore.reproduction.report import Conclusion, ExperimentOrder, on_stand_in, panels

if TYPE_CHECKING:
    import pandas as pd

OWN, STAND_IN = "mnist", "digits"
CERTIFIED = ("epsilon", "delta", "adjacency", "accountant", "status", "reason")
ENDINGS = {"mean": "", "low": "_low", "high": "_high"}

Labelled = tuple[dict[str, Any], TrainingStudy]
"""The labels of a row, and its study."""


def taught(studies: Sequence[Labelled], progress: Progress) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train every study; small ones that share their records side by side."""
    import pandas as pd

    groups: dict[object, list[int]] = {}
    for place, (_, study) in enumerate(studies):
        groups.setdefault(_records(study), []).append(place)
    results: dict[int, tuple[dict[str, Any], pd.DataFrame]] = {}
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
            history = pd.concat(
                [
                    pd.DataFrame(labels, index=history_rows.index),
                    history_rows.drop(columns=list(labels), errors="ignore"),
                ],
                axis=1,
            )
            summary = conclusion(trainer, at) | measures(trainer, at)
            results[place] = labels | _end(summary, trainer.configs[at]), history
        done += len(group)
    ends, histories = zip(*(results[place] for place in range(len(studies))), strict=True)
    return pd.DataFrame(ends), pd.concat(histories, ignore_index=True)


def trained(
    order: ExperimentOrder,
    studies: Sequence[Labelled],
    progress: Progress,
    *,
    value: str,
    ylabel: str,
    titles: Mapping[str, str],
    looks: Mapping[str, Look],
    x: str,
    xlabel: str | Mapping[str, str],
    ending: str = "",
    logarithmic: bool = True,
) -> tuple[pd.DataFrame, list[Path]]:
    """`taught` studies whose ends and history are saved, and one measure of the ends drawn."""
    ends, history = taught(studies, progress)
    files = [order.save(ends), order.save(history, "-runs")]
    # From a little below the least to 1.
    least = max(0.0, math.floor(20.0 * min(ends[f"{value}_low"]) - 0.5) / 20.0)
    return ends, files + panels(
        ends,
        value=value,
        ylabel=ylabel,
        ylimits=(least, 1.0),
        titles=titles,
        path=order.open(ending),
        x=x,
        xlabel=xlabel,
        logarithmic=logarithmic,
        looks=looks,
    )


def without_privacy(study: TrainingStudy) -> TrainingStudy:
    """The same training without clipping and noise."""
    return replace(study, config=nonprivate(study.config), epsilon=None)


def digit_sets(order: ExperimentOrder, about: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sets to use in place of MNIST or beside it, and those that are not at hand."""
    sets = order.wanted((OWN,), images.availability, stand_in=STAND_IN)
    for name in sets[0]:
        if images.entry(name).task != "classes":
            raise InvalidInput(f"datasets is {name}, but {about}.")
    return sets


def on_each(
    at_hand: Sequence[str], rows: pd.DataFrame, judge: Callable[[pd.DataFrame], list[Conclusion]]
) -> list[Conclusion]:
    """The conclusions from the rows of each set; on another than MNIST they are not settled."""
    verdicts = []
    for name in at_hand:
        judged = judge(rows[rows.get("records", rows["dataset"]) == name])
        verdicts += judged if name == OWN else [on_stand_in(v, "MNIST", name) for v in judged]
    return verdicts


def against(
    place: str, ours: dict[str, Any], theirs: dict[str, Any], metric: str
) -> tuple[str, float, float, float]:
    """Two rows of `ends` for `report.ordering`; neither wins within the spread of either's runs."""
    margin = max(0.5 * (row[f"{metric}_high"] - row[f"{metric}_low"]) for row in (ours, theirs))
    return place, ours[metric], theirs[metric], margin


def _end(summary: dict[str, Any], config: TrainingConfig) -> dict[str, Any]:
    return {
        **{
            f"{metric}{ending}": (summary[metric] or {}).get(part)
            for metric in METRICS
            for part, ending in ENDINGS.items()
        },
        **{name: summary[name] for name in ("runs", "epochs", "steps", "sigma", "clip")},
        "batch": config.batch,
        "claimed_epsilon": summary["claim"]["epsilon"],
        "claimed_by": summary["claim"]["by"],
        **{name: summary["certified"][name] for name in CERTIFIED},
    }


def _records(study: TrainingStudy) -> TrainingStudy:
    """The study reduced to the settings that determine its records."""
    return replace(study, config=TrainingConfig(), epsilon=None, runs=1, budget=None)
