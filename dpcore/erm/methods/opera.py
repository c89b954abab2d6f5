"""OPERA: output perturbation with the analytic Gaussian mechanism (paper 000, Algorithm 1)."""

from __future__ import annotations

from functools import partial

from dpcore.erm import output_perturbation
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Method
from dpcore.erm.output_perturbation import NoiseRule
from dpcore.guarantee import Condition, Edition, Standing, Status
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
        Edition.PUBLISHED: Standing(
            claim="(ε, δ) for every ε > 0, with near-optimal accuracy down to ε = 10⁻⁹.",
            proof=(
                "(ε, δ) holds: the printed sensitivity 5L(μ+β)/(nμβ) is a valid bound, at least "
                "2.5 times too large. The accuracy claim is one of order, at a fixed δ."
            ),
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            proof="(ε, δ) with the exact sensitivity (2L/(nμ))(1-(1-ημ)^T), and so less noise.",
            status=Status.PROVED,
        ),
    },
    rule=partial(output_perturbation.calibrate, RULE),
    release=output_perturbation.release,
    closed_form=True,
    limits=(
        "Remark 1 speaks of ε → 0, and leaves out α, which depends on ε. At δ = 0.001 and "
        "ε = 10⁻⁵ its variance is 905 000 times smaller than OutPert's, which is more than 1/ε. At "
        "ε = 0.001 it is 187 times smaller, at 0.1 it is 4.7 times. With δ → 0 the gain goes: at "
        "ε = 0.1 and δ = 10⁻³⁰⁰ it is 1.02.",
        "In print the proof of Theorem 4 lacks the factor ‖w₀ - ŵ‖², and that of Theorem 6 T². The "
        "orders of both bounds hold with them.",
    ),
    losses=LOSSES,
)
