"""Variants of a training's configuration: without privacy, and with equal noise everywhere."""

from __future__ import annotations

from dataclasses import replace

from dpcore.deep.config import TrainingConfig

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
