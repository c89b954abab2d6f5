"""Where the systems are printed: title, year and link of every paper. Nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    title: str
    year: int
    # its DOI as an address, or the address of its publisher or archive
    link: str

    @property
    def link_name(self) -> str:
        """The DOI or the number in an archive, or else the site's name: short enough to show."""
        address = self.link.removeprefix("https://")
        return address if address.startswith(("doi.org", "arxiv.org")) else address.split("/")[0]


def _doi(title: str, year: int, doi: str) -> Work:
    return Work(title, year, f"https://doi.org/{doi}")


def _arxiv(title: str, year: int, number: str) -> Work:
    return Work(title, year, f"https://arxiv.org/abs/{number}")


_ABADI = _doi("Deep learning with differential privacy", 2016, "10.1145/2976749.2978318")

_SURVEY = {
    14: _doi(
        "Calibrating noise to sensitivity in private data analysis", 2006, "10.1007/11681878_14"
    ),
    17: _doi("Mechanism design via differential privacy", 2007, "10.1109/FOCS.2007.66"),
    18: Work(
        "Privacy-preserving logistic regression",
        2008,
        "https://papers.nips.cc/paper/3486-privacy-preserving-logistic-regression",
    ),
    19: _doi("The algorithmic foundations of differential privacy", 2014, "10.1561/0400000042"),
    22: _doi(
        "Privacy integrated queries: an extensible platform for privacy-preserving data analysis",
        2010,
        "10.1145/1810891.1810916",
    ),
    23: _doi(
        "Smooth sensitivity and sampling in private data analysis", 2007, "10.1145/1250790.1250803"
    ),
    26: _doi("Differentially private naive Bayes classification", 2013, "10.1109/WI-IAT.2013.80"),
    27: _doi(
        "Differentially private naive Bayes learning over multiple data sources",
        2018,
        "10.1016/j.ins.2018.02.056",
    ),
    28: _doi("Practical privacy: the SuLQ framework", 2005, "10.1145/1065167.1065184"),
    29: _doi("Data mining with differential privacy", 2010, "10.1145/1835804.1835868"),
    30: _doi(
        "A practical differentially private random decision tree classifier",
        2009,
        "10.1109/ICDMW.2009.93",
    ),
    31: _doi(
        "Differentially private random forest with high utility", 2015, "10.1109/ICDM.2015.76"
    ),
    32: _doi(
        "Embedding differential privacy in decision tree algorithm with different depths",
        2016,
        "10.1007/s11432-016-0442-1",
    ),
    33: _doi(
        "Differentially private random decision forests using smooth sensitivity",
        2017,
        "10.1016/j.eswa.2017.01.034",
    ),
    34: _doi(
        "Differentially private classification with decision tree ensemble",
        2018,
        "10.1016/j.asoc.2017.09.010",
    ),
    36: _doi("Boosting and differential privacy", 2010, "10.1109/FOCS.2010.12"),
    37: _doi("Private coresets", 2009, "10.1145/1536414.1536465"),
    38: Work(
        "Differentially private subspace clustering",
        2015,
        "https://papers.nips.cc/paper/5991-differentially-private-subspace-clustering",
    ),
    39: _doi("Differentially private k-means clustering", 2016, "10.1145/2857705.2857708"),
    40: _doi(
        "Differentially private k-means clustering and a hybrid approach to private optimization",
        2017,
        "10.1145/3133201",
    ),
    41: _doi("Differentially private compressive k-means", 2019, "10.1109/ICASSP.2019.8682829"),
    42: _arxiv(
        "Near-optimal algorithms for differentially-private principal components",
        2012,
        "1207.2812",
    ),
    44: _doi(
        "On differentially private low rank approximation", 2013, "10.1137/1.9781611973105.101"
    ),
    45: _arxiv(
        "Wishart mechanism for differentially private principal components analysis",
        2015,
        "1511.05680",
    ),
    46: _arxiv(
        "Smooth sensitivity based approach for differentially private principal component analysis",
        2017,
        "1710.10556",
    ),
    47: _arxiv(
        "Distributed differentially-private algorithms for matrix and tensor factorization",
        2018,
        "1804.10299",
    ),
    48: Work(
        "Differentially private online learning",
        2012,
        "https://proceedings.mlr.press/v23/jain12.html",
    ),
    51: _arxiv("The price of differential privacy for online learning", 2017, "1701.07953"),
    52: _doi(
        "Differentially private distributed online learning", 2018, "10.1109/TKDE.2018.2794384"
    ),
    53: Work(
        "Differentially private M-estimators",
        2011,
        "https://papers.nips.cc/paper/4376-differentially-private-m-estimators",
    ),
    54: _arxiv(
        "Functional mechanism: regression analysis under differential privacy", 2012, "1208.0219"
    ),
    55: _arxiv(
        "Accuracy first: selecting a differential privacy level for accuracy-constrained ERM",
        2017,
        "1705.10829",
    ),
    56: _arxiv("Differentially private empirical risk minimization", 2011, "0912.0071"),
    57: _doi(
        "Partitioning-based mechanisms under personalized differential privacy",
        2017,
        "10.1007/978-3-319-57454-7_48",
    ),
    58: Work(
        "Random features for large-scale kernel machines",
        2008,
        "https://papers.nips.cc/paper/3182-random-features-for-large-scale-kernel-machines",
    ),
    59: _arxiv(
        "Learning in a large function space: privacy-preserving mechanisms for SVM learning",
        2009,
        "0911.5708",
    ),
    60: Work(
        "Differentially private learning with kernels",
        2013,
        "https://proceedings.mlr.press/v28/jain13.html",
    ),
    61: _doi("Differentially private distributed optimization", 2015, "10.1145/2684464.2684480"),
    62: _doi(
        "Differentially private distributed convex optimization via functional perturbation",
        2018,
        "10.1109/TCNS.2016.2614100",
    ),
    64: _doi(
        "A learning theory approach to non-interactive database privacy",
        2008,
        "10.1145/1374376.1374464",
    ),
    65: _doi("What can we learn privately?", 2011, "10.1137/090756090"),
    66: _doi(
        "Bounds on the sample complexity for private learning and private data release",
        2013,
        "10.1007/s10994-013-5404-1",
    ),
    67: _doi(
        "Characterizing the sample complexity of private learners", 2013, "10.1145/2422436.2422450"
    ),
    68: Work(
        "Sample complexity bounds for differentially private learning",
        2011,
        "https://proceedings.mlr.press/v19/chaudhuri11a.html",
    ),
    69: _doi(
        "Learning privately with labeled and unlabeled examples",
        2015,
        "10.1137/1.9781611973730.32",
    ),
    70: _doi(
        "Private learning and sanitization: pure vs. approximate differential privacy",
        2013,
        "10.1007/978-3-642-40328-6_26",
    ),
    71: _doi(
        "Differentially private release and learning of threshold functions",
        2015,
        "10.1109/FOCS.2015.45",
    ),
    72: _doi(
        "Stochastic gradient descent with differentially private updates",
        2013,
        "10.1109/GlobalSIP.2013.6736861",
    ),
    73: _ABADI,
    74: Work(
        "Private collaborative neural network learning", 2017, "https://eprint.iacr.org/2017/762"
    ),
    75: _arxiv(
        "Learning differentially private language models without losing accuracy",
        2017,
        "1710.06963",
    ),
    76: _arxiv("Differentially private mixture of generative neural networks", 2017, "1709.04514"),
    77: _doi(
        "A unified framework of differentially private synthetic data release with generative "
        "adversarial network",
        2017,
        "10.1145/3133956.3138823",
    ),
    78: _doi(
        "Privacy-preserving generative deep neural networks support clinical data sharing",
        2017,
        "10.1101/159756",
    ),
    79: _arxiv("Differentially private releasing via deep generative model", 2018, "1801.01594"),
    80: _arxiv("Differentially private generative adversarial network", 2018, "1802.06739"),
    81: _doi("Privacy-preserving deep learning", 2015, "10.1145/2810103.2813687"),
    82: _doi(
        "Adaptive Laplace mechanism: differential privacy preservation in deep learning",
        2017,
        "10.1109/ICDM.2017.48",
    ),
    83: _doi("Private, yet practical, multiparty deep learning", 2017, "10.1109/ICDCS.2017.215"),
    84: _arxiv(
        "Semi-supervised knowledge transfer for deep learning from private training data",
        2017,
        "1610.05755",
    ),
    86: _arxiv("Scalable private learning with PATE", 2018, "1802.08908"),
    88: Work(
        "PATE-GAN: generating synthetic data with differential privacy guarantees",
        2019,
        "https://openreview.net/forum?id=S1zk9iRqF7",
    ),
    89: _doi(
        "GANobfuscator: mitigating information leakage under GAN via differential privacy",
        2019,
        "10.1109/TIFS.2019.2897874",
    ),
    91: Work(
        "Differential privacy preservation for deep auto-encoders: an application of human "
        "behavior prediction",
        2016,
        "https://dl.acm.org/citation.cfm?id=3016005",
    ),
    93: _doi(
        "Preserving differential privacy in convolutional deep belief networks",
        2017,
        "10.1007/s10994-017-5656-2",
    ),
    94: _doi(
        "DPNE: differentially private network embedding", 2018, "10.1007/978-3-319-93037-4_19"
    ),
}

