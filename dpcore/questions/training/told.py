"""A training as the command line, and the Python, that give its history."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dpcore.controls.options import exactly, written
from dpcore.controls.train import CONTROLS, MORE_OPTIONS
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.lines import TELLING, call, changed, joined, packed

ALWAYS = (
    *("dataset", "features", "epsilon", "runs", "config.network", "config.delta", "config.epochs"),
    *("config.adjacency", "config.batch", "config.sampling", "config.learning_rate", "config.seed"),
    *("config.clip", "config.optimizer", "config.noise"),
)
"""Fields that the command line names even at their default."""
NAMED = ("features", "epsilon", "runs", "budget", "held_out", "public", "settings")
"""Fields of a study besides data set and configuration; the name of a saved training and what is
saved belong to one training alone."""


def command(study: TrainingStudy, output: str = "run") -> str:
    """The command line of the same training."""
    return joined(*packed(["python -m dpcore train", *options(study), f"--output {output}"]))


def options(study: TrainingStudy) -> list[str]:
    """The options of a command that describe the training."""
    usual = _fields(TrainingStudy())
    values = {
        name: value
        for name, value in _fields(study).items()
        if name in ALWAYS or value != usual[name]
    }
    parts = [f"--set {name}={value}" for name, value in _settings(study)]
    parts += written((*CONTROLS, *MORE_OPTIONS), values)
    if study.epsilon is None and study.config.private:
        parts.append(f"--sigma {exactly(study.config.sigma)}")
    parts += [] if study.budget is None else [f"--budget {exactly(study.budget)}"]
    parts += ["--held-out"] if study.held_out else []
    if study.config.network == "perceptron":
        parts.append(f"--widths {exactly(study.config.widths)}")
    return parts


def _fields(study: TrainingStudy) -> dict[str, Any]:
    """All fields, those of the configuration prefixed with its name."""
    study_fields = {field.name: getattr(study, field.name) for field in fields(study)}
    return study_fields | {f"config.{name}": value for name, value in vars(study.config).items()}


def snippet(study: TrainingStudy) -> str:
    """Python that gives the history on screen."""
    lines = ["import sys", "", "import dpcore", "", *TELLING, *python(study)]
    lines += ["history = dpcore.train(study, progress=tell)", "print(history.to_string())"]
    return "\n".join([*lines, ""])


def python(study: TrainingStudy) -> list[str]:
    """Python that describes the training as `study`."""
    fields = {name: getattr(study, name) for name in NAMED} | {"settings": _settings(study)}
    arguments = [repr(study.dataset), "config=config", *changed(fields, vars(TrainingStudy()))]
    config = changed(vars(study.config), vars(TrainingConfig()))
    return [
        *call("config = dpcore.TrainingConfig", config),
        f"study = dpcore.TrainingStudy({', '.join(arguments)})",
        "# Batches and noise come from a seed: for exploration only.",
    ]


def _settings(study: TrainingStudy) -> tuple[tuple[str, str], ...]:
    """The data set's own settings, which here only name an uploaded file."""
    return (("file", "your_file.npz"),) if study.settings else ()
