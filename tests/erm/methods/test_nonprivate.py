"""The reference without privacy: the minimiser, and no guarantee of any kind."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.erm.method import Settings, Training
from dpcore.erm.methods.nonprivate import METHOD
from dpcore.erm.newton import minimise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition, Status


def test_it_promises_nothing() -> None:
    problem = Problem("logistic", 0.1, 50, 3)
    for c in METHOD.calibrate(problem, [0.1, 10.0], 1e-5, Edition.SOUND, Settings()):
        assert c.status is Status.NOT_PRIVATE
        assert (c.claim.epsilon, c.proof.epsilon, c.certified.epsilon) == (None, None, None)
        assert c.sigma == c.model_noise == 0.0
        assert math.isnan(c.sensitivity)


def test_every_release_is_the_minimiser(data) -> None:
    features, labels = data(50, 3)
    problem = Problem("huber", 0.1, 50, 3)
    chosen = METHOD.calibrate(problem, [0.1, 10.0], 1e-5, Edition.SOUND, Settings())
    released = METHOD.release(Training(problem, features, labels, chosen, 4, 0))
    assert released.shape == (2, 4, 3)
    assert released == pytest.approx(
        np.broadcast_to(minimise(problem, features, labels), (2, 4, 3))
    )