WORKS: dict[str, Work] = {
    "000": _doi(
        "Private empirical risk minimization with analytic Gaussian mechanism for healthcare "
        "system",
        2020,
        "10.1109/TBDATA.2020.2997732",
    ),
    "001": _doi(
        "A survey on differentially private machine learning", 2020, "10.1109/MCI.2020.2976185"
    ),
    "002": _arxiv(
        "Differentially private empirical risk minimization with input perturbation",
        2017,
        "1710.07425",
    ),
    "003": Work(
        "Adaptive privacy preserving deep learning algorithms for medical data",
        2021,
        "https://openaccess.thecvf.com/content/WACV2021/html/Zhang_Adaptive_Privacy_Preserving_"
        "Deep_Learning_Algorithms_for_Medical_Data_WACV_2021_paper.html",
    ),
    "004": _doi(
        "Differentially-private deep learning from an optimization perspective",
        2019,
        "10.1109/INFOCOM.2019.8737494",
    ),
    "000-10": _arxiv("Efficient private ERM for smooth objectives", 2017, "1703.09947"),
    "000-12": _doi(
        "Private empirical risk minimization: efficient algorithms and tight error bounds",
        2014,
        "10.1109/FOCS.2014.56",
    ),
    "000-13": _arxiv(
        "Improving the Gaussian mechanism for differential privacy: analytical calibration and "
        "optimal denoising",
        2018,
        "1805.06530",
    ),
    **{f"001-{number}": work for number, work in _SURVEY.items()},
    "002-chaudhuri": _SURVEY[56],
    "002-kifer": Work(
        "Private convex empirical risk minimization and high-dimensional regression",
        2012,
        "https://proceedings.mlr.press/v23/kifer12.html",
    ),
    "003-1": _ABADI,
    "003-4": _doi(
        "Composable and versatile privacy via truncated CDP", 2018, "10.1145/3188745.3188946"
    ),
    "004-8": _ABADI,
    "renyi": _arxiv("Rényi differential privacy", 2017, "1702.07476"),
    "fourier": _arxiv(
        "Computing tight differential privacy guarantees using FFT", 2020, "1906.03049"
    ),
    "numerical": _arxiv("Numerical composition of differential privacy", 2021, "2106.02848"),
    "second-order": _arxiv(
        "Faster differentially private convex optimization via second-order methods",
        2023,
        "2305.13209",
    ),
    "gaussian-dp": _arxiv("Gaussian differential privacy", 2022, "1905.02383"),
    "practical-convex": _doi(
        "Towards practical differentially private convex optimization",
        2019,
        "10.1109/SP.2019.00001",
    ),
    "adassp": _arxiv(
        "Revisiting differentially private linear regression: optimal and adaptive prediction and "
        "estimation in unbounded domain",
        2018,
        "1803.02596",
    ),
    "bolt-on": _doi(
        "Bolt-on differential privacy for scalable stochastic gradient descent-based analytics",
        2017,
        "10.1145/3035918.3064047",
    ),
    "ftrl": _arxiv(
        "Practical and private (deep) learning without sampling or shuffling", 2021, "2103.00039"
    ),
    "adaptive-streams": _arxiv(
        "Improved differential privacy for SGD via optimal private linear operators on adaptive "
        "streams",
        2022,
        "2202.08312",
    ),
    "ctgan": _arxiv(
        "Differentially private synthetic data: applied evaluations and enhancements",
        2020,
        "2011.05537",
    ),
    "nist": _arxiv(
        "Winning the NIST contest: a scalable and general approach to differentially private "
        "synthetic data",
        2021,
        "2108.04978",
    ),
    "adaclip": _arxiv("AdaCliP: adaptive clipping for private SGD", 2019, "1908.07643"),
    "features": _arxiv(
        "Differentially private learning needs better features (or much more data)",
        2021,
        "2011.11660",
    ),
}
"""By key: a paper's number, that and the number in its list of references, or a name."""
