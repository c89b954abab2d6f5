"""Paper 001, sections III-A-1, III-A-2 and III-B-1: learning with and without outcomes.

Regression and SVM by output and objective perturbation; naive Bayes, decision trees, boosting;
clustering and principal components.
"""

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
    relative,
    sound,
)

_erm = partial(System, paper="001", section="III-B-1", family=Family.ERM)

DPPACK = Software("DPpack for R (logistic regression, SVM)")

ERM = (
    _erm(
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
    _erm(
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
    _erm(
        key="functional-logistic",
        title="Functional mechanism, logistic regression",
        source="Zhang, Zhang, Xiao, Yang and Winslett 2012",
        references=(54,),
        in_short="Holds, with far more noise than records of length 1 need.",
        what="Replaces the loss by a parabola, blurs its coefficients, then fits.",
        runs=(Runnable(Place.EXPLORE, "functional"),),
    ),
    _erm(
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
    _erm(
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
    _erm(
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
    _erm(
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
    _erm(
        key="personalised-partitioning",
        title="Partitioning by personal ε",
        source="Li, Xiong, Ji and Jiang 2017",
        references=(57,),
        what="Groups people who ask for about the same protection, and fits each group with its "
        "own ε.",
        claim="Each person's own ε, after O(n log n · n/T) or O(n) steps for groups of T.",
    ),
    _erm(
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
    _erm(
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
    _erm(
        key="test-data-kernel",
        title="Kernel SVM for all kernels",
        source="Jain and Thakurta 2013",
        references=(60,),
        what="A trusted server keeps the data and publishes only what is needed for a few test "
        "records.",
        claim="(ε, δ) for any kernel, with the number of records growing as d^⅓ instead of d.",
    ),
)


_supervised = partial(System, paper="001", section="III-A-1", family=Family.SUPERVISED)

SUPERVISED = (
    _supervised(
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
    _supervised(
        key="naive-bayes-sources",
        title="Naive Bayes over several owners",
        source="Li, Li, Liu, Li and Jia 2018",
        references=(27,),
        what="Hospitals hand in encrypted counts; the noise is added to the encrypted sum, so "
        "nobody sees another's records.",
        claim="ε for the model, and secrecy of each owner's statistics from the others.",
    ),
    _supervised(
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
    _supervised(
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
    _supervised(
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
    _supervised(
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
    _supervised(
        key="mcmc-tree",
        title="Decision trees of different depths by Markov chains",
        source="Bai, Yao, Yuan, Deng, Xie and Guan 2016",
        references=(32,),
        what="Draws a whole tree at once in a random walk, instead of one split after another.",
        claim="ε in polynomial time, with the exponential mechanism for splits and Laplace noise "
        "for leaves.",
    ),
    _supervised(
        key="smooth-forest",
        title="Random decision forest with smooth sensitivity",
        source="Fletcher and Islam 2017",
        references=(33,),
        what="Each leaf of a random forest says only its likeliest outcome, drawn by lot, instead "
        "of its counts.",
        software=(Software("diffprivlib RandomForestClassifier", note="It follows this paper."),),
        runs=(sound(Place.ATLAS, "random-forest", note="All trees on all records, composed."),),
    ),
    _supervised(
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
    _supervised(
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


_unsupervised = partial(System, paper="001", section="III-A-2", family=Family.UNSUPERVISED)

CLUSTERS = (
    Software(
        "google/differential-privacy clustering",
        note="Another private k-means, by hashing and a tree.",
    ),
    Software("opendp extras.sklearn.cluster", note="Another private k-means."),
)
COMPONENTS = (
    Software("diffprivlib PCA", note="Another mechanism, of Imtiaz and Sarwate 2016."),
    Software("opendp extras.sklearn PCA", note="Another mechanism."),
)

UNSUPERVISED = (
    _unsupervised(
        key="smooth-k-means",
        title="k-means by smooth sensitivity",
        source="Nissim, Raskhodnikova and Smith 2007",
        references=(23,),
        what="Finds groups of similar patients; clusters that stand well apart get less noise.",
        claim="Privacy with noise by local instead of worst-case sensitivity, through samples that "
        "are clustered apart.",
        software=CLUSTERS,
        breaks=("The survey notes that clustering by sample and aggregate is poor in practice.",),
        runs=(relative(Place.ATLAS, "k-means", note="Every round is blurred instead."),),
    ),
    _unsupervised(
        key="private-coresets",
        title="Private coresets",
        source="Feldman, Fiat, Kaplan and Nissim 2009",
        references=(37,),
        what="Publishes a few weighted points that stand for all records; clusters are then found "
        "from them.",
        claim="ε for the points, hence for every k-means question put to them.",
        software=CLUSTERS,
    ),
    _unsupervised(
        key="subspace-clustering",
        title="Subspace clustering",
        source="Wang, Wang and Singh 2015",
        references=(38,),
        what="Groups records by the few directions in which they vary, drawn by lot: better "
        "groupings are likelier.",
        claim="ε by the exponential mechanism over subspaces and assignments.",
    ),
    _unsupervised(
        key="k-means",
        title="DPLloyd k-means",
        source="Blum et al. 2005; Su, Cao, Li, Bertino and Jin 2016",
        references=(39, 40),
        works=("001-28", "001-39"),
        what="Finds groups of similar patients: in each round, every group's size and sum are "
        "blurred before its centre moves.",
        software=(
            Software(
                "diffprivlib KMeans",
                note="It follows Su et al. 2016; bounds that are not given it takes from the data, "
                "and warns.",
            ),
            *CLUSTERS,
        ),
        runs=(sound(Place.ATLAS, "k-means", note="Gaussian noise, composed over the rounds."),),
    ),
    _unsupervised(
        key="grid-k-means",
        title="EUGkM: k-means from a noisy grid",
        source="Su, Cao, Li, Bertino, Lyu and Jin 2016 and 2017",
        references=(39, 40),
        in_short="Holds for a grid fixed in advance.",
        what="Publishes noisy counts of a grid once; any number of clusterings is then free.",
        claim="ε by Laplace noise on every cell's count.",
        verdict=ClaimVerdict(
            Status.PROVED,
            "ε under one record more or less, for a grid fixed in advance. A record is in one "
            "cell, and the rest is post-processing.",
        ),
        runs=(relative(Place.ATLAS, "k-means", note="Every round is blurred instead."),),
    ),
    _unsupervised(
        key="compressive-k-means",
        title="Compressive k-means",
        source="Schellekens et al. 2019",
        references=(41,),
        what="Squeezes all records into one short noisy sketch and finds the clusters from that.",
        claim="ε by Laplace noise and subsampling, at least as good as earlier ones with fewer "
        "computations.",
        software=(Software("schellekensv/pycle", Upkeep.RESEARCH),),
    ),
    _unsupervised(
        key="sulq-pca",
        title="SuLQ-PCA",
        source="Blum, Dwork, McSherry and Nissim 2005",
        references=(28,),
        what="Blurs the table of how traits vary together, then reads the main directions off it.",
        software=COMPONENTS,
        runs=(sound(Place.ATLAS, "pca-gaussian", note="One Gaussian mechanism on all moments."),),
    ),
    _unsupervised(
        key="ppca",
        title="PPCA: components by the exponential mechanism",
        source="Chaudhuri, Sarwate and Sinha 2012",
        references=(42,),
        what="Draws the main directions by lot: directions that explain more are likelier.",
        claim="ε by sampling from a matrix Bingham distribution, with the number of records "
        "growing as d.",
        software=COMPONENTS,
        breaks=("Its sampler is a Markov chain that is stopped; ε is proved for its limit only.",),
        runs=(
            relative(Place.ATLAS, "pca-pure", note="δ = 0 by noise on the second moments instead."),
        ),
    ),
    _unsupervised(
        key="low-rank",
        title="Low-rank approximation",
        source="Kapralov and Talwar 2013",
        references=(44,),
        what="Peels off one main direction after another, each drawn by lot.",
        claim="ε, with a guarantee of convergence, in time O(d⁶/ε).",
    ),
    _unsupervised(
        key="wishart-pca",
        title="Wishart mechanism for components",
        source="Jiang, Xie and Zhang 2015",
        references=(45,),
        in_plain="Claimed is that nothing can go wrong beyond ε, not even by chance: δ is 0. Some "
        "results are possible with one person's record and not without it. What holds at ε = 1 is "
        "a δ of 0.29.",
        in_short="Fails: what its noise can reach moves with the data, so δ = 0 is wrong.",
        what="Blurs the covariance with random noise that is itself a covariance, so the result "
        "stays one.",
        software=COMPONENTS,
        runs=(
            Runnable(Place.ATLAS, "pca-wishart"),
            sound(Place.ATLAS, "pca-pure", note="Noise of another law that does keep δ = 0."),
        ),
    ),
    _unsupervised(
        key="smooth-pca",
        title="Components by smooth sensitivity",
        source="Gonen and Gilad-Bachrach 2017",
        references=(46,),
        what="Blurs the main directions themselves, less where they stand out clearly; sparse data "
        "stay sparse.",
        claim="Privacy by output perturbation with smooth sensitivity, without the covariance.",
    ),
    _unsupervised(
        key="distributed-pca",
        title="Distributed components with correlated noise",
        source="Imtiaz and Sarwate 2018",
        references=(47,),
        what="Hospitals share blurred covariances whose noise mostly cancels in the sum.",
        claim="(ε, δ) at the noise of one hospital that holds all records.",
        software=COMPONENTS,
        runs=(relative(Place.ATLAS, "pca-gaussian", note="All records in one place."),),
    ),
)
