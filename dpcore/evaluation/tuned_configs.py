"""Settings for the images, fixed on a held-out sixth of the training records (docs/accuracy.md)."""

from __future__ import annotations

from dataclasses import replace

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy

_CNN = TrainingConfig(
    network="cnn-lean",
    activation="tanh",
    epochs=20,
    batch=2048,
    final_rate=0.0,
    optimizer="momentum",
    average=0.1,
    clip=0.1,
)
_LINEAR = TrainingConfig(
    network="linear",
    epochs=40,
    batch=8192,
    optimizer="momentum",
    clip=0.1,
)
_WHOLE = TrainingConfig(
    network="linear",
    epochs=200,
    optimizer="momentum",
    average=0.25,
    clip=1.0,
    sampling="none",
)


STUDIES = {
    name: TrainingStudy(dataset, features, replace(config, learning_rate=rate), epsilon, runs)
    for name, dataset, features, config, rate, epsilon, runs in (
        ("mnist-cnn-1.2", "mnist", "deskewed", _CNN, 5.0, 1.2, 3),
        ("mnist-cnn-3", "mnist", "deskewed", _CNN, 8.0, 3.0, 3),
        ("mnist-scattering-1.2", "mnist", "scattering", _LINEAR, 5.0, 1.2, 3),
        ("mnist-scattering-3", "mnist", "scattering", _LINEAR, 8.0, 3.0, 3),
        ("mnist-whitened-1.2", "mnist", "whitened", _LINEAR, 8.0, 1.2, 3),
        ("mnist-whitened-3", "mnist", "whitened", _LINEAR, 17.0, 3.0, 3),
        ("pneumonia-1", "pneumonia", "scattering", _WHOLE, 0.05, 1.0, 20),
        ("pneumonia-3", "pneumonia", "scattering", _WHOLE, 0.1, 3.0, 20),
        ("pneumonia-8", "pneumonia", "scattering", _WHOLE, 0.2, 8.0, 20),
    )
}
"""By data, inputs or network, and ε. The whitened features' coordinates are from public digits."""

CHOSEN = (
    "These settings were chosen on records of this very set (a sixth of its training part, held "
    "out). That choice is a look at them which ε does not cover."
)
TUNED = (
    "activation",
    "epochs",
    "batch",
    "learning_rate",
    "final_rate",
    "optimizer",
    "average",
    "clip",
    "sampling",
)
"""Fields of a configuration that were chosen on records."""


def chosen_on(study: TrainingStudy) -> str:
    """A sentence where the settings of a study were chosen on its own data set; else ""."""
    for tuned in STUDIES.values():
        same_data = (tuned.dataset, tuned.features) == (study.dataset, study.features)
        settings = ("network", *TUNED)
        if same_data and all(
            getattr(tuned.config, name) == getattr(study.config, name) for name in settings
        ):
            return CHOSEN
    return ""
