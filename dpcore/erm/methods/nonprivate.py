"""The exact minimiser, without any privacy: the reference for the cost of privacy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Array, Calibration, Method, Settings, Training
from dpcore.erm.newton import minimise
from dpcore.guarantee import Edition, Standing, Status


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    return replace(draft, steps=0, claim=draft.proof)


def release(training: Training) -> Array:
    """The same minimiser for every calibration and run, shape (calibrations, runs, d)."""
    weights = minimise(training.problem, training.features, training.labels)
    shape = (len(training.calibrations), training.runs, len(weights))
    return np.broadcast_to(weights, shape).copy()


METHOD = Method(
    key="nonprivate",
    title="Non-private",
    paper="000 Ding et al., NonPriv of section V",
    idea="Train on the data as they are.",
    words="no noise",
    editions={
        Edition.SOUND: Standing(
            claim="None.",
            proof="None: the weights can reveal any record.",
            status=Status.NOT_PRIVATE,
        ),
    },
    rule=calibrate,
    release=release,
    closed_form=True,
    losses=LOSSES,
)
