"""Configurations of trainings: without privacy, with equal noise everywhere, and tuned for images.

The last were fixed on a held-out sixth of the training records (docs/accuracy.md).
"""

from __future__ import annotations

from dataclasses import replace

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy

REFERENCE_OPTIMIZER, REFERENCE_RATE = "adam", 0.01
"""Optimizer of the training without privacy: a learning rate made for clipped gradients may diverge
without clipping, and a reference that learns nothing would make privacy look free."""
SHAPING = (
    "noise",
    "weights",
    "cost",
    "elementwise",
    "share",
    "refresh",
    "reading",
    "order",
    "noise_on_mean",
)
"""Fields of a configuration that determine the shape of its noise over the weights."""


def nonprivate(config: TrainingConfig) -> TrainingConfig:
    """The same network on the same batches without clipping and noise.

    Settings that matter to privacy only keep their defaults: one such training serves every ε.
    A public size counts, because its steps and a refusal of its batch would tell n otherwise.
    """
    shared_settings = ["network", "widths", "activation", "epochs", "batch", "sampling", "seed"]
    if config.public_size is not None:
        shared_settings += ["adjacency", "public_size"]
    return TrainingConfig(
        **{name: getattr(config, name) for name in shared_settings},
        learning_rate=REFERENCE_RATE,
        optimizer=REFERENCE_OPTIMIZER,
        sigma=0.0,
        clipped=False,
    )


def evenly(config: TrainingConfig) -> TrainingConfig:
    """The configuration with equal noise for every weight; other shape settings are reset."""
    usual = {name: getattr(TrainingConfig, name) for name in SHAPING}
    return replace(config, **usual)


def accounted(config: TrainingConfig) -> bool:
    """Whether an accountant covers the configuration's noise."""
    return config.private and not (config.uneven and config.source == "private")


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
_LINEAR = TrainingConfig(network="linear", epochs=40, batch=8192, optimizer="momentum", clip=0.1)
_WHOLE = TrainingConfig(
    network="linear", epochs=200, optimizer="momentum", average=0.25, clip=1.0, sampling="none"
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
