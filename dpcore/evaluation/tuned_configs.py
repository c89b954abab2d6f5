"""Settings for the images, fixed on a held-out sixth of the training records (docs/accuracy.md).

One definition for Train's presets and for `benchmarks.accuracy`. ε is certified by privacy loss
distributions, under zero-out, at δ = 1e-5.
"""

from __future__ import annotations

from dataclasses import replace

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy

_CNN = TrainingConfig(
    network="cnn-lean",
    activation="tanh",
    epochs=20,
    batch=2048,
    learning_rate=8.0,
    final_rate=0.0,
    optimizer="momentum",
    average=0.1,
    clip=0.1,
)
_LINEAR = TrainingConfig(
    network="linear",
    epochs=40,
    batch=8192,
    learning_rate=17.0,
    optimizer="momentum",
    clip=0.1,
)
_WHOLE = TrainingConfig(
    network="linear",
    epochs=200,
    learning_rate=0.1,
    optimizer="momentum",
    average=0.25,
    clip=1.0,
    sampling="none",
)


def _study(
    dataset: str, features: str, config: TrainingConfig, epsilon: float, runs: int
) -> TrainingStudy:
    return TrainingStudy(dataset, features, config, epsilon, runs)


STUDIES = {
    "mnist-cnn-1.2": _study("mnist", "deskewed", replace(_CNN, learning_rate=5.0), 1.2, 3),
    "mnist-cnn-3": _study("mnist", "deskewed", _CNN, 3.0, 3),
    "mnist-scattering-1.2": _study(
        "mnist", "scattering", replace(_LINEAR, learning_rate=5.0), 1.2, 3
    ),
    "mnist-scattering-3": _study(
        "mnist", "scattering", replace(_LINEAR, learning_rate=8.0), 3.0, 3
    ),
    "mnist-whitened-1.2": _study("mnist", "whitened", replace(_LINEAR, learning_rate=8.0), 1.2, 3),
    "mnist-whitened-3": _study("mnist", "whitened", _LINEAR, 3.0, 3),
    "pneumonia-1": _study("pneumonia", "scattering", replace(_WHOLE, learning_rate=0.05), 1.0, 20),
    "pneumonia-3": _study("pneumonia", "scattering", _WHOLE, 3.0, 20),
    "pneumonia-8": _study("pneumonia", "scattering", replace(_WHOLE, learning_rate=0.2), 8.0, 20),
}
"""By data, inputs or network, and ε. The whitened features' coordinates are from public digits."""

CHOSEN = (
    "These settings were chosen on records of this very set (a sixth of its training part, held "
    "out): that choice is a look at them which ε does not cover."
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
        if (tuned.dataset, tuned.features, tuned.config.network) != (
            study.dataset,
            study.features,
            study.config.network,
        ):
            continue
        if all(getattr(tuned.config, name) == getattr(study.config, name) for name in TUNED):
            return CHOSEN
    return ""
