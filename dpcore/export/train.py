"""A training as code: a command line, and Python that gives the same history."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dpcore.controls.options import exactly, written
from dpcore.controls.train import CONTROLS, MORE_OPTIONS
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training import TrainingStudy
from dpcore.export.lines import changed, joined, packed

ALWAYS = (
    *("dataset", "features", "epsilon", "runs", "config.network", "config.delta", "config.epochs"),
    *("config.adjacency", "config.batch", "config.sampling", "config.learning_rate", "config.seed"),
    *("config.clip", "config.optimizer", "config.noise"),
)
"""Fields that the command line names also where they are at their first value."""


def command(study: TrainingStudy, output: str = "run") -> str:
    """The command line that trains the same."""
    said = {
        name: value
        for name, value in _fields(study).items()
        if name in ALWAYS or value != _fields(TrainingStudy())[name]
    }
    parts = ["python -m dpcore train"]
    parts += [f"--set {name}={value}" for name, value in _settings(study)]
    parts += written((*CONTROLS, *MORE_OPTIONS), said)
    if study.config.network == "perceptron":
        parts.append(f"--widths {exactly(study.config.widths)}")
    return joined(*packed([*parts, f"--output {output}"]))


def _fields(study: TrainingStudy) -> dict[str, Any]:
    """All fields, those of the configuration with its name before theirs."""
    own = {field.name: getattr(study, field.name) for field in fields(study)}
    return own | {f"config.{name}": value for name, value in vars(study.config).items()}


def snippet(study: TrainingStudy) -> str:
    """Python that gives the history on screen."""
    return "\n".join([*described(study, "train"), "history = train(study)", ""])


def described(study: TrainingStudy, *others: str) -> list[str]:
    """Python lines that make the study; `others` are imported beside `TrainingStudy`."""
    return [
        "from dpcore.deep.config import TrainingConfig",
        f"from dpcore.evaluation.training import {', '.join(('TrainingStudy', *others))}",
        "",
        "config = TrainingConfig(",
        *(f"    {each}," for each in changed(vars(study.config), vars(TrainingConfig()))),
        ")",
        f"study = TrainingStudy({study.dataset!r}, features={study.features!r}, config=config, "
        f"epsilon={study.epsilon!r}, runs={study.runs}"
        + (f", public={study.public}" if study.public else "")
        + (f", settings={_settings(study)!r})" if study.settings else ")"),
    ]


def _settings(study: TrainingStudy) -> tuple[tuple[str, str], ...]:
    """The data set's own, which here only name an uploaded file."""
    return (("file", "your_file.npz"),) if study.settings else ()
