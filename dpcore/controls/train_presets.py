"""Presets of Train: the values of its controls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.controls.network_figures import FIGURES
from dpcore.controls.train import CONTROLS
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.tuned_configs import STUDIES

LEFT_ALONE = ("person", "public_size", "train_seed")
"""Controls that a preset does not set."""
FIRST = {key: value for key, value in CONTROLS.first().items() if key not in LEFT_ALONE}


def values(study: TrainingStudy) -> dict[str, Any]:
    """The controls' values for a study, by key; the others as on a first visit."""
    config = study.config
    fields = {name: getattr(study, name) for name in ("dataset", "features", "epsilon", "runs")}
    fields |= {f"config.{name}": value for name, value in vars(config).items()}
    derived = {"shape": config.noise, "schedule": "decaying" if config.decay < 1.0 else "constant"}
    return (
        FIRST
        | derived
        | {key: value for key, value in CONTROLS.values(fields).items() if key in FIRST}
    )


def _preset(name: str, **others: Any) -> Mapping[str, Any]:
    return values(STUDIES[name]) | {"repeats": 1} | others


PRESETS: dict[str, Mapping[str, Any]] = {
    "Digits (built in)": FIRST,
    "MNIST, scattering features": _preset("mnist-whitened-3"),
    "MNIST, convolutional network": _preset("mnist-cnn-3"),
    "Chest X-ray features, five findings": FIRST
    | {"dataset": "chest_features", "network": "linear", "passes": 20, "lot": 1024, "repeats": 3},
    "PneumoniaMNIST, scattering features": _preset("pneumonia-3", measure="auc_test", repeats=5),
    "Heart, paper 000's network": FIRST
    | {"dataset": "heart", "layers": 2, "units": 100, "passes": 50, "lot": 64, "rate": 0.2}
    | {"repeats": 10},
    "Cardio, paper 000's network": FIRST
    | {"dataset": "cardio", "layers": 2, "units": 100, "passes": 5, "lot": 1024, "repeats": 1},
    **{title: FIRST | dict(settings) for title, (_, settings) in FIGURES.items()},
}
"""Presets by name: the values of the controls."""
