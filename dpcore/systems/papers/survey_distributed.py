"""Paper 001, sections III-B-2 and IV-A-2: optimisation and deep learning by several parties."""

from __future__ import annotations

from functools import partial

from dpcore.systems.system import Family, Place, Software, System, Upkeep, relative, sound

described = partial(System, paper="001", family=Family.DISTRIBUTED)

SYSTEMS = (
    described(
        key="pdop",
        title="PDOP: private distributed optimisation",
        section="III-B-2",
        source="Huang, Mitra and Vaidya 2015",
        references=(61,),
        what="Parties agree on a common model by sending each other blurred versions of their own.",
        claim="ε for each party's objective, with accuracy of order 1/ε².",
        breaks=("At a fixed ε its answer does not approach the right one, as the survey notes.",),
    ),
    described(
        key="functional-distributed",
        title="Distributed optimisation with perturbed functions",
        section="III-B-2",
        source="Nozari, Tallapragada and Cortés 2018",
        references=(62,),
        what="Each party blurs its whole objective once; any distributed method then finds the "
        "common model.",
        claim="ε, with a bound on the distance from the right answer.",
    ),
    described(
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
    described(
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
    described(
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
    described(
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
    described(
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
