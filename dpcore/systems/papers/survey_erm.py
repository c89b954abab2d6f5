"""Paper 001, section III-B-1: regression and SVM by output and objective perturbation."""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Status
from dpcore.systems.system import (
    ClaimVerdict,
    Family,
    Place,
    Runnable,
    Software,
    System,
    Upkeep,
    sound,
)

described = partial(System, paper="001", section="III-B-1", family=Family.ERM)

DPPACK = Software("DPpack for R (logistic regression, SVM)")

SYSTEMS = (
    described(
        key="histogram-m-estimators",
        title="M-estimators from a noisy histogram",
        source="Lei 2011",
        references=(53,),
        in_short="Holds for a grid fixed in advance.",
        what="Publishes blurred counts of a grid and fits the regression to records made up from "
        "them.",
        claim="ε; accurate in few dimensions only.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "ε under one record more or less, for a grid fixed in advance. A record is in one "
            "cell, and the rest is post-processing.",
        ),
    ),
    described(
        key="functional-linear",
        title="Functional mechanism, linear regression",
        source="Zhang, Zhang, Xiao, Yang and Winslett 2012",
        references=(54,),
        in_short="Holds, with far more noise than records of length 1 need.",
        what="Blurs the coefficients of what training minimises, then fits without further noise.",
        software=(Software("diffprivlib LinearRegression", note="Do not use: it leaks."),),
        leaks=(
            "diffprivlib 0.6.6 takes the lower bound twice for the sensitivity of Σx². With "
            "bounds (0, 1) it publishes the diagonal of XᵀX without any noise, at every ε.",
        ),
        runs=(Runnable(Place.EXPLORE, "functional", loss="squared"),),
    ),
    described(
        key="functional-logistic",
        title="Functional mechanism, logistic regression",
        source="Zhang, Zhang, Xiao, Yang and Winslett 2012",
        references=(54,),
        in_short="Holds, with far more noise than records of length 1 need.",
        what="Replaces the loss by a parabola, blurs its coefficients, then fits.",
        runs=(Runnable(Place.EXPLORE, "functional"),),
    ),
    described(
        key="noise-reduction",
        title="Noise reduction",
        source="Ligett, Neel, Roth, Waggoner and Wu 2017",
        references=(55,),
        what="Publishes a very noisy model first and takes noise away until it is accurate enough.",
        claim="The ε at which it stops, not the sum of all that were tried.",
        software=(Software("the authors' code", Upkeep.RESEARCH),),
        breaks=(
            "Its ε is chosen by the data. It is a promise after the fact (ex post), not an ε "
            "fixed in advance.",
        ),
    ),
    described(
        key="output-perturbation",
        title="Output perturbation",
        source="Chaudhuri and Monteleoni 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(18, 56),
        in_short="Holds only for the exact minimum, which no solver returns.",
        what="Fits a regularised model as usual and blurs its weights once before they are "
        "published.",
        software=(DPPACK,),
        breaks=("Its proof takes the exact minimiser, which no solver returns.",),
        runs=(Runnable(Place.EXPLORE, "outpert_pure"),),
    ),
    described(
        key="objective-perturbation",
        title="Objective perturbation",
        source="Chaudhuri and Monteleoni 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(18, 56),
        in_short="Holds only for the exact minimum, which no solver returns.",
        what="Tilts what training minimises by a random amount, then fits without further noise.",
        software=(Software("diffprivlib LogisticRegression"), DPPACK),
        breaks=("Its proof takes the exact minimiser, which no solver returns.",),
        runs=(Runnable(Place.EXPLORE, "objpert_pure"),),
    ),
    described(
        key="huber-svm",
        title="Linear SVM with a Huber loss",
        source="Chaudhuri, Monteleoni and Sarwate 2011",
        references=(56,),
        what="A support-vector machine whose corner is rounded off, so that output and objective "
        "perturbation apply.",
        claim="ε, as for logistic regression.",
        software=(DPPACK,),
        runs=(sound(Place.EXPLORE, "objpert_pure", loss="huber"),),
    ),
    described(
        key="personalised-partitioning",
        title="Partitioning by personal ε",
        source="Li, Xiong, Ji and Jiang 2017",
        references=(57,),
        what="Groups people who ask for about the same protection, and fits each group with its "
        "own ε.",
        claim="Each person's own ε, after O(n log n · n/T) or O(n) steps for groups of T.",
    ),
    described(
        key="random-features",
        title="Kernel SVM by random features",
        source="Rahimi and Recht 2008; Chaudhuri, Monteleoni and Sarwate 2011",
        references=(56, 58),
        what="Turns each record into random waves, so that a straight model can draw curved "
        "borders.",
        claim="ε of the linear method that is run on the random features.",
        software=(Software("DPpack for R svmDP"),),
        runs=(
            sound(
                Place.EXPLORE,
                "objpert_pure",
                note="Objective perturbation on random waves that do not depend on the data.",
                features="fourier",
            ),
        ),
    ),
    described(
        key="random-rkhs",
        title="Kernel SVM in a random function space",
        source="Rubinstein, Bartlett, Huang and Taft 2009",
        references=(59,),
        what="Fits a support-vector machine on random features and blurs its weights once.",
        claim="ε by Laplace noise on the weights, for translation-invariant kernels.",
        runs=(
            sound(
                Place.EXPLORE,
                "outpert_pure",
                note="Noise by L2 distance, a smoothed corner, and the solver's error counted in.",
                loss="huber",
                features="fourier",
            ),
        ),
    ),
    described(
        key="test-data-kernel",
        title="Kernel SVM for all kernels",
        source="Jain and Thakurta 2013",
        references=(60,),
        what="A trusted server keeps the data and publishes only what is needed for a few test "
        "records.",
        claim="(ε, δ) for any kernel, with the number of records growing as d^⅓ instead of d.",
    ),
)
