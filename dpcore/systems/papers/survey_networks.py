"""Paper 001, sections III-B-2 and IV: networks, learning by several parties, made-up records."""

from __future__ import annotations

from functools import partial

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

_deep = partial(System, paper="001", family=Family.DEEP)

LIBRARIES = (Software("opacus"), Software("tensorflow-privacy"), Software("jax-privacy"))
SHUFFLED = (
    "Many implementations shuffle their batches and account for random (Poisson) ones. The true ε "
    "can then be much larger (Chua et al. 2024)."
)

DEEP = (
    _deep(
        key="noisy-updates",
        title="SGD with private updates",
        section="IV-A-1",
        source="Song, Chaudhuri and Sarwate 2013",
        references=(72,),
        in_short="Holds for one record replaced, if no gradient is longer than 1.",
        what="Trains in small steps and blurs every step, for convex models.",
        claim="ε with each record used once.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "ε for one record replaced, gradients no longer than 1. A step moves by at most 2/b, "
            "and a record is in one step. The noise has density ∝ exp(-εb‖z‖/2).",
        ),
        software=LIBRARIES,
        runs=(
            relative(
                Place.EXPLORE,
                "grpua",
                note="The sound edition: Gaussian noise on sampled batches instead.",
            ),
        ),
    ),
    _deep(
        key="noisy-sgd",
        title="NoisySGD (DP-SGD)",
        section="IV-A-1",
        source="Abadi et al. 2016",
        references=(73,),
        what="Trains a network in small steps: every patient's influence is cut to a limit, and "
        "the sum is blurred.",
        claim="(ε, δ) by the moments accountant, for batches drawn by chance.",
        software=LIBRARIES,
        leaks=(SHUFFLED,),
        runs=(Runnable(Place.TRAIN, "dp-sgd"),),
    ),
    _deep(
        key="adaptive-laplace",
        title="AdLM: adaptive Laplace mechanism",
        section="IV-A-1",
        source="Phan, Wu, Hu and Dou 2017",
        references=(82,),
        what="Blurs inputs and loss once, more where a trait matters less; training then costs "
        "nothing more.",
        claim="ε, whatever the number of epochs.",
        software=(Software("haiphanNJIT/PrivateDeepLearning AdLM", Upkeep.RESEARCH),),
    ),
    _deep(
        key="dp-lstm",
        title="DP-FedAvg for language models (LSTM)",
        section="IV-A-3",
        source="McMahan, Ramage, Talwar and Zhang 2017",
        references=(75,),
        what="Learns next words from phones: each user's whole update is cut to a limit and the "
        "sum is blurred.",
        claim="(ε, δ) for a user with all their texts, not for one text.",
        software=(
            Software("opacus DPLSTM"),
            Software("tensorflow-federated aggregators/differential_privacy"),
        ),
        runs=(relative(Place.TRAIN, "dp-sgd", note="One record takes the place of one user."),),
    ),
    _deep(
        key="dpa",
        title="dPA: deep private auto-encoder",
        section="IV-B-1",
        source="Phan, Wang, Wu and Dou 2016",
        references=(91,),
        what="Replaces the loss of an auto-encoder by a polynomial and blurs its coefficients.",
        claim="ε by the functional mechanism on a Taylor polynomial.",
        software=(Software("haiphanNJIT dpautoencoder", Upkeep.RESEARCH),),
    ),
    _deep(
        key="pcdbn",
        title="pCDBN: private convolutional deep belief network",
        section="IV-B-2",
        source="Phan, Wu and Dou 2017",
        references=(93,),
        what="Replaces the energy of a deep belief network by a polynomial and blurs its "
        "coefficients.",
        claim="ε by noise on a Chebyshev polynomial, layer by layer.",
        software=(Software("haiphanNJIT pCDBN", Upkeep.RESEARCH),),
    ),
    _deep(
        key="dpne",
        title="DPNE: private network embedding (DeepWalk)",
        section="IV-B-3",
        source="Xu, Yuan, Wu and Phan 2018",
        references=(94,),
        what="Places people in a map by whom they know, without showing any single link.",
        claim="ε by objective perturbation of a matrix factorisation.",
    ),
)


_distributed = partial(System, paper="001", family=Family.DISTRIBUTED)

