"""Beside the five papers: today's systems, and their known failures."""

from __future__ import annotations

from dpcore.guarantee import Status
from dpcore.systems.system import (
    ClaimVerdict,
    Family,
    Place,
    Runnable,
    Software,
    System,
    Upkeep,
    relative,
    sound,
)

MODERN = (
    System(
        key="loss-distributions",
        title="Rényi and privacy loss distribution (PLD) accounting",
        source="Mironov 2017; Koskela, Jälkö and Honkela 2020; Gopi, Lee and Wutschitz 2021",
        family=Family.MECHANISM,
        in_short="Holds where sampling and neighbours are those that were used.",
        works=("renyi", "fourier", "numerical"),
        what="Adds up what all noisy steps give away, from the exact odds of a single step.",
        claim="An ε that holds at a given δ, within an error that is named.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "An upper bound on ε, where sampling and adjacency are those that were used. Whatever "
            "is cut off is added to δ.",
        ),
        software=(Software("dp-accounting"), Software("prv-accountant"), Software("opacus")),
        leaks=(
            "dp-accounting 0.6.0 reads noise under replace-one differently in its two "
            "accountants. Asked alike, one answers 9.997 and the other 4.729, which is too small.",
            "Opacus reports the ε of random (Poisson) batches for batches of fixed size, too.",
        ),
        runs=(
            relative(
                Place.PLAN, "chexpert", note="Both accountants side by side, with their conditions."
            ),
        ),
    ),
    System(
        key="dp-gd",
        title="DP-GD: noisy gradient descent",
        source="Ganesh, Haghifam, Steinke and Thakurta 2023; Dong, Roth and Su 2022",
        family=Family.ERM,
        works=("second-order", "gaussian-dp"),
        what="Trains in few steps, each on all the records, and blurs every step.",
        claim="Gaussian differential privacy, composed exactly over the steps.",
        runs=(Runnable(Place.EXPLORE, "dpgd"),),
    ),
    System(
        key="dp-newton",
        title="DP-Newton with double noise",
        source="Ganesh, Haghifam, Steinke and Thakurta 2023",
        family=Family.ERM,
        works=("second-order",),
        what="Takes a handful of long steps that follow the curvature, and blurs slope and step.",
        claim="ρ-zCDP, ρ shared out over the gradient and the Newton step.",
        software=(
            Software(
                "tensorflow-privacy research/dp_newton",
                Upkeep.RESEARCH,
                "For one record blanked out.",
            ),
        ),
        runs=(Runnable(Place.EXPLORE, "dpnewton"),),
    ),
    System(
        key="approximate-minima",
        title="Approximate minima perturbation",
        source="Iyengar et al. 2019",
        family=Family.ERM,
        works=("practical-convex",),
        what="Objective perturbation that may stop near the minimum, with a little more noise at "
        "the end.",
        claim="(ε, δ) for what a real solver returns.",
        software=(Software("sunblaze-ucb/dpml-benchmark", Upkeep.RESEARCH, "It leaks."),),
        leaks=(
            "Two solutions that both stop near the minimum can differ by 2nγ/Λ; the benchmark's "
            "code counts half of that.",
            "The same code draws its noise from one of 256 seeds.",
        ),
        runs=(
            sound(
                Place.EXPLORE, "objpert", note="With both distances counted, and tight accounting."
            ),
        ),
    ),
    System(
        key="adassp",
        title="AdaSSP: adaptive sufficient statistics",
        source="Wang 2018",
        family=Family.ERM,
        in_short="Holds, except at very large ε, where its noise is too small.",
        works=("adassp",),
        what="Blurs the sums that linear regression needs, and regularises as much as they then "
        "ask for.",
        software=(
            Software("yuxiangw/optimal_dp_linear_regression", Upkeep.RESEARCH, "By the author."),
        ),
        breaks=(
            "At very large ε the printed noise is too small: for ε = 50 exact accounting gives "
            "60.7. At small ε it is about twice what is needed.",
        ),
        runs=(Runnable(Place.EXPLORE, "adassp", loss="squared"),),
    ),
    System(
        key="bolt-on",
        title="PSGD, “bolt-on” output perturbation",
        source="Wu, Li, Kumar, Chaudhuri, Jha and Naughton 2017",
        family=Family.ERM,
        in_short="Holds for ε below 1.",
        works=("bolt-on",),
        what="Trains by plain stochastic gradient descent, and blurs the weights once at the end.",
        software=(Software("tensorflow-privacy bolt_on", note="Do not use: it leaks."),),
        leaks=(
            "tensorflow-privacy's bolt_on divides the sensitivity by the batch size once more. "
            "Its noise is that many times too small, and comes from a fixed seed.",
        ),
        runs=(Runnable(Place.EXPLORE, "psgd"),),
    ),
    System(
        key="dp-ftrl",
        title="DP-FTRL and matrix factorisation",
        source="Kairouz et al. 2021; Denisov et al. 2022",
        family=Family.ONLINE,
        works=("ftrl", "adaptive-streams"),
        what="Learns from records in the order in which they come, with noise whose draws cancel "
        "from step to step.",
        claim="(ε, δ) for all models of the stream, without any sampling.",
        software=(
            Software("jax-privacy matrix_factorization"),
            Software("tensorflow-privacy dp_query", note="Tree aggregation."),
        ),
        runs=(Runnable(Place.EXPLORE, "dpftrl"),),
    ),
    System(
        key="dp-ctgan",
        title="DP-CTGAN and PATE-CTGAN",
        source="Rosenblatt, Liu, Pouyanfar, de Leon, Desai and Allen 2020",
        family=Family.GENERATIVE,
        works=("ctgan",),
        what="Makes up tables of mixed columns with a generator whose critic learns privately.",
        claim="(ε, δ) by noisy gradients of the critic, or by noisy votes of teachers.",
        software=(Software("smartnoise-synth DP-CTGAN, PATE-CTGAN and QUAIL"),),
        runs=(
            relative(
                Place.ATLAS,
                "noisy-marginals",
                note="Tables of records made up from noisy counts, without a network.",
            ),
        ),
    ),
    System(
        key="noisy-marginals",
        title="Records made up from noisy marginals",
        source="McKenna, Miklau and Sheldon 2021",
        family=Family.GENERATIVE,
        works=("nist",),
        what="Blurs counts of single traits and of pairs, and draws new records that fit them.",
        software=(
            Software("smartnoise-synth MST, AIM and MWEM"),
            Software("synthcity AIM and PrivBayes"),
        ),
        runs=(
            sound(
                Place.ATLAS,
                "noisy-marginals",
                note="A small version; the choice of pairs is paid for.",
            ),
        ),
    ),
    System(
        key="adaclip",
        title="AdaCliP: clipping that adapts",
        source="Pichapati, Suresh, Yu, Reddi and Kumar 2019",
        family=Family.DEEP,
        works=("adaclip",),
        what="Scales clipping and noise alike, weight by weight, by what noisy gradients have "
        "shown before.",
        claim="The (ε, δ) of DP-SGD with less noise where gradients are small.",
        runs=(sound(Place.TRAIN, "scaled", note="One scale a layer, by default."),),
    ),
    System(
        key="scattering-linear",
        title="Hand-made features and a private linear model",
        source="Tramèr and Boneh 2021",
        family=Family.DEEP,
        works=("features",),
        what="Turns images into features that need no training, and learns a small private model "
        "on them.",
        claim="(3, 10⁻⁵) with 98.7 % on MNIST, where deep private networks do worse.",
        software=(Software("ftramer/Handcrafted-DP", Upkeep.RESEARCH, "By the authors."),),
        leaks=(
            "The authors' code clips the statistics for normalisation at a quantile of the "
            "private data, which is not paid for. Its own comment admits this small leak.",
        ),
        runs=(sound(Place.TRAIN, "scattering", note="Without statistics of private records."),),
    ),
)
