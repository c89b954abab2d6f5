"""Trainings that have ended, found again by the name of their job, and laid side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation import jobs
from dpcore.evaluation.comparison import gathered

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ("dataset", "features", "public", "target_epsilon", "runs")
RECIPE = tuple(
    each.name
    for each in fields(TrainingConfig)
    if each.name not in ("sigma", "clipped", "delta", "adjacency", "public_size")
)
METRICS = ("accuracy", "auc", "loss_train")
CERTIFIED = ("epsilon", "delta", "adjacency", "accountant", "status")


@dataclass(frozen=True, eq=False)
class Finished:
    """One training that has ended.

    Parameters
    ----------
    key : str
        Of its job.
    said, measured : mapping
        What it left as ``settings.json`` and ``measures.json``.
    history : DataFrame
        Its rows.
    """

    key: str
    said: Mapping[str, Any]
    measured: Mapping[str, Any]
    history: pd.DataFrame

    @property
    def settings(self) -> dict[str, Any]:
        """What was set, flat; `SETTINGS` and `RECIPE`."""
        study, config = self.said["study"], self.said["recipe"]
        widths = "×".join(map(str, config["widths"])) if config["network"] == "perceptron" else ""
        asked = {
            "dataset": study["dataset"],
            "features": study["features"],
            "public": study["public"],
            "target_epsilon": study["epsilon"],
            "runs": study["runs"],
        }
        return asked | {name: config[name] for name in RECIPE} | {"widths": widths}

    @property
    def results(self) -> dict[str, Any]:
        """Where it ended, and what is certified for its noise, flat."""
        conclusion = self.said["conclusion"]
        found: dict[str, Any] = {"sigma": conclusion["sigma"]}
        for metric in METRICS:
            spread = self.measured[metric] or {"mean": None, "low": None, "high": None}
            found |= {
                metric: spread["mean"],
                f"{metric}_low": spread["low"],
                f"{metric}_high": spread["high"],
            }
        certified = conclusion["certified"] | {"status": conclusion["status"]}
        return found | {name: certified[name] for name in CERTIFIED}


def finished(key: str) -> Finished | None:
    """The training with that job's name; ``None`` where none has ended, or its files are gone.

    Raises
    ------
    InvalidInput
        If no job can have such a name.
    """
    job = jobs.Job(key)
    left, measured = job.file("settings.json"), job.file("measures.json")
    if job.state != "done" or left is None or measured is None:
        return None
    return Finished(key, json.loads(left), json.loads(measured), job.result())


def histories(found: Mapping[str, Finished]) -> pd.DataFrame:
    """All rows, with the name of the training as `series`."""
    return gathered({name: each.history for name, each in found.items()})


def table(found: Mapping[str, Finished]) -> pd.DataFrame:
    """One row a training: its name, its settings, its metrics with 90 % bands, its ε."""
    import pandas as pd

    return pd.DataFrame(
        [{"training": name} | each.settings | each.results for name, each in found.items()]
    )


def differing(found: Mapping[str, Finished]) -> list[str]:
    """Names of the settings in which they differ."""
    settings = [each.settings for each in found.values()]
    return [
        name for name in (*SETTINGS, *RECIPE) if len({repr(each[name]) for each in settings}) > 1
    ]
