"""Finished trainings, looked up by the name of their job and compared side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.measures import METRICS, gathered
from dpcore.figures.headings import heading
from dpcore.questions.training.series import shown
from dpcore.words import at_most, counted, listed, plain
from dpcore.work import jobs

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ("dataset", "features", "public", "target_epsilon", "runs")
CONFIG_FIELDS = tuple(
    field.name
    for field in fields(TrainingConfig)
    if field.name not in ("sigma", "clipped", "delta", "adjacency", "public_size")
)
NAMED = ("epochs", "decay", "decay_every")
"""Settings that the title of every training names; of others, those that differ."""
CERTIFIED = ("epsilon", "delta", "adjacency", "accountant", "status")


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished training."""

    key: str
    artifact: Mapping[str, Any]  # contents of its ``settings.json``
    measured: Mapping[str, Any]  # contents of its ``measures.json``
    history: pd.DataFrame

    @property
    def settings(self) -> dict[str, Any]:
        """Its settings, flat; `SETTINGS` and `CONFIG_FIELDS`."""
        study, config = self.artifact["study"], self.artifact["recipe"]
        widths = "×".join(map(str, config.get("widths", ())))
        usual = vars(TrainingConfig())  # of what took no part
        chosen = usual | study | config | {"target_epsilon": study["epsilon"], "widths": widths}
        return {name: chosen[name] for name in (*SETTINGS, *CONFIG_FIELDS)}

    @property
    def results(self) -> dict[str, Any]:
        """Its final metrics, and the ε certified for its noise, flat."""
        conclusion = self.artifact["conclusion"]
        result: dict[str, Any] = {"sigma": conclusion["sigma"]}
        for metric in METRICS:
            spread = self.measured[metric] or {}
            names = {"mean": metric, "low": f"{metric}_low", "high": f"{metric}_high"}
            result |= {name: spread.get(end) for end, name in names.items()}
        certified = conclusion["certified"] | {"status": conclusion["status"]}
        return result | {name: certified[name] for name in CERTIFIED}


def finished(key: str) -> Finished | None:
    """The finished training with that job's name; ``None`` without one, or without its files."""
    job = jobs.Job(key)
    saved_settings, measured = job.file("settings.json"), job.file("measures.json")
    if job.state != "done" or saved_settings is None or measured is None:
        return None
    return Finished(key, json.loads(saved_settings), json.loads(measured), job.result())


def histories(trainings: Mapping[str, Finished]) -> pd.DataFrame:
    """All rows, with the name of the training as `series`."""
    return gathered({name: training.history for name, training in trainings.items()})


def table(trainings: Mapping[str, Finished]) -> pd.DataFrame:
    """One row a training: its name, its settings, its metrics with 90 % bands, its ε."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"training": name} | training.settings | training.results
            for name, training in trainings.items()
        ]
    )


def differing(trainings: Mapping[str, Finished]) -> list[str]:
    """Names of the settings in which the trainings differ."""
    settings = [training.settings for training in trainings.values()]
    return [
        name
        for name in (*SETTINGS, *CONFIG_FIELDS)
        if len({repr(choices[name]) for choices in settings}) > 1
    ]


def title(name: str, training: Finished, metric: str, own: list[str]) -> str:
    """The name of a training: what it is, the settings of its `own`, and where it ended."""
    settings, results = training.settings, training.results
    value = results[metric.removesuffix("_test")]
    epsilon_note = (
        "" if results["epsilon"] is None else f", certified ε = {at_most(results['epsilon'])}"
    )
    value_note = "" if value is None else f": {shown(metric)(value)}"
    data = images.entry(settings["dataset"]).title
    differences = "".join(
        f", {heading(setting)} {_written(settings[setting])}"
        for setting in own
        if setting not in NAMED
    )
    noise = "constant noise" if settings["decay"] == 1.0 else _decay(settings)
    return (
        f"{name}. {data}, {settings['network']}, {counted(settings['epochs'], 'epoch')}, {noise}"
        f"{differences}{epsilon_note}{value_note}"
    )


def _decay(settings: Mapping[str, Any]) -> str:
    return f"noise variance × {plain(settings['decay'])} every {settings['decay_every']}"


def _written(value: object) -> str:
    return plain(value) if isinstance(value, int | float) else str(value)


def difference(trainings: Mapping[str, Finished]) -> str:
    """Say in what they differ."""
    if len(trainings) < 2:
        return "Choose a second one to see in what they differ."
    settings = [heading(name) for name in differing(trainings)]
    if not settings:
        return "They were set alike."
    return f"They differ in {listed(settings)}."
