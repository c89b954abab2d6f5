"""Paper 001, section III-C: how many records private learning needs. Nothing to run."""

from __future__ import annotations

from functools import partial

from dpcore.systems.system import Family, System

described = partial(System, paper="001", section="III-C", family=Family.THEORY)

SYSTEMS = (
    described(
        key="non-interactive",
        title="Non-interactive release for all questions of a class",
        source="Blum, Ligett and Roth 2008",
        references=(64,),
        what="Shows that one made-up data set can answer very many questions, given enough "
        "records.",
        claim="ε with a number of records of order log|X| · VC(C).",
    ),
    described(
        key="private-pac",
        title="What can be learned privately",
        source="Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011",
        references=(65,),
        what="Shows that most of what can be learned from records can be learned privately, if "
        "time does not matter.",
        claim="A private learner for every finite class, with a number of records of order log|C|.",
    ),
    described(
        key="improper-learning",
        title="Improper and probabilistic learners",
        source="Beimel, Nissim and Stemmer 2013; Beimel, Kasiviswanathan and Nissim 2013",
        references=(66, 67),
        what="Fewer records suffice where the learner may answer with a rule of another kind.",
        claim="Order log d records instead of d, at the price of exponential time.",
    ),
    described(
        key="label-privacy",
        title="Label privacy",
        source="Chaudhuri and Hsu 2011",
        references=(68,),
        what="Protects only the diagnosis, not the other traits of a patient.",
        claim="At least order d′ records are needed, d′ the doubling dimension.",
        breaks=("It protects the label alone: the other attributes may be published.",),
    ),
    described(
        key="semi-supervised",
        title="Private learning with few labels",
        source="Beimel, Nissim and Stemmer 2015",
        references=(69,),
        what="Makes up unlabelled records first, so that few labelled ones are needed.",
        claim="Order VC(C) labelled and d · VC(C) unlabelled records.",
    ),
    described(
        key="approximate-thresholds",
        title="Pure against approximate privacy",
        source="Beimel, Nissim and Stemmer 2013; Bun, Nissim, Stemmer and Vadhan 2015",
        references=(70, 71),
        what="Shows how much a small failure probability δ saves in records, for the simplest "
        "rules.",
        claim="A constant number of records for points; between log* d and 2^(log* d) for "
        "thresholds.",
    ),
)
