"""OPERA: output perturbation with the analytic Gaussian mechanism (paper 000, Algorithm 1)."""

from __future__ import annotations

from functools import partial

from dpcore.erm import output_noise, output_perturbation
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Method, MethodStanding
from dpcore.erm.output_perturbation import NoiseRule
from dpcore.guarantee import Condition, Edition, Status
from dpcore.mechanisms.gaussian import analytic_sigma

RULE = NoiseRule(
    unit_sigma=analytic_sigma,
    condition=lambda epsilon: Condition("any ε > 0 (Theorem 2)", True),
    theorem="analytic Gaussian mechanism (Balle and Wang 2018)",
    claim_by="Theorem 3 (λ > 0) or 5 (λ = 0) of paper 000",
    bounded_in_print=True,
)

METHOD = Method(
    key="opera",
    title="OPERA",
    paper="000 Ding et al., Algorithm 1",
    idea="Train without noise, then blur the finished model once, with just the noise needed.",
    words="noise on the finished model",
    editions={
        Edition.PUBLISHED: MethodStanding(
            claim="(ε, δ) for every ε > 0, with near-optimal accuracy down to ε = 1e-9.",
            proof=(
                "(ε, δ) holds: the printed sensitivity 5L(μ+β)/(nμβ) is a valid bound, at least "
                "2.5 times too large. The accuracy claim does not follow."
            ),
            status=Status.PROVED,
        ),
        Edition.SOUND: MethodStanding(
            proof="(ε, δ) with the exact sensitivity (2L/(nμ))(1-(1-ημ)^T), and so less noise.",
            status=Status.PROVED,
        ),
    },
    rule=partial(output_perturbation.calibrate, RULE),
    release=output_noise.release,
    closed_form=True,
    limits=(
        "The printed gain of a factor 1/ε is an artefact: the factor α depends on ε too.",
        "The printed bound of Theorem 4 lacks the factor ‖w₀ - ŵ‖²; that of Theorem 6 lacks T².",
    ),
    losses=LOSSES,
)
