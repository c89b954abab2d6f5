"""Paper 001, sections II, III-A-3 and III-C: mechanisms, online learning, and theory.

Theory says how many records private learning needs: there is nothing to run.
"""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import ClaimVerdict, Family, Place, Software, System, relative, sound

_mechanisms = partial(System, paper="001", section="II-A", family=Family.MECHANISM)

MECHANISMS = (
    _mechanisms(
        key="laplace",
        title="Laplace mechanism",
        source="Dwork, McSherry, Nissim and Smith 2006",
        references=(14,),
        in_short="Holds in exact arithmetic.",
        what="Adds noise to a number, as wide as one person can move it, divided by ε.",
        claim="ε for a number or a vector of known L1 sensitivity.",
        verdict=ClaimVerdict(
            Status.PROVED, "ε, by the ratio of two Laplace densities, in exact arithmetic."
        ),
        software=(Software("opendp"), Software("diffprivlib")),
        leaks=(
            "Samplers in plain floating point leak through the last bits of the answer (Mironov "
            "2012).",
        ),
    ),
    _mechanisms(
        key="gaussian",
        title="Gaussian mechanism, classical formula",
        source="Dwork and Roth 2014",
        references=(19,),
        in_short="Holds only up to some ε, a limit that the survey leaves out.",
        what="Adds bell-shaped noise to a number or a vector; it may fail with probability δ.",
        claim="(ε, δ) with σ = Δ√(2 ln(2/δ))/ε, in the survey without a limit on ε.",
        verdict=ClaimVerdict(
            Status.CONDITIONS_NOT_MET,
            "(ε, δ) for ε < 1 by its theorem, a condition that the survey's Definition 5 leaves "
            "out. By the exact Gaussian curve it holds up to ε = 9.3 at δ = 10⁻⁵, and fails above.",
        ),
        software=(Software("opendp"), Software("diffprivlib")),
    ),
    _mechanisms(
        key="exponential",
        title="Exponential mechanism",
        source="McSherry and Talwar 2007",
        references=(17,),
        in_short="Holds as printed.",
        what="Chooses one of many answers by lot: better answers are likelier, by an amount that "
        "one person can hardly move.",
        claim="ε, with probabilities proportional to exp(ε q/(2Δq)).",
        verdict=ClaimVerdict(Status.PROVED, "ε, by the ratio of the two probabilities."),
        software=(Software("opendp"), Software("diffprivlib")),
    ),
    _mechanisms(
        key="composition",
        title="Sequential and parallel composition",
        source="McSherry and Talwar 2007; McSherry 2010",
        references=(17, 22),
        in_short="Holds; for separate records, if how they are split does not depend on them.",
        what="Adds up the ε of everything that is done with the same records; for separate records "
        "the largest counts.",
        claim="(Σε, Σδ) on the same records; max ε on disjoint ones.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "Both hold; for disjoint records under one record more or less, where their split "
            "does not depend on them.",
        ),
    ),
)


_online = partial(System, paper="001", section="III-A-3", family=Family.ONLINE)

STREAMS = (
    Software("jax-privacy matrix factorisation", note="The modern successor, DP-FTRL."),
    Software("tensorflow-privacy dp_query", note="Tree aggregation, the modern successor."),
)

ONLINE = (
    _online(
        key="online-convex",
        title="Private online convex programming (IGD, GIGA)",
        source="Jain, Kothari and Thakurta 2012",
        references=(48,),
        what="Learns while patients arrive one by one, and blurs the model after every step.",
        claim="(ε, δ) with regret of order √T, for methods of known sensitivity and regret.",
        software=STREAMS,
        runs=(
            relative(
                Place.ATLAS, "online-tree", note="Noise on running sums instead of on every model."
            ),
        ),
    ),
    _online(
        key="online-linear",
        title="Private online linear optimisation",
        source="Agarwal and Singh 2017",
        references=(51,),
        what="Decides day after day from blurred running totals of what has happened so far.",
        claim="ε with regret of order √T, in the full-information and the bandit setting.",
        software=STREAMS,
        runs=(
            sound(
                Place.ATLAS,
                "online-tree",
                note="Gaussian noise on the tree's sums, for logistic regression.",
            ),
        ),
    ),
    _online(
        key="distributed-online",
        title="DOLA: distributed online learning",
        source="Li, Zhou, Xiong, Wang and Wang 2018",
        references=(52,),
        what="Hospitals learn from their own streams and send blurred models to their neighbours.",
        claim="ε or (ε, δ), with regret of order √T or log T, as without privacy.",
    ),
)


_theory = partial(System, paper="001", section="III-C", family=Family.THEORY)

THEORY = (
    _theory(
        key="non-interactive",
        title="Non-interactive release for all questions of a class",
        source="Blum, Ligett and Roth 2008",
        references=(64,),
        what="Shows that one made-up data set can answer very many questions, given enough "
        "records.",
        claim="ε with a number of records of order log|X| · VC(C).",
    ),
    _theory(
        key="private-pac",
        title="What can be learned privately",
        source="Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011",
        references=(65,),
        what="Shows that most of what can be learned from records can be learned privately, if "
        "time does not matter.",
        claim="A private learner for every finite class, with a number of records of order log|C|.",
    ),
    _theory(
        key="improper-learning",
        title="Improper and probabilistic learners",
        source="Beimel, Nissim and Stemmer 2013; Beimel, Kasiviswanathan and Nissim 2013",
        references=(66, 67),
        what="Fewer records suffice where the learner may answer with a rule of another kind.",
        claim="Order log d records instead of d, at the price of exponential time.",
    ),
    _theory(
        key="label-privacy",
        title="Label privacy",
        source="Chaudhuri and Hsu 2011",
        references=(68,),
        what="Protects only the diagnosis, not the other traits of a patient.",
        claim="At least order d′ records are needed, d′ the doubling dimension.",
        breaks=("It protects the label alone: the other attributes may be published.",),
    ),
    _theory(
        key="semi-supervised",
        title="Private learning with few labels",
        source="Beimel, Nissim and Stemmer 2015",
        references=(69,),
        what="Makes up unlabelled records first, so that few labelled ones are needed.",
        claim="Order VC(C) labelled and d · VC(C) unlabelled records.",
    ),
    _theory(
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
