"""Paper 002 (Fukuchi, Tran and Sakuma): input perturbation and its baselines."""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import ClaimVerdict, Family, Place, Runnable, System, sound

described = partial(System, paper="002", family=Family.ERM)

SYSTEMS = (
    described(
        key="input-perturbation",
        title="Input perturbation",
        section="3, Algorithm 2 and Theorem 1",
        source="Fukuchi, Tran and Sakuma 2017",
        in_plain="Claimed are ε and δ for the model that learns from blurred records. Its formulas "
        "are lost in the text at hand. What is left of the proof takes that model as fixed, "
        "though the blur has made it. So no ε is proved for the model.",
        in_short="Not proved: Theorem 1 treats a noisy model as fixed.",
        is_main=True,
        what="Every person blurs their own record before handing it in; the model learns from the "
        "blurred records.",
        claim="(ε, δ) for the model with high probability; excess risk of order 1/n.",
        verdict=ClaimVerdict(
            Status.CLAIM_NOT_SUPPORTED,
            "None for the model. The tail bound of Theorem 1 takes the minimiser for a constant, "
            "though it depends on the noise. The formulas themselves are lost in the text at hand.",
        ),
        runs=(
            sound(
                Place.EXPLORE,
                "inputpert",
                note="Each person blurs x xᵀ and y x; the sums are one Gaussian mechanism.",
            ),
        ),
    ),
    described(
        key="input-perturbation-local",
        title="Input perturbation: the single message",
        section="3, Algorithm 1 and Corollary 1",
        source="Fukuchi, Tran and Sakuma 2017",
        in_short="Holds for a single message whose own ε is below 1.",
        what="What a person's blurred record gives away to whoever receives it.",
        claim="A local (ε, δ) for every message, about √n times the ε of the model.",
        breaks=(
            "The formula behind it holds below ε = 1 only. The true local ε grows far above √n "
            "times the model's: to 12 times that at n = 100 000.",
        ),
        runs=(Runnable(Place.EXPLORE, "inputpert"),),
    ),
    described(
        key="objective-gaussian",
        title="ObjGauss: objective perturbation, Gaussian",
        section="4, baseline",
        source="Kifer, Smith and Thakurta 2012",
        in_short="Holds only for the exact minimum, which no solver returns.",
        works=("002-kifer",),
        what="Tilts what training minimises by a random amount of bell-shaped noise, then fits.",
        runs=(Runnable(Place.EXPLORE, "objpert"),),
    ),
    described(
        key="output-laplace",
        title="Output: output perturbation, Laplace",
        section="4, baseline",
        source="Chaudhuri, Monteleoni and Sarwate 2011",
        in_short="Holds only for the exact minimum, which no solver returns.",
        works=("002-chaudhuri",),
        what="Fits a regularised model and blurs its weights once, without any δ.",
        runs=(Runnable(Place.EXPLORE, "outpert_pure"),),
    ),
)
