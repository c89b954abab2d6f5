"""What is said of a training: what it is for, how long it takes, that its first noise is large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.evaluation.training.study import TrainingStudy
from dpcore.words import capitalised, counted, lasting, plain, spaced

if TYPE_CHECKING:
    from dpcore.datasets.images import ExamplesEntry
    from dpcore.evaluation.training.duration import Duration

LARGE_NOISE = 10
"""From how many times the constant noise the first noise of a decaying one is worth a warning."""


def purpose(study: TrainingStudy, entry: ExamplesEntry) -> str:
    """What is learned from which data, by which network, at which ε."""
    config = study.config
    layers = " × ".join(spaced(width) for width in config.widths)
    network = {
        "linear": "linear network",
        "perceptron": f"perceptron with {layers} hidden units",
        "cnn": "convolutional network",
        "cnn-lean": "lean convolutional network",
    }[config.network]
    inputs = {"raw": "", "deskewed": " on images set upright"}.get(
        study.features, " on scattering features"
    )
    return (
        f"{entry.title}: {entry.purpose} {capitalised(network)}{inputs}, "
        f"{counted(config.epochs, 'epoch')}, ε = {plain(study.epsilon or 0.0)}, "
        f"δ = {plain(config.delta)}."
    )


def in_time(duration: Duration) -> str:
    """The estimate and its range, as "about 4 min, between 3 and 7 min"."""
    estimate, low, high = map(lasting, (duration.seconds, duration.low, duration.high))
    return f"about {estimate}, between {low} and {high}"


def large_first_noise(first: float, constant: float) -> str:
    """A warning where a decay makes the first noise far larger than a constant one, or ""."""
    if first <= LARGE_NOISE * constant:
        return ""
    return (
        f"Noise begins at σ₀ = {plain(first)}, {plain(first / constant, 2)} times what constant "
        f"noise takes at the same ε ({plain(constant)}): early epochs learn next to nothing."
    )
