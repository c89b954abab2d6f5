"""OutPert: output perturbation with the classical Gaussian (paper 000's baseline, its ref. 10)."""

from __future__ import annotations

from functools import partial

from dpcore.erm import output_perturbation
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Method
from dpcore.erm.output_perturbation import NoiseRule
from dpcore.guarantee import Edition, Standing, Status
from dpcore.mechanisms.gaussian import classical_condition, classical_sigma

RULE = NoiseRule(
    unit_sigma=classical_sigma,
    condition=classical_condition,
    theorem="classical Gaussian mechanism (Dwork and Roth 2014, Theorem A.1)",
    claim_by="Theorem 1 of paper 000",
    bounded_in_print=False,
)

METHOD = Method(
    key="outpert",
    title="OutPert",
    paper="000 Ding et al., baseline of section V (Zhang et al. 2017)",
    idea="Train without noise, then blur the finished model once, by the classical noise formula.",
    words="noise on the finished model, by the classical formula",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, δ) for every ε in (0, 1).",
            proof="(ε, δ) for ε < 1; from ε = 1 on the classical formula has no proof.",
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            proof="(ε, δ) for ε < 1, with the exact sensitivity. No proof from ε = 1 on; with "
            "several classes, from a share of 1 on.",
            status=Status.PROVED,
        ),
    },
    rule=partial(output_perturbation.calibrate, RULE),
    release=output_perturbation.release,
    closed_form=True,
    limits=(
        "From ε = 1 on (with several classes, from a share of 1 on) the formula proves "
        "nothing. The ε certified for its noise stands beside it.",
    ),
    losses=LOSSES,
)
