"""Paper 001, section III-A-2: clustering and principal components."""

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

described = partial(System, paper="001", section="III-A-2", family=Family.UNSUPERVISED)

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

SYSTEMS = (
    described(
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
    described(
        key="private-coresets",
        title="Private coresets",
        source="Feldman, Fiat, Kaplan and Nissim 2009",
        references=(37,),
        what="Publishes a few weighted points that stand for all records; clusters are then found "
        "from them.",
        claim="ε for the points, hence for every k-means question put to them.",
        software=CLUSTERS,
    ),
    described(
        key="subspace-clustering",
        title="Subspace clustering",
        source="Wang, Wang and Singh 2015",
        references=(38,),
        what="Groups records by the few directions in which they vary, drawn by lot: better "
        "groupings are likelier.",
        claim="ε by the exponential mechanism over subspaces and assignments.",
    ),
    described(
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
    described(
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
    described(
        key="compressive-k-means",
        title="Compressive k-means",
        source="Schellekens et al. 2019",
        references=(41,),
        what="Squeezes all records into one short noisy sketch and finds the clusters from that.",
        claim="ε by Laplace noise and subsampling, at least as good as earlier ones with fewer "
        "computations.",
        software=(Software("schellekensv/pycle", Upkeep.RESEARCH),),
    ),
    described(
        key="sulq-pca",
        title="SuLQ-PCA",
        source="Blum, Dwork, McSherry and Nissim 2005",
        references=(28,),
        what="Blurs the table of how traits vary together, then reads the main directions off it.",
        software=COMPONENTS,
        runs=(sound(Place.ATLAS, "pca-gaussian", note="One Gaussian mechanism on all moments."),),
    ),
    described(
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
    described(
        key="low-rank",
        title="Low-rank approximation",
        source="Kapralov and Talwar 2013",
        references=(44,),
        what="Peels off one main direction after another, each drawn by lot.",
        claim="ε, with a guarantee of convergence, in time O(d⁶/ε).",
    ),
    described(
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
    described(
        key="smooth-pca",
        title="Components by smooth sensitivity",
        source="Gonen and Gilad-Bachrach 2017",
        references=(46,),
        what="Blurs the main directions themselves, less where they stand out clearly; sparse data "
        "stay sparse.",
        claim="Privacy by output perturbation with smooth sensitivity, without the covariance.",
    ),
    described(
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
