"""The whole privacy curve of a calibration, where one is known for exactly the noise it adds."""

from __future__ import annotations

from dpcore.accounting.events import FixedSampled, Gaussian, PoissonSampled, Repeated
from dpcore.accounting.tradeoff import PrivacyCurve, from_event, from_gaussian
from dpcore.erm.method import Calibration
from dpcore.errors import InvalidInput


def privacy_curve(calibration: Calibration) -> PrivacyCurve | None:
    """The exact limits of an attack against this noise, tighter than its (ε, δ).

    Gaussian DP for one Gaussian or for adaptive full-batch steps; privacy loss distributions for
    steps on sampled batches. ``None`` for noise outside an accountant's range, and where nothing is
    certified.
    """
    adjacency = calibration.problem.adjacency
    if calibration.gaussian_mu is not None:
        return from_gaussian(calibration.gaussian_mu, adjacency)
    if calibration.certified.epsilon is None or calibration.sampling not in ("poisson", "fixed"):
        return None
    sampled = PoissonSampled if calibration.sampling == "poisson" else FixedSampled
    rate = calibration.batch / calibration.problem.records
    try:
        # σ on the sum of a batch, whatever multiple of it the query is.
        batch_sigma = calibration.model_noise * calibration.batch
        queries = calibration.steps * calibration.problem.parts
        noise = Gaussian(batch_sigma, calibration.problem.computed_lipschitz(queries))
        return from_event(Repeated(sampled(rate, noise), queries), adjacency)
    except InvalidInput:
        return None
