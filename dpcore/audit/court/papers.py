"""Cases of papers as printed, by the package's own published editions where it has them."""

from __future__ import annotations

from functools import cache

import numpy as np

from dpcore.accounting import paper_003, paper_004
from dpcore.audit.attack import lone_record
from dpcore.audit.court.case import Array, Case, normal
from dpcore.erm.method import Calibration, Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.methods.adassp import eigenvalue_noise, weight
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Guarantee
from dpcore.mechanisms.laplace import vector_laplace
from dpcore.models.systems import pca_wishart
from dpcore.systems.literature import WORKS


def edition_of(mended: bool) -> Edition:
    return Edition.SOUND if mended else Edition.PUBLISHED


ZERO_OUT, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


GRPUA = method_named("grpua")
GRPUA_PROBLEM = Problem("huber", 1.0, 100, 2, ZERO_OUT, 0.5)


@cache
def grpua_as(edition: Edition) -> Calibration:
    """GRPUA as printed at ε = 1 and δ = 10⁻⁵, or corrected, in 20 steps, for what that claims."""
    if edition is Edition.PUBLISHED:
        return GRPUA.calibrate(GRPUA_PROBLEM, [1.0], 1e-5, edition, Settings())[0]
    claim = grpua_as(Edition.PUBLISHED).claim
    assert claim.delta is not None
    return GRPUA.calibrate(GRPUA_PROBLEM, [claim.bound], claim.delta, edition, Settings(steps=20))[
        0
    ]


def grpua(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """Weights trained on one record among 99 blank ones, projected on it."""
    pair = lone_record(GRPUA_PROBLEM.records, GRPUA_PROBLEM.dimension, ZERO_OUT)
    rows, labels = pair.first if there else pair.second
    calibration, seed = grpua_as(edition_of(mended)), int(generator.integers(2**31))
    training = Training(GRPUA_PROBLEM, rows, labels, [calibration], runs, seed)
    return np.asarray(GRPUA.release(training)[0] @ pair.direction)


PRESET = paper_003.PRESETS["chexpert-8"]
SEEN = 100
"""The last steps, with the least noise, at which the attack looks."""


def adaptive(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """Noisy sums of batches of fixed size in which all gradients are -C, but for one of +C.

    In a batch with the record the sum is 2C larger. The score is the likelihood ratio.
    """
    plan = PRESET.training.noise_on_mean() if mended else PRESET.training
    sigma = plan.schedule().each_step()[-SEEN:]
    shift, rate = 2.0 * plan.clip / sigma, plan.rate
    total = np.zeros(runs)
    for each in shift:
        sums = generator.standard_normal(runs) + there * each * (generator.random(runs) < rate)
        total += np.log1p(rate * np.expm1(np.minimum(each * sums - each**2 / 2.0, 700.0)))
    return total


LOT = 1_000
STEP = (1.0, 1e-5)


def optimised(on_mean: bool) -> float:
    """The σ of the sum of a lot by equation (9) for λ → ∞, meant for the sum or for the mean."""
    return paper_004.noise(paper_004.bound(*STEP), LOT, noise_on_mean=on_mean) or 0.0


SUMS = (50.0, 1e-6)


def adassp(edition: Edition) -> float:
    """The σ of AdaSSP's three noisy sums of one record x = y = 1 or none, by likelihood ratio.

    Of several counts of 1 or 0 with normal noise that is one such count.
    """
    problem = Problem("squared", 1.0, 2, 1, ZERO_OUT)
    made = method_named("adassp").calibrate(problem, [SUMS[0]], SUMS[1], edition, Settings())[0]
    scales = np.array([1.0, 1.0 / weight(edition, ZERO_OUT), eigenvalue_noise(edition, ZERO_OUT)])
    return float(made.sigma / np.linalg.norm(1.0 / scales))


def wishart(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """The noisy matrix of x = (1, 0) or blank: the most of x xᵀ that it leaves room for."""
    if mended:
        # Frobenius sensitivity 1, in the three coordinates of a symmetric matrix.
        return np.asarray(there + vector_laplace(generator, 3, 1.0, runs)[:, 0])
    scale = pca_wishart.scale(1.0)
    noise = np.array([pca_wishart.noise(generator, 2) for _ in range(runs)]) * scale
    noise[:, 0, 0] += there
    return np.asarray(1.0 / np.linalg.inv(noise)[:, 0, 0])


def cases() -> tuple[Case, ...]:
    return (
        Case(
            scores=grpua,
            key="paper-000",
            title="GRPUA as printed",
            library="Ding et al. (paper 000), Algorithm 2",
            source="Theorem 7",
            link=WORKS["000"].link,
            claim=grpua_as(Edition.PUBLISHED).claim,
            wrong="The query n∇f moves by up to nL, but its noise is sized for L.",
            attack="One record of norm 1 among 99 blank ones, or blank; the weights along it.",
            twin="The corrected edition, for the same claim.",
            outputs=1_000,
            origin="as it runs here: the published edition",
        ),
        Case(
            scores=adaptive,
            key="paper-003",
            title="Adaptive noise with noise on the sum",
            library="Zhang et al. (paper 003), equations (3) and (4)",
            source="section 5.2, ε = 8",
            link=WORKS["003"].link,
            claim=Guarantee(PRESET.stated, PRESET.training.delta, REPLACE, "tCDP, as printed"),
            wrong="The lemma for sampling is used beyond its conditions, and for C instead of 2C.",
            attack="One gradient +C among all others -C, or -C as well; the last noisy sums.",
            twin="The paper's other reading, Algorithm 1: the same noise on the mean.",
            outputs=80_000,
        ),
        Case(
            scores=normal(*map(optimised, (False, True))),
            key="paper-004",
            title="Optimised noise with noise on the sum",
            library="Xiang et al. (paper 004), equation (9)",
            source="equations (8) to (10)",
            link=WORKS["004"].link,
            claim=Guarantee(*STEP, Adjacency.ADD_REMOVE, "moment bound, as printed"),
            wrong="The moment of the privacy loss leaves out its second term, λ²S/2.",
            attack="A record of norm α or none; the noisy sum of one step.",
            twin="The paper's other reading, Algorithm 1: the same noise on the mean.",
            outputs=1_000,
            gaussian=True,
        ),
        Case(
            scores=normal(*map(adassp, (Edition.PUBLISHED, Edition.SOUND))),
            key="adassp",
            title="AdaSSP as printed, at a large ε",
            library="Wang 2018, Algorithm 2",
            source="arXiv 1803.02596",
            link=WORKS["adassp"].link,
            claim=Guarantee(*SUMS, Adjacency.ADD_REMOVE, "Algorithm 2, as printed"),
            wrong="Its three noises are sized by a formula that fails at a large ε.",
            attack="A record x = y = 1 or none; the three noisy sums.",
            twin="The corrected edition, by one Gaussian mechanism.",
            gaussian=True,
        ),
        Case(
            scores=wishart,
            key="wishart",
            title="Wishart noise for components",
            library="Jiang et al. 2016; diffprivlib's Wishart mechanism",
            versions="diffprivlib before 0.4",
            source="diffprivlib issue 23",
            link="https://github.com/IBM/differential-privacy-library/issues/23",
            claim=Guarantee(1.0, 0.0, ZERO_OUT, pca_wishart.PRINTED_BY),
            wrong="The noise is never negative: what it can reach moves with the record.",
            attack="A record of norm 1 or blank; how much of it the noisy matrix leaves room for.",
            twin="Noise with density exp(-ε‖Z‖), which reaches every matrix.",
        ),
    )
