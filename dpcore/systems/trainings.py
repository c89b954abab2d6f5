"""Trainings of networks that stand for systems of the literature, the starting points of Train."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.deep.config import TrainingConfig


@dataclass(frozen=True)
class Example:
    # built in, so that it can be run without the network
    dataset: str
    features: str
    # n of that set's training records, for accounting
    records: int
    # its σ is a placeholder: Train solves for it
    config: TrainingConfig


def _digits(config: TrainingConfig, features: str = "raw") -> Example:
    return Example("digits", features, 1_437, config)


_SGD = TrainingConfig(widths=(64,), epochs=30)

TRAININGS = {
    "dp-sgd": _digits(_SGD),
    "decaying": _digits(TrainingConfig(widths=(64,), epochs=30, decay=0.95)),
    "scaled": _digits(TrainingConfig(widths=(64,), epochs=30, noise="scaled")),
    "published-004": _digits(TrainingConfig(widths=(64,), epochs=30, noise="published-004")),
    "scattering": _digits(TrainingConfig(network="linear", epochs=30), "scattering"),
    "network-000": Example(
        "heart", "raw", 237, TrainingConfig(epochs=50, batch=64, learning_rate=0.2)
    ),
}
"""By key."""
