"""Paper 001, section III-C: how many records private learning needs. Nothing to run."""

from __future__ import annotations

from dpcore.systems.system import Family, System

SECTION, FAMILY = "III-C", Family.THEORY

SYSTEMS = (
    System(
        key="non-interactive",
        title="Non-interactive release for all questions of a class",
        paper="001",
        section=SECTION,
        source="Blum, Ligett and Roth 2008",
        references=(64,),
        family=FAMILY,
        what="Shows that one made-up data set can answer very many questions, given enough "
        "records.",
        claim="ε with a number of records of order log|X| · VC(C).",
    ),
    System(
        key="private-pac",
        title="What can be learned privately",
        paper="001",
        section=SECTION,
        source="Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011",
        references=(65,),
        family=FAMILY,
        what="Shows that most of what can be learned from records can be learned privately, if "
        "time does not matter.",
        claim="A private learner for every finite class, with a number of records of order log|C|.",
    ),
    System(
        key="improper-learning",
        title="Improper and probabilistic learners",
        paper="001",
        section=SECTION,
        source="Beimel, Nissim and Stemmer 2013; Beimel, Kasiviswanathan and Nissim 2013",
        references=(66, 67),
        family=FAMILY,
        what="Fewer records suffice where the learner may answer with a rule of another kind.",
        claim="Order log d records instead of d, at the price of exponential time.",
    ),
    System(
        key="label-privacy",
        title="Label privacy",
        paper="001",
        section=SECTION,
        source="Chaudhuri and Hsu 2011",
        references=(68,),
        family=FAMILY,
        what="Protects only the diagnosis, not the other traits of a patient.",
        claim="At least order d′ records are needed, d′ the doubling dimension.",
        breaks=("It protects the label alone: the other attributes may be published.",),
    ),
    System(
        key="semi-supervised",
        title="Private learning with few labels",
        paper="001",
        section=SECTION,
        source="Beimel, Nissim and Stemmer 2015",
        references=(69,),
        family=FAMILY,
        what="Makes up unlabelled records first, so that few labelled ones are needed.",
        claim="Order VC(C) labelled and d · VC(C) unlabelled records.",
    ),
    System(
        key="approximate-thresholds",
        title="Pure against approximate privacy",
        paper="001",
        section=SECTION,
        source="Beimel, Nissim and Stemmer 2013; Bun, Nissim, Stemmer and Vadhan 2015",
        references=(70, 71),
        family=FAMILY,
        what="Shows how much a small failure probability δ saves in records, for the simplest "
        "rules.",
        claim="A constant number of records for points; between log* d and 2^(log* d) for "
        "thresholds.",
    ),
)
