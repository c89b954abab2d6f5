"""Paper 001, section III-A-3: online learning."""

from __future__ import annotations

from dpcore.systems.system import Family, Place, Relation, Runnable, Software, System

SECTION, FAMILY = "III-A-3", Family.ONLINE

STREAMS = (
    Software("jax-privacy matrix factorisation", note="The modern successor, DP-FTRL."),
    Software("tensorflow-privacy dp_query", note="Tree aggregation, the modern successor."),
)

SYSTEMS = (
    System(
        key="online-convex",
        title="Private online convex programming (IGD, GIGA)",
        paper="001",
        section=SECTION,
        source="Jain, Kothari and Thakurta 2012",
        references=(48,),
        family=FAMILY,
        what="Learns while patients arrive one by one, and blurs the model after every step.",
        claim="(ε, δ) with regret of order √T, for methods of known sensitivity and regret.",
        software=STREAMS,
        runs=(
            Runnable(
                Place.ATLAS,
                "online-tree",
                Relation.RELATIVE,
                "Noise on running sums instead of on every model.",
            ),
        ),
    ),
    System(
        key="online-linear",
        title="Private online linear optimisation",
        paper="001",
        section=SECTION,
        source="Agarwal and Singh 2017",
        references=(51,),
        family=FAMILY,
        what="Decides day after day from blurred running totals of what has happened so far.",
        claim="ε with regret of order √T, in the full-information and the bandit setting.",
        software=STREAMS,
        runs=(
            Runnable(
                Place.ATLAS,
                "online-tree",
                Relation.SOUND,
                "Gaussian noise on the tree's sums, for logistic regression.",
            ),
        ),
    ),
    System(
        key="distributed-online",
        title="DOLA: distributed online learning",
        paper="001",
        section=SECTION,
        source="Li, Zhou, Xiong, Wang and Wang 2018",
        references=(52,),
        family=FAMILY,
        what="Hospitals learn from their own streams and send blurred models to their neighbours.",
        claim="ε or (ε, δ), with regret of order √T or log T, as without privacy.",
    ),
)
