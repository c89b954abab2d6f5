"""Settings of Train to start from: what each control says."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.evaluation.recipes import STUDIES
from dpcore.evaluation.training import TrainingStudy


@dataclass(frozen=True)
class Settings:
    """What the controls say; the fields are named like the controls' keys.

    Parameters
    ----------
    dataset, measure, features, network : str
    layers, units : int
        Of a perceptron.
    activation : str
    target_epsilon, train_delta : float
    passes, lot : int
        Epochs and (expected) records a step.
    rate : float
        Learning rate.
    optimizer : str
    final_rate : float
        Share of the learning rate that is left at the end.
    averaging : float
        Share of the steps so far whose weights are averaged.
    clipping : float
        C.
    schedule : str
        "constant" or "decaying".
    ratio : float
        R.
    when : str
        "epoch" or "step".
    shape, draws : str
        Shape of the noise, and how batches are drawn.
    repeats : int
        Runs.
    scaled_by, weighed_by : str
        Where scaled noise, and paper 004's, take their weights from.
    scale_for, scale_each : str
        What scaled noise makes least, and whether scales are of a layer or of a weight.
    paid_share : float
        Part of each step's budget that weights are paid with.
    afresh : int
        Steps after which weights from records are computed anew; 0 for once.
    set_aside : int
        Training records that are taken as public.
    reading, noise_on : str
        Of paper 004.
    lambda_order : float or None
        Its λ; ``None`` for λ → ∞.
    """

    dataset: str = "digits"
    measure: str = "accuracy_test"
    features: str = "raw"
    network: str = "perceptron"
    layers: int = 1
    units: int = 64
    activation: str = "relu"
    target_epsilon: float = 3.0
    train_delta: float = 1e-5
    passes: int = 30
    lot: int = 256
    rate: float = 0.5
    optimizer: str = "sgd"
    final_rate: float = 1.0
    averaging: float = 0.0
    clipping: float = 1.0
    schedule: str = "decaying"
    ratio: float = 0.95
    when: str = "epoch"
    shape: str = "isotropic"
    draws: str = "poisson"
    repeats: int = 5
    scaled_by: str = "released"
    weighed_by: str = "private"
    scale_for: str = "adaclip"
    scale_each: str = "layer"
    paid_share: float = 0.05
    afresh: int = 1
    set_aside: int = 100
    reading: str = "equal-shares"
    noise_on: str = "sum"
    lambda_order: float | None = None


FIRST = Settings()


def _of(study: TrainingStudy, *, measure: str = FIRST.measure, repeats: int = 1) -> Settings:
    """What the controls say for a study with constant, isotropic noise."""
    recipe = study.recipe
    return Settings(
        dataset=study.dataset,
        measure=measure,
        features=study.features,
        network=recipe.network,
        activation=recipe.activation,
        target_epsilon=study.epsilon or FIRST.target_epsilon,
        train_delta=recipe.delta,
        passes=recipe.epochs,
        lot=recipe.batch,
        rate=recipe.learning_rate,
        optimizer=recipe.optimizer,
        final_rate=recipe.final_rate,
        averaging=recipe.average,
        clipping=recipe.clip,
        schedule="constant",
        ratio=1.0,
        draws=recipe.sampling,
        repeats=repeats,
    )


PRESETS = {
    "Digits (built in)": FIRST,
    "MNIST, scattering features": _of(STUDIES["mnist-whitened-3"]),
    "MNIST, convolutional network": _of(STUDIES["mnist-cnn-3"]),
    "Chest X-ray features, five findings": Settings(
        dataset="chest_features", network="linear", passes=20, lot=1024, rate=0.5, repeats=3
    ),
    "PneumoniaMNIST, scattering features": _of(
        STUDIES["pneumonia-3"], measure="auc_test", repeats=5
    ),
    "Heart, paper 000's network": Settings(
        dataset="heart", layers=2, units=100, passes=50, lot=64, rate=0.2, repeats=10
    ),
    "Cardio, paper 000's network": Settings(
        dataset="cardio", layers=2, units=100, passes=5, lot=1024, rate=0.5, repeats=1
    ),
}
