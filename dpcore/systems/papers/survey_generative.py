"""Paper 001, section IV-A-4: generative networks, which synthesise records."""

from __future__ import annotations

from functools import partial

from dpcore.systems.system import Family, Place, Software, System, Upkeep, relative

TABLES = (
    relative(
        Place.ATLAS,
        "noisy-marginals",
        note="Tables of records made up from noisy counts, without a network.",
    ),
)

described = partial(System, paper="001", section="IV-A-4", family=Family.GENERATIVE, runs=TABLES)

SYSTEMS = (
    described(
        key="mixture-generative",
        title="Mixture of generative networks",
        source="Acs, Melis, Castelluccia and De Cristofaro 2017",
        references=(76,),
        what="Splits records into private clusters and trains one generator for each.",
        claim="(ε, δ) by private kernel k-means and improved noisy gradient descent.",
    ),
    described(
        key="lu-yu",
        title="Unified synthetic release by GAN",
        source="Lu and Yu 2017",
        references=(77,),
        what="Makes up tables or networks of people with a generator trained by NoisySGD.",
        claim="(ε, δ) of NoisySGD.",
    ),
    described(
        key="dp-acgan",
        title="DP-ACGAN for clinical data (SPRINT)",
        source="Beaulieu-Jones, Wu, Williams and Greene 2017",
        references=(78,),
        what="Makes up patients of a clinical trial, with their outcome, to share in place of the "
        "real ones.",
        claim="(ε, δ) by clipped and blurred gradients of the discriminator.",
        software=(Software("greenelab/SPRINT_gan", Upkeep.RESEARCH),),
    ),
    described(
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
    described(
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
    described(
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
    described(
        key="ganobfuscator",
        title="GANobfuscator",
        source="Xu, Ren, Zhang, Zhang, Qin and Ren 2019",
        references=(89,),
        what="Makes up records with a generator trained on pruned and blurred gradients.",
        claim="(ε, δ), whatever the number of records made up.",
    ),
)