DISTRIBUTED = (
    _distributed(
        key="pdop",
        title="PDOP: private distributed optimisation",
        section="III-B-2",
        source="Huang, Mitra and Vaidya 2015",
        references=(61,),
        what="Parties agree on a common model by sending each other blurred versions of their own.",
        claim="ε for each party's objective, with accuracy of order 1/ε².",
        breaks=("At a fixed ε its answer does not approach the right one, as the survey notes.",),
    ),
    _distributed(
        key="functional-distributed",
        title="Distributed optimisation with perturbed functions",
        section="III-B-2",
        source="Nozari, Tallapragada and Cortés 2018",
        references=(62,),
        what="Each party blurs its whole objective once; any distributed method then finds the "
        "common model.",
        claim="ε, with a bound on the distance from the right answer.",
    ),
    _distributed(
        key="selective-sgd",
        title="Distributed selective SGD",
        section="IV-A-2",
        source="Shokri and Shmatikov 2015",
        references=(81,),
        what="Hospitals train together by uploading a few blurred parts of their gradients.",
        claim="ε for every uploaded gradient entry, with accuracy near training without privacy.",
        breaks=(
            "Its ε counts one entry of one upload. Over a whole training it adds up to a budget "
            "that paper 004 calls way beyond a meaningful guarantee.",
            "A party that joins can rebuild what others' records of a class look like (Hitaj, "
            "Ateniese and Perez-Cruz 2017).",
        ),
    ),
    _distributed(
        key="multiparty-visibility",
        title="Multiparty deep learning with ρ-visibility",
        section="IV-A-2",
        source="Zhang, Ji, Wang and Wang 2017",
        references=(83,),
        what="Parties blur their gradients and add them up under encryption, so that each needs "
        "less noise.",
        claim="ε for local gradients, and secrecy of single gradients by encryption and secret "
        "sharing.",
    ),
    _distributed(
        key="collaborative-mpc",
        title="Collaborative networks by secure computation",
        section="IV-A-2",
        source="Chase, Gilad-Bachrach, Laine, Lauter and Rindal 2017",
        references=(74,),
        what="Several parties compute one noisy gradient together; nobody sees another's share.",
        claim="(ε, δ) of noisy SGD for the common model, however many parties take part.",
        runs=(
            relative(
                Place.TRAIN, "dp-sgd", note="The same noisy steps with all records in one place."
            ),
        ),
    ),
    _distributed(
        key="pate",
        title="PATE: teachers that vote",
        section="IV-A-2",
        source="Papernot, Abadi, Erlingsson, Goodfellow and Talwar 2017",
        references=(84,),
        what="Many models, each trained on its own patients, vote with noise; a student learns "
        "from the votes on public records.",
        software=(Software("tensorflow-privacy research/pate_2017", Upkeep.RESEARCH),),
        breaks=(
            "The ε it reports looks at the votes. That figure is private itself, and must be "
            "blurred before it is published.",
        ),
        runs=(
            sound(
                Place.ATLAS,
                "pate",
                note="Gaussian noise, and an ε that does not look at the votes.",
            ),
        ),
    ),
    _distributed(
        key="scalable-pate",
        title="Scalable PATE",
        section="IV-A-2",
        source="Papernot, Song, Mironov, Raghunathan, Talwar and Erlingsson 2018",
        references=(86,),
        what="As PATE, but teachers answer only where they agree, with Gaussian noise.",
        software=(Software("tensorflow-privacy research/pate_2018", Upkeep.RESEARCH),),
        runs=(
            sound(Place.ATLAS, "scalable-pate", note="With an ε that does not look at the votes."),
        ),
    ),
)


TABLES = (
    relative(
        Place.ATLAS,
        "noisy-marginals",
        note="Tables of records made up from noisy counts, without a network.",
    ),
)

_generative = partial(System, paper="001", section="IV-A-4", family=Family.GENERATIVE, runs=TABLES)

GENERATIVE = (
    _generative(
        key="mixture-generative",
        title="Mixture of generative networks",
        source="Acs, Melis, Castelluccia and De Cristofaro 2017",
        references=(76,),
        what="Splits records into private clusters and trains one generator for each.",
        claim="(ε, δ) by private kernel k-means and improved noisy gradient descent.",
    ),
    _generative(
        key="lu-yu",
        title="Unified synthetic release by GAN",
        source="Lu and Yu 2017",
        references=(77,),
        what="Makes up tables or networks of people with a generator trained by NoisySGD.",
        claim="(ε, δ) of NoisySGD.",
    ),
    _generative(
        key="dp-acgan",
        title="DP-ACGAN for clinical data (SPRINT)",
        source="Beaulieu-Jones, Wu, Williams and Greene 2017",
        references=(78,),
        what="Makes up patients of a clinical trial, with their outcome, to share in place of the "
        "real ones.",
        claim="(ε, δ) by clipped and blurred gradients of the discriminator.",
        software=(Software("greenelab/SPRINT_gan", Upkeep.RESEARCH),),
    ),
    _generative(
        key="dpgan-release",
        title="dpGAN: releasing the generator",
        source="Zhang, Ji and Wang 2018",
        references=(79,),
        what="Publishes the generator itself, so that anyone can make up as many records as "
        "needed.",
        claim="(ε, δ) by clipped and blurred gradients of the discriminator, with three aids for "
        "stability.",
        software=(Software("alps-lab/dpgan", Upkeep.RESEARCH),),
    ),
    _generative(
        key="dpgan",
        title="DPGAN",
        source="Xie, Lin, Wang, Wang and Zhou 2018",
        references=(80,),
        what="Makes up records with a generator whose critic learns from blurred gradients.",
        claim="(ε, δ) by noise on the gradients of a critic with bounded weights.",
        software=(
            Software("smartnoise-synth DPGAN", note="Re-implemented."),
            Software("synthcity dpgan", note="Re-implemented."),
            Software("illidanlab/dpgan", Upkeep.RESEARCH, "By the authors."),
        ),
    ),
    _generative(
        key="pate-gan",
        title="PATE-GAN",
        source="Jordon, Yoon and van der Schaar 2019",
        references=(88,),
        what="Makes up records; teachers vote with noise whether a record looks real, and the "
        "generator learns from the votes.",
        claim="(ε, δ) by PATE's votes among discriminators.",
        software=(
            Software("synthcity pategan", note="One of the six audited."),
            Software("smartnoise-synth PATE-GAN", note="One of the six audited."),
            Software("vanderschaarlab/mlforhealthlabpub", Upkeep.RESEARCH, "By the authors."),
        ),
        leaks=(
            "All six audited implementations, three of them by its authors, leak more than they "
            "state. None reaches the printed accuracy (Ganev et al. 2024, arXiv 2406.13985).",
        ),
    ),
    _generative(
        key="ganobfuscator",
        title="GANobfuscator",
        source="Xu, Ren, Zhang, Zhang, Qin and Ren 2019",
        references=(89,),
        what="Makes up records with a generator trained on pruned and blurred gradients.",
        claim="(ε, δ), whatever the number of records made up.",
    ),
)
