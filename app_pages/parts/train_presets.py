"""Settings of Train to start from: what each control says."""

from __future__ import annotations

from dataclasses import dataclass


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
    averaging: float = 0.0
    clipping: float = 1.0
    schedule: str = "decaying"
    ratio: float = 0.95
    when: str = "epoch"
    shape: str = "isotropic"
    draws: str = "poisson"
    repeats: int = 5


FIRST = Settings()
PRESETS = {
    "Digits (built in)": FIRST,
    "MNIST, scattering features": Settings(
        dataset="mnist",
        features="scattering",
        network="linear",
        passes=40,
        lot=8192,
        rate=4.0,
        clipping=0.1,
        repeats=1,
    ),
    "MNIST, convolutional network": Settings(
        dataset="mnist",
        network="cnn",
        activation="tanh",
        passes=20,
        lot=1024,
        rate=2.0,
        clipping=0.1,
        ratio=0.98,
        repeats=1,
    ),
    "Chest X-ray features, five findings": Settings(
        dataset="chest_features", network="linear", passes=20, lot=1024, rate=0.5, repeats=3
    ),
    "PneumoniaMNIST, scattering features": Settings(
        dataset="pneumonia",
        measure="auc_test",
        features="scattering",
        network="linear",
        passes=100,
        lot=4708,
        rate=2.0,
        clipping=0.1,
        draws="none",
        ratio=1.0,
        schedule="constant",
    ),
    "Heart, paper 000's network": Settings(
        dataset="heart", layers=2, units=100, passes=50, lot=64, rate=0.2, repeats=10
    ),
    "Cardio, paper 000's network": Settings(
        dataset="cardio", layers=2, units=100, passes=5, lot=1024, rate=0.5, repeats=1
    ),
}
