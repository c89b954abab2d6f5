"""Paper 001, section III-A-3: online learning."""

from __future__ import annotations

from functools import partial

from dpcore.systems.system import Family, Place, Software, System, relative, sound

described = partial(System, paper="001", section="III-A-3", family=Family.ONLINE)

STREAMS = (
    Software("jax-privacy matrix factorisation", note="The modern successor, DP-FTRL."),
    Software("tensorflow-privacy dp_query", note="Tree aggregation, the modern successor."),
)

SYSTEMS = (
    described(
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
    described(
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
    described(
        key="distributed-online",
        title="DOLA: distributed online learning",
        source="Li, Zhou, Xiong, Wang and Wang 2018",
        references=(52,),
        what="Hospitals learn from their own streams and send blurred models to their neighbours.",
        claim="ε or (ε, δ), with regret of order √T or log T, as without privacy.",
    ),
)
