"""Paper 001, section III-A-1: naive Bayes, decision trees, boosting."""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import ClaimVerdict, Family, Place, Software, System, relative, sound

described = partial(System, paper="001", section="III-A-1", family=Family.SUPERVISED)

SYSTEMS = (
    described(
        key="naive-bayes",
        title="Naive Bayes",
        source="Vaidya, Shafiq, Basu and Hong 2013",
        references=(26,),
        what="Counts how often each trait goes with each outcome, blurs the counts, and predicts "
        "from them.",
        software=(
            Software(
                "diffprivlib GaussianNB",
                note="It follows this paper; bounds that are not given it takes from the data, and "
                "warns.",
            ),
        ),
        runs=(
            sound(
                Place.ATLAS, "naive-bayes", note="One Gaussian mechanism on all counts and sums."
            ),
        ),
    ),
    described(
        key="naive-bayes-sources",
        title="Naive Bayes over several owners",
        source="Li, Li, Liu, Li and Jia 2018",
        references=(27,),
        what="Hospitals hand in encrypted counts; the noise is added to the encrypted sum, so "
        "nobody sees another's records.",
        claim="ε for the model, and secrecy of each owner's statistics from the others.",
    ),
    described(
        key="sulq-tree",
        title="SuLQ-ID3 decision tree",
        source="Blum, Dwork, McSherry and Nissim 2005",
        references=(28,),
        what="Grows a decision tree by asking the data only noisy questions about each split.",
        claim="ε, with noise on every information gain; traits must be categories.",
        runs=(
            relative(
                Place.ATLAS,
                "decision-tree",
                note="Splits are drawn by the exponential mechanism instead.",
            ),
        ),
    ),
    described(
        key="friedman-schuster-tree",
        title="Decision tree with exponential mechanism",
        source="Friedman and Schuster 2010",
        references=(29,),
        what="Grows a decision tree whose splits are drawn by lot: better splits are likelier, and "
        "no single patient decides.",
        runs=(
            sound(
                Place.ATLAS,
                "decision-tree",
                note="Every choice by the exponential mechanism, among public candidates.",
            ),
        ),
    ),
    described(
        key="random-decision-tree",
        title="Random decision trees",
        source="Jagannathan, Pillaipakkamnatt and Wright 2009",
        references=(30,),
        in_short="Holds for each tree; the ε of the trees in a forest add up.",
        what="Draws the trees' questions at random, without the data, and spends all noise on the "
        "counts in the leaves.",
        claim="ε, with Laplace noise of scale 1/ε on the vector of leaf counts of a tree.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "ε for each tree under one record more or less: a record is in one leaf. The trees of "
            "a forest add up.",
        ),
        runs=(
            relative(
                Place.ATLAS,
                "random-forest",
                note="Leaves say their likeliest outcome instead of their counts.",
            ),
        ),
    ),
    described(
        key="rana-forest",
        title="Random forest of necessary statistics",
        source="Rana, Gupta and Venkatesh 2015",
        references=(31,),
        what="A forest that protects only the statistics it needs, and so gets by with less noise.",
        claim="Higher accuracy than ε-private forests, by protecting less than the whole "
        "distribution of the data.",
        breaks=(
            "By its own aim it protects less than ε-differential privacy does. So its figures do "
            "not compare with those of the other trees.",
        ),
    ),
    described(
        key="mcmc-tree",
        title="Decision trees of different depths by Markov chains",
        source="Bai, Yao, Yuan, Deng, Xie and Guan 2016",
        references=(32,),
        what="Draws a whole tree at once in a random walk, instead of one split after another.",
        claim="ε in polynomial time, with the exponential mechanism for splits and Laplace noise "
        "for leaves.",
    ),
    described(
        key="smooth-forest",
        title="Random decision forest with smooth sensitivity",
        source="Fletcher and Islam 2017",
        references=(33,),
        what="Each leaf of a random forest says only its likeliest outcome, drawn by lot, instead "
        "of its counts.",
        software=(Software("diffprivlib RandomForestClassifier", note="It follows this paper."),),
        runs=(sound(Place.ATLAS, "random-forest", note="All trees on all records, composed."),),
    ),
    described(
        key="tree-ensemble",
        title="Bagged decision trees",
        source="Liu, Li, Li and Chen 2018",
        references=(34,),
        what="Averages several private trees; splits near the root get the smaller part of the "
        "budget.",
        claim="ε, with steadier accuracy than a single tree.",
        runs=(
            relative(
                Place.ATLAS,
                "random-forest",
                note="Leaves say their likeliest outcome instead of their counts.",
            ),
        ),
    ),
    described(
        key="boosting-queries",
        title="Boosting for queries",
        source="Dwork, Rothblum and Vadhan 2010",
        references=(36,),
        what="Combines many rough private answers into good answers to a large set of questions.",
        claim="(ε, δ), with almost no loss of accuracy against the weak answers it combines.",
        software=(
            Software(
                "smartnoise-synth MWEM",
                note="A relative: it improves one noisy table where its answers are worst.",
            ),
        ),
    ),
)
