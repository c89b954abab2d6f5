"""Paper 000 (Ding et al.): OPERA, GRPUA and their baselines."""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import ClaimVerdict, Family, Place, Runnable, System, sound

described = partial(System, paper="000", family=Family.ERM)

SYSTEMS = (
    described(
        key="opera",
        title="OPERA",
        section="IV, Algorithm 1",
        source="Ding et al.",
        in_short="Holds; its gain of 1/ε only as ε → 0.",
        is_main=True,
        what="Trains for a fixed number of steps and blurs the finished weights once, with just "
        "the noise needed.",
        runs=(Runnable(Place.EXPLORE, "opera"),),
    ),
    described(
        key="grpua",
        title="GRPUA",
        section="IV, Algorithm 2",
        source="Ding et al.",
        in_plain="Claimed is a small ε in all, about 1 for 1 000 records. The noise is far too "
        "small for what one record can change: there the true ε is in the millions.",
        in_short="Fails: noise at least n times too small for n records.",
        is_main=True,
        what="Trains in very many small steps on one random record each, and blurs every step.",
        breaks=(
            "The query n∇f can move by 2nL when one record is replaced, and its noise is sized "
            "for L. At n = 1 000 the true ε is in the millions where about 1 is claimed.",
            "Its noise would do for the query ∇f: ε = 0.25 there, at δ = 0.001. Algorithm 2, "
            "Theorem 7 and Theorem 8 all have n∇f.",
        ),
        runs=(Runnable(Place.EXPLORE, "grpua"),),
    ),
    described(
        key="grpua-network",
        title="GRPUA on a neural network",
        section="V-D",
        source="Ding et al.",
        family=Family.DEEP,
        in_plain="Claimed is the same small ε for a network. The noise is too small for the same "
        "reasons as GRPUA's, and no ε is proved.",
        in_short="Fails as GRPUA does.",
        what="The same small noisy steps for a network, with each record's gradient cut to a "
        "limit.",
        claim="The total of Theorem 7 with sensitivity C = 1.",
        verdict=ClaimVerdict(Status.CLAIM_NOT_SUPPORTED, "None, for the reasons given at GRPUA."),
        runs=(
            sound(
                Place.TRAIN, "network-000", note="DP-SGD with an accountant for exactly its noise."
            ),
        ),
    ),
    described(
        key="outpert",
        title="OutPert",
        section="V, baseline",
        source="Zhang, Zheng, Mou and Wang 2017",
        references=(10,),
        in_short="Holds for ε below 1.",
        what="As OPERA, with noise by the classical formula.",
        runs=(Runnable(Place.EXPLORE, "outpert"),),
    ),
    described(
        key="sgdpert",
        title="SgdPert in paper 000",
        section="V, baseline",
        source="Ding et al. 2020, after Bassily, Smith and Thakurta 2014",
        references=(12,),
        works=("000", "000-12"),
        in_plain="Claimed is a small ε in all, by paper 000's own count. The noise is too small "
        "for the same reasons as GRPUA's, and no ε is proved for this form.",
        in_short="Fails in this form.",
        what="As GRPUA, with noise by the classical formula.",
        runs=(Runnable(Place.EXPLORE, "sgdpert"),),
    ),
    described(
        key="analytic-gaussian",
        title="Analytic Gaussian mechanism",
        section="III, Theorem 2",
        source="Balle and Wang 2018",
        references=(13,),
        family=Family.MECHANISM,
        in_short="Holds for every ε above 0.",
        what="Adds bell-shaped noise, just as wide as (ε, δ) needs and no wider, for every ε.",
        claim="(ε, δ) for every ε > 0, with the least σ that gives it.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "(ε, δ) exactly, by the Gaussian distribution function.",
        ),
    ),
)
