"""Paper 001, sections IV-A-1, IV-A-3 and IV-B: training of networks."""

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
)

described = partial(System, paper="001", family=Family.DEEP)

LIBRARIES = (Software("opacus"), Software("tensorflow-privacy"), Software("jax-privacy"))
SHUFFLED = (
    "Many implementations shuffle their batches and account for random (Poisson) ones. The true ε "
    "can then be much larger (Chua et al. 2024)."
)

SYSTEMS = (
    described(
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
    described(
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
    described(
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
    described(
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
    described(
        key="dpa",
        title="dPA: deep private auto-encoder",
        section="IV-B-1",
        source="Phan, Wang, Wu and Dou 2016",
        references=(91,),
        what="Replaces the loss of an auto-encoder by a polynomial and blurs its coefficients.",
        claim="ε by the functional mechanism on a Taylor polynomial.",
        software=(Software("haiphanNJIT dpautoencoder", Upkeep.RESEARCH),),
    ),
    described(
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
    described(
        key="dpne",
        title="DPNE: private network embedding (DeepWalk)",
        section="IV-B-3",
        source="Xu, Yuan, Wu and Phan 2018",
        references=(94,),
        what="Places people in a map by whom they know, without showing any single link.",
        claim="ε by objective perturbation of a matrix factorisation.",
    ),
)
