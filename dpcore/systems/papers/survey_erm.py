"""Paper 001, section III-B-1: regression and SVM by output and objective perturbation."""

from __future__ import annotations

from dpcore.guarantee import Status
from dpcore.systems.system import (
    ClaimVerdict,
    Family,
    Place,
    Relation,
    Runnable,
    Software,
    System,
    Upkeep,
)

SECTION, FAMILY = "III-B-1", Family.ERM

DPPACK = Software("DPpack for R (logistic regression, SVM)")

SYSTEMS = (
    System(
        key="histogram-m-estimators",
        title="M-estimators from a noisy histogram",
        paper="001",
        section=SECTION,
        source="Lei 2011",
        references=(53,),
        family=FAMILY,
        what="Publishes blurred counts of a grid and fits the regression to records made up from "
        "them.",
        claim="ε; accurate in few dimensions only.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "ε under one record more or less, for a grid fixed in advance: a record is in one "
            "cell, and the rest is post-processing.",
        ),
    ),
    System(
        key="functional-linear",
        title="Functional mechanism, linear regression",
        paper="001",
        section=SECTION,
        source="Zhang, Zhang, Xiao, Yang and Winslett 2012",
        references=(54,),
        family=FAMILY,
        what="Blurs the coefficients of what training minimises, then fits without further noise.",
        software=(Software("diffprivlib LinearRegression", note="Do not use: see what broke."),),
        breaks=(
            "diffprivlib 0.6.6 takes the lower bound twice for the sensitivity of Σx²: with bounds "
            "(0, 1) it publishes the diagonal of XᵀX without any noise, at every ε.",
        ),
        runs=(Runnable(Place.EXPLORE, "functional", loss="squared"),),
    ),
    System(
        key="functional-logistic",
        title="Functional mechanism, logistic regression",
        paper="001",
        section=SECTION,
        source="Zhang, Zhang, Xiao, Yang and Winslett 2012",
        references=(54,),
        family=FAMILY,
        what="Replaces the loss by a parabola, blurs its coefficients, then fits.",
        runs=(Runnable(Place.EXPLORE, "functional"),),
    ),
    System(
        key="noise-reduction",
        title="Noise reduction",
        paper="001",
        section=SECTION,
        source="Ligett, Neel, Roth, Waggoner and Wu 2017",
        references=(55,),
        family=FAMILY,
        what="Publishes a very noisy model first and takes noise away until it is accurate enough.",
        claim="The ε at which it stops, not the sum of all that were tried.",
        software=(Software("the authors' code", Upkeep.RESEARCH),),
        breaks=(
            "Its ε is chosen by the data: it is a promise after the fact (ex post), not an ε fixed "
            "in advance.",
        ),
    ),
    System(
        key="output-perturbation",
        title="Output perturbation",
        paper="001",
        section=SECTION,
        source="Chaudhuri and Monteleoni 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(18, 56),
        family=FAMILY,
        what="Fits a regularised model as usual and blurs its weights once before they are "
        "published.",
        software=(DPPACK,),
        breaks=("Its proof takes the exact minimiser, which no solver returns.",),
        runs=(Runnable(Place.EXPLORE, "outpert_pure"),),
    ),
    System(
        key="objective-perturbation",
        title="Objective perturbation",
        paper="001",
        section=SECTION,
        source="Chaudhuri and Monteleoni 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(18, 56),
        family=FAMILY,
        what="Tilts what training minimises by a random amount, then fits without further noise.",
        software=(Software("diffprivlib LogisticRegression"), DPPACK),
        breaks=("Its proof takes the exact minimiser, which no solver returns.",),
        runs=(Runnable(Place.EXPLORE, "objpert_pure"),),
    ),
    System(
        key="huber-svm",
        title="Linear SVM with a Huber loss",
        paper="001",
        section=SECTION,
        source="Chaudhuri, Monteleoni and Sarwate 2011",
        references=(56,),
        family=FAMILY,
        what="A support-vector machine whose corner is rounded off, so that output and objective "
        "perturbation apply.",
        claim="ε, as for logistic regression.",
        software=(DPPACK,),
        runs=(
            Runnable(
                Place.EXPLORE,
                "objpert_pure",
                Relation.SOUND,
                loss="huber",
            ),
        ),
    ),
    System(
        key="personalised-partitioning",
        title="Partitioning by personal ε",
        paper="001",
        section=SECTION,
        source="Li, Xiong, Ji and Jiang 2017",
        references=(57,),
        family=FAMILY,
        what="Groups people who ask for about the same protection, and fits each group with its "
        "own ε.",
        claim="Each person's own ε, in O(n log n · n/T) or O(n) steps for groups of at least T.",
    ),
    System(
        key="random-features",
        title="Kernel SVM by random features",
        paper="001",
        section=SECTION,
        source="Rahimi and Recht 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(56, 58),
        family=FAMILY,
        what="Turns each record into random waves that do not depend on the data, so that a "
        "straight model can draw curved borders.",
        claim="ε of the linear method that is run on the random features.",
        software=(Software("DPpack for R svmDP"),),
        runs=(
            Runnable(
                Place.EXPLORE,
                "objpert_pure",
                Relation.SOUND,
                "Objective perturbation on random waves that do not depend on the data.",
                features="fourier",
            ),
        ),
    ),
    System(
        key="random-rkhs",
        title="Kernel SVM in a random function space",
        paper="001",
        section=SECTION,
        source="Rubinstein, Bartlett, Huang and Taft 2009",
        references=(59,),
        family=FAMILY,
        what="Fits a support-vector machine on random features and blurs its weights once.",
        claim="ε by Laplace noise on the weights, for translation-invariant kernels.",
        runs=(
            Runnable(
                Place.EXPLORE,
                "outpert_pure",
                Relation.SOUND,
                "Noise by L2 distance, a smoothed corner, and the solver's error counted in.",
                loss="huber",
                features="fourier",
            ),
        ),
    ),
    System(
        key="test-data-kernel",
        title="Kernel SVM for all kernels",
        paper="001",
        section=SECTION,
        source="Jain and Thakurta 2013",
        references=(60,),
        family=FAMILY,
        what="A trusted server keeps the data and publishes only what is needed for a few test "
        "records.",
        claim="(ε, δ) for any kernel, with the number of records growing as d^⅓ instead of d.",
    ),
)
