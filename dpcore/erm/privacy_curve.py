"""The whole privacy curve of a calibration, where one is known for exactly the noise it adds."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dpcore.accounting.risk import gaussian_advantage
from dpcore.erm.method import Calibration
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency

if TYPE_CHECKING:
    from dpcore.accounting.events import Event
    from dpcore.accounting.tradeoff import PrivacyCurve

SAMPLED = ("poisson", "fixed")
"""Of a calibration's `sampling`, those that draw batches; a public order draws nothing."""


def noise_advantage(calibration: Calibration) -> float | None:
    """The largest TPR - FPR that the noise itself allows; ``None`` where its law is not known."""
    if calibration.gaussian_mu is not None:
        return gaussian_advantage(calibration.gaussian_mu)
    event = _sampled(calibration)
    return None if event is None else _advantage(event, calibration.problem.adjacency)


def privacy_curve(calibration: Calibration) -> PrivacyCurve | None:
    """The exact limits of an attack against this noise, tighter than its (ε, δ).

    Gaussian DP for one Gaussian or for adaptive full-batch steps; privacy loss distributions for
    steps on sampled batches. ``None`` for noise outside an accountant's range, and where nothing is
    certified.
    """
    from dpcore.accounting.tradeoff import from_event, from_gaussian

    adjacency = calibration.problem.adjacency
    if calibration.gaussian_mu is not None:
        return from_gaussian(calibration.gaussian_mu, adjacency)
    event = _sampled(calibration)
    try:
        return None if event is None else from_event(event, adjacency)
    except InvalidInput:
        return None


@lru_cache(maxsize=1_024)
def _advantage(event: Event, adjacency: Adjacency) -> float | None:
    # A sweep asks for the same ones at each of its steps.
    from dpcore.accounting.tradeoff import advantage, from_event

    try:
        return advantage(from_event(event, adjacency))
    except InvalidInput:
        return None


def _sampled(calibration: Calibration) -> Event | None:
    """What steps on sampled batches release; ``None`` of other noise, and where none is proved."""
    if calibration.certified.epsilon is None or calibration.sampling not in SAMPLED:
        return None
    from dpcore.accounting.events import FixedSampled, Gaussian, PoissonSampled, Repeated

    sampled = PoissonSampled if calibration.sampling == "poisson" else FixedSampled
    rate = calibration.batch / calibration.problem.records
    # σ on the sum of a batch, whatever multiple of it the query is.
    batch_sigma = calibration.model_noise * calibration.batch
    queries = calibration.steps * calibration.problem.parts
    try:
        noise = Gaussian(batch_sigma, calibration.problem.computed_lipschitz(queries))
        return Repeated(sampled(rate, noise), queries)
    except InvalidInput:
        return None
