"""The attacks on both private principal components."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import BLANKED, Array, ModelSetting, records
from dpcore.guarantee import Adjacency
from dpcore.models import covariance
from dpcore.models.model import Model, ModelCalibration, generator
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import pca_gaussian, pca_pure


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that both models must survive."""
    return _of(pca_gaussian.MODEL, pure=False), _of(pca_pure.MODEL, pure=True)


def _of(model: Model, *, pure: bool) -> ModelSetting:
    unit = pca_pure.noise if pure else covariance.symmetric
    # One feature, so that S is two by two; a point at 1 or a blank record.
    shape = RecordShape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [BLANKED])
    centres = [covariance.second_moments(data) for data in (one, none)]

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        draws = [unit(generator(seed, run), shape.dimension + 1) for run in range(runs)]
        noisy = covariance.released(covariance.second_moments(data), calibration, draws)
        if not pure:
            return np.asarray((noisy * (centres[0] - centres[1])).sum(axis=(1, 2)))
        far, near = (np.linalg.norm(noisy - centre, axis=(1, 2)) for centre in centres[::-1])
        return np.asarray(far - near)

    return ModelSetting(
        model.key,
        Adjacency.ZERO_OUT,
        (one, none),
        score,
        "One point on the unit sphere, or blanked; the noisy second moments by their likelihood "
        "ratio.",
        epsilon=2.0 if pure else 4.0,
        gaussian=not pure,
        runs=12_000 if pure else 2_000,
    )
