"""Settings of paper 003 (Zhang et al.) and of the runs it is compared with, ready to account for.

σ is absolute noise on the sum of clipped records. Where the paper leaves a setting open, the title
says which reading is used: in Algorithm 1 the variance falls at every iteration, in its experiments
at every epoch. Sampling and adjacency, Poisson samples under zero-out, are those under which Rényi
and PLD accounting both hold; the paper's lemma is for batches of fixed size under replace-one.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.accounting.training_plan import TrainingPlan
from dpcore.errors import one_of


@dataclass(frozen=True)
class Preset:
    """One row: the ε of a paper or its reference implementation, and the settings behind it.

    Parameters
    ----------
    key, title : str
        Name in links and on screen.
    training : TrainingPlan
    stated : float or None
        ε that the paper states for it at `training.delta`; ``None`` where it has only a formula.
    source : str
        Where the settings and the claim are printed, and what is assumed.
    """

    key: str
    title: str
    training: TrainingPlan
    stated: float | None
    source: str


_DEFAULTS = "Paper 003, section 5.1: batch 100, s/m = 0.01, C = 1, σ₀ = 2.8, R = 0.99, δ = 1e-4"
_SOLVED = "σ₀ from equation (3) for that ε, as the paper describes"
_TUTORIAL = (
    "Paper 003, Table 1; noise, clipping, batch 256 and epochs of the TensorFlow Privacy tutorial, "
    "whose ε the paper's rows equal"
)
_ADAPTIVE = "Paper 003, Table 1; R = 0.99 each epoch, C = 1, batch 256 and epochs assumed; "


def _chexpert(sigma: float, steps: int, decay_every: int) -> TrainingPlan:
    return TrainingPlan(
        sigma=sigma,
        records=10_000,
        batch=100,
        steps=steps,
        delta=1e-4,
        decay=0.99,
        decay_every=decay_every,
    )


def _images(
    sigma: float, records: int, steps: int, *, clip: float = 1.0, decay: float = 1.0
) -> TrainingPlan:
    return TrainingPlan(
        sigma=sigma,
        records=records,
        batch=256,
        steps=steps,
        delta=1e-5,
        clip=clip,
        decay=decay,
        decay_every=1 if decay == 1.0 else round(records / 256),
    )


PRESETS: dict[str, Preset] = {
    preset.key: preset
    for preset in (
        Preset(
            "chexpert",
            "CheXpert, default: decay every epoch, 8 epochs",
            _chexpert(2.8, 800, 100),
            None,
            f"{_DEFAULTS}; 8 epochs.",
        ),
        Preset(
            "chexpert-2-epoch",
            "CheXpert, ε = 2: decay every epoch, σ₀ = 2.343",
            _chexpert(2.343, 800, 100),
            2.0,
            f"{_DEFAULTS}; ε = 2 in section 5.2; {_SOLVED}.",
        ),
        Preset(
            "chexpert-8-epoch",
            "CheXpert, ε = 8: decay every epoch, σ₀ = 0.659",
            _chexpert(0.659, 800, 100),
            8.0,
            f"{_DEFAULTS}; ε = 8 in section 5.2; {_SOLVED}.",
        ),
        Preset(
            "chexpert-iteration",
            "CheXpert, default: decay every iteration, 8 epochs",
            _chexpert(2.8, 800, 1),
            None,
            f"{_DEFAULTS}; decay as in Algorithm 1, 8 epochs.",
        ),
        Preset(
            "chexpert-2",
            "CheXpert, ε = 2: decay every iteration, 254 steps",
            _chexpert(2.8, 254, 1),
            2.0,
            f"{_DEFAULTS}; decay as in Algorithm 1; steps from equation (3) for ε = 2.",
        ),
        Preset(
            "chexpert-8",
            "CheXpert, ε = 8: decay every iteration, 499 steps",
            _chexpert(2.8, 499, 1),
            8.0,
            f"{_DEFAULTS}; decay as in Algorithm 1; steps from equation (3) for ε = 8.",
        ),
        Preset(
            "chexpert-8-noise",
            "CheXpert, ε = 8: decay every iteration, σ₀ = 12.69",
            _chexpert(12.69, 800, 1),
            8.0,
            f"{_DEFAULTS}; decay as in Algorithm 1, 8 epochs; {_SOLVED}.",
        ),
        *(
            Preset(
                f"mnist-{stated:g}-dpsgd",
                f"MNIST, ε = {stated:g}: DP-SGD, noise multiplier {noise:g}",
                _images(round(noise * clip, 9), 60_000, steps, clip=clip),
                stated,
                f"{_TUTORIAL}.",
            )
            for stated, noise, clip, steps in (
                (1.19, 1.3, 1.5, 3_515),
                (3.01, 1.1, 1.0, 14_062),
                (7.1, 0.7, 1.5, 10_546),
            )
        ),
        *(
            Preset(
                f"mnist-{stated:g}",
                f"MNIST, ε = {stated:g}: proposed, σ₀ = {sigma:g}",
                _images(sigma, 60_000, steps, decay=0.99),
                stated,
                f"{_ADAPTIVE}{_SOLVED}.",
            )
            for stated, sigma, steps in (
                (1.19, 3.905, 3_515),
                (3.01, 3.605, 14_062),
                (7.1, 1.359, 10_546),
            )
        ),
        *(
            Preset(
                f"cifar-{stated:g}-{epochs}",
                f"CIFAR-10, ε = {stated:g}: proposed, {epochs} epochs, σ₀ = {sigma:g}",
                _images(sigma, 50_000, int(epochs * 50_000 / 256), decay=0.99),
                stated,
                f"{_ADAPTIVE}{_SOLVED}.",
            )
            for stated, epochs, sigma in (
                (3.02, 30, 2.57),
                (7.03, 30, 1.18),
                (3.02, 90, 5.25),
                (7.03, 90, 2.41),
            )
        ),
    )
}


def preset(key: str) -> Preset:
    """The preset of that name.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    return PRESETS[one_of("preset", key, tuple(PRESETS))]


def matching(training: TrainingPlan) -> Preset | None:
    """The preset with exactly these settings, if there is one."""
    return next(
        (candidate for candidate in PRESETS.values() if candidate.training == training), None
    )
