"""Paper 001, section II: the mechanisms that the other systems are made of."""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import ClaimVerdict, Family, Software, System

described = partial(System, paper="001", section="II-A", family=Family.MECHANISM)

SYSTEMS = (
    described(
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
    described(
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
    described(
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
    described(
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
