"""What a private training is compared with: no privacy, clipping or noise alone, other noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting import paper_004
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.variants import evenly, nonprivate

if TYPE_CHECKING:
    import pandas as pd

SCALED, PUBLISHED = "scaled", "published-004"


def comparison_arms(study: TrainingStudy) -> dict[str, TrainingStudy]:
    """The study itself ("private") and its comparisons.

    "nonprivate" has neither clipping nor noise, and its own optimizer. "clipped" has clipping and
    no noise, which tells what each of them costs; it is absent beside a release, whose batches
    nobody can draw again. "constant" is plain DP-SGD, isotropic noise of constant σ, at the same
    certified ε; absent where the study is that. Only "private" and "constant" are private.
    """
    # The comparisons of a training for release are never released themselves.
    unreleased = replace(study, release="", models=1)
    reference = replace(unreleased, config=nonprivate(study.config), epsilon=None, budget=None)
    arms = {"private": study, "nonprivate": reference}
    if not study.release:
        config = clipped_only(study.config)
        arms["clipped"] = replace(unreleased, config=config, epsilon=None, budget=None)
    plain = replace(evenly(study.config), decay=1.0)
    if plain != study.config:
        arms["constant"] = replace(unreleased, config=plain)
    return arms


def clipped_only(config: TrainingConfig) -> TrainingConfig:
    """The same training without noise, not private; settings of noise alone keep their defaults."""
    usual = {name: getattr(TrainingConfig, name) for name in ("decay", "decay_every", "delta")}
    return replace(evenly(config), sigma=0.0, **usual)


def noise_only(study: TrainingStudy, sigma: float) -> TrainingStudy:
    """The study with noise and without clipping."""
    config = replace(evenly(study.config), sigma=sigma, clipped=False)
    return replace(study, config=config, epsilon=None)


def shapes(study: TrainingStudy, sigma: float) -> dict[str, TrainingStudy]:
    """Shapes of the noise side by side, all constant over time.

    `sigma` is that of isotropic noise for the study's ε: "isotropic", and "scaled" at the same
    certified ε. "published": paper 004's noise, of which the paper claims that ε. "bounded", where
    public records are set aside: the paper's shape with public weights and so much noise that the
    same ε is certified; since weights change during training, only bounds for any weights count.
    Paper 004 needs Poisson samples.
    """
    config = study.config
    even = replace(evenly(config), decay=1.0)
    scaled = replace(config, decay=1.0) if config.noise == "scaled" else replace(even, noise=SCALED)
    studies = {"isotropic": replace(study, config=even), "scaled": replace(study, config=scaled)}
    if config.sampling != "poisson":
        return studies
    printed = config if config.noise == PUBLISHED else replace(even, noise=PUBLISHED)
    studies["published"] = replace(study, config=printed)
    if study.public:
        enough = replace(even, noise=PUBLISHED, weights="public", sigma=sigma / paper_004.MIN)
        studies["bounded"] = replace(study, config=enough, epsilon=None)
    return studies


def calibrated_arms(study: TrainingStudy, records: int) -> dict[str, TrainingStudy]:
    """`comparison_arms`, the private ones with σ₀ solved."""
    return {series: arm.calibrated(records) for series, arm in comparison_arms(study).items()}


def with_calibrated_sigma(
    arms: Mapping[str, TrainingStudy], records: int
) -> dict[str, TrainingConfig]:
    """The configurations of the private arms with σ₀ solved; taken over from `calibrated_arms`."""
    return {
        series: arm.with_calibrated_sigma(records)
        for series, arm in arms.items()
        if arm.config.private
    }


def claimed(studies: Mapping[str, TrainingStudy], ends: pd.DataFrame) -> NDArray[np.float64]:
    """The total ε that paper 004 claims for each row of `ends`; NaN where it claims none."""
    epsilons = [
        study.epsilon if study.config.noise == PUBLISHED else None
        for study in map(studies.__getitem__, ends["series"])
    ]
    return np.array(epsilons, float)
