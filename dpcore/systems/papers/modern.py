"""Beside the five papers: what is done today, and what broke there."""

from __future__ import annotations

from dpcore.systems.system import Family, Place, Relation, Run, Software, System, Upkeep

SYSTEMS = (
    System(
        key="bolt-on",
        title="PSGD, “bolt-on” output perturbation",
        paper="",
        section="",
        source="Wu, Li, Kumar, Chaudhuri, Jha and Naughton 2017",
        family=Family.ERM,
        what="Trains by plain stochastic gradient descent, and blurs the weights once at the end.",
        software=(Software("tensorflow-privacy bolt_on", note="Do not use: see what broke."),),
        breaks=(
            "tensorflow-privacy's bolt_on divides the sensitivity by the batch size once more, so "
            "its noise is that many times too small, and draws it from a fixed seed.",
        ),
        runs=(Run(Place.EXPLORE, "psgd"),),
    ),
    System(
        key="scattering-linear",
        title="Hand-made features and a private linear model",
        paper="",
        section="",
        source="Tramèr and Boneh 2021",
        family=Family.DEEP,
        what="Turns images into features that need no training, and learns a small private model "
        "on them.",
        claim="(3, 1e-5) with 98.7 % on MNIST, where deep private networks do worse.",
        software=(Software("ftramer/Handcrafted-DP", Upkeep.RESEARCH, "By the authors."),),
        breaks=(
            "The authors' code clips the statistics for normalisation at a quantile of the private "
            "data, which is not paid for: a small leak that its own comment admits.",
        ),
        runs=(
            Run(
                Place.TRAIN,
                "scattering",
                Relation.SOUND,
                "Without statistics of private records.",
            ),
        ),
    ),
)
