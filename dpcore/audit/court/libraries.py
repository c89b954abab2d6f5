"""Cases of libraries: what was not clipped, not counted, not paid for, or drawn twice."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from dpcore.audit.court.case import Array, Case, normal
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.mechanisms.gaussian import analytic_sigma, classical_sigma
from dpcore.mechanisms.laplace import vector_laplace

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
DIFFPRIVLIB, ISSUES = "diffprivlib", "https://github.com/IBM/differential-privacy-library/issues/"


def covariance(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """The noisy variance of a column in [0, 1] by smartnoise-synth's rule, three of which share ε.

    The record is 1 000, or 0 as all others.
    """
    column = np.zeros(20)
    column[0] = 1_000.0 * there
    value = np.var(np.clip(column, 0.0, 1.0) if mended else column, ddof=1)
    return np.asarray(value + generator.laplace(0.0, 2.0 / len(column) * 3.0, runs))


def zero_sensitivity(
    generator: np.random.Generator, there: bool, runs: int, *, mended: bool
) -> Array:
    """Linear regression on one column in [0, 100], y in [0, 1]: -ln|w| of w = Σxy/Σx².

    Each of the three sums has a third of ε = 1. The record is (100, 0), or (1, 0) as the other.
    """
    products = generator.laplace(0.0, 3.0 * 100.0, runs)
    noise = generator.laplace(0.0, 3.0 * 100.0**2, runs) if mended else 0.0
    squares = np.abs(1.0 + (100.0 if there else 1.0) ** 2 + noise)
    return np.asarray(np.log(squares) - np.log(np.abs(products)))


CENTRED = 3.0  # ε
CENTRED_RECORDS = 10


def centring(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """Linear regression centred by noisy means, x and y in [0, 1]: its likelihood ratio.

    The record is (1, 1), or (0, 0) as all others. The means have half of ε = 3 each, and so have
    Σxy, Σx² and Σy² of what is centred, together; mended, each mean has a quarter.
    """
    one = 1.0 / CENTRED_RECORDS
    scale = one * (4.0 if mended else 2.0) / CENTRED
    means = np.clip(there * one + generator.laplace(0.0, scale, (2, runs)), 0.0, 1.0)
    score = ((np.abs(means) - np.abs(means - one)) / scale).sum(axis=0)
    a, b = means
    corners = np.stack([a * b, (1.0 - a) * (1.0 - b), a * (b - 1.0), (a - 1.0) * b])
    squares, wide = np.maximum(means, 1.0 - means) ** 2, np.ptp(corners, axis=0)
    # What the record adds to each sum if it is (0, 0), or (1, 1), and the sensitivity of that.
    sums = ((a * b, corners[1], wide), *zip(means**2, (1.0 - means) ** 2, squares, strict=True))
    for place, (without, with_it, sensitivity) in enumerate(sums):
        width = sensitivity * 3.0 / (CENTRED / 2.0)
        noisy = (with_it if there else without) + width * generator.laplace(0.0, 1.0, runs)
        others = (CENTRED_RECORDS - 1) * without
        if place:  # a sum of squares below 0 is reflected
            noisy = np.abs(noisy + others) - others
        for sign, value in ((1.0, with_it), (-1.0, without)):
            density = -np.abs(noisy - value) / width
            if place:
                density = np.logaddexp(density, -(noisy + 2.0 * others + value) / width)
            score += sign * density
    return np.asarray(score)


OUTER, INNER = np.array([-1.0, 1.0, -1.0]), np.array([-1.0, 1.0, 0.0])
LABELS = np.array([1.0, 0.0, 1.0])
RIDGE, FITTED = 0.4, 2.0  # 1/C, and ε


def intercept(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """Logistic regression with an intercept: the likelihood ratio of its slope and intercept.

    The last of three records has x = 0, or -1 as the first. A steep slope between the others leaves
    no curvature but that of a record at 0, and the ridge, which leaves out the intercept.
    """
    squared = 2.0 if mended else math.sqrt(2.0)  # the bound of ‖(x, 1)‖², or of its root
    scale = 2.0 * math.sqrt(2.0) / (FITTED - 2.0 * math.log1p(0.25 * squared / RIDGE))
    ridge = np.array([RIDGE, RIDGE if mended else 0.0])
    noise = vector_laplace(generator, 2, scale, runs)
    weights = minimiser(INNER if there else OUTER, noise, ridge)
    ratio = fit_density(weights, INNER, ridge, scale) - fit_density(weights, OUTER, ridge, scale)
    # Under more noise the intercept has no minimum, and tells nothing.
    bounded = mended | ((noise[:, 1] > -1.0) & (noise[:, 1] < 2.0))
    return np.asarray(np.where(bounded, ratio, 0.0))


def derivatives(weights: Array, points: Array, ridge: Array) -> tuple[Array, Array]:
    """Gradient (runs, 2) and Hessian (runs, 2, 2) of the loss without noise."""
    rows = np.stack([points, np.ones(3)], axis=1)
    likely = special.expit(weights @ rows.T)
    curvature = np.einsum("rn,ni,nj->rij", likely * (1.0 - likely), rows, rows)
    return (likely - LABELS) @ rows + ridge * weights, curvature + np.diag(ridge)


def minimiser(points: Array, noise: Array, ridge: Array) -> Array:
    """The slope and intercept with the least perturbed loss, by Newton's steps that are damped."""
    weights = np.zeros_like(noise)
    for _ in range(100):
        gradient, hessian = derivatives(weights, points, ridge)
        # The loss is self-concordant with constant ‖(x, 1)‖ ≤ √2; far off it has no curvature left.
        step = np.linalg.solve(hessian + 1e-9 * np.eye(2), (gradient + noise)[..., None])[..., 0]
        length = math.sqrt(2.0) * np.linalg.norm(step, axis=1, keepdims=True) + 1e-12
        weights -= step * np.log1p(length) / length
        if length.max() < 1e-9:
            break
    return weights


def fit_density(weights: Array, points: Array, ridge: Array, scale: float) -> Array:
    """The logarithm of the density of outputs: that of the only noise that leads to each."""
    gradient, hessian = derivatives(weights, points, ridge)
    jacobian = np.linalg.slogdet(hessian + 1e-300 * np.eye(2))[1]
    return np.asarray(jacobian - np.linalg.norm(gradient, axis=1) / scale)


def same_noise(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """Two releases of one count, with noise for ε = ½ and for ε = 1: what both together tell."""
    noise = generator.laplace(0.0, 1.0, (2, runs))
    coarse, fine = there + 2.0 * noise[0], there + noise[1 if mended else 0]
    return np.asarray(2.0 * fine - coarse)


def low_bits(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """A count of 1 or 0 with Laplace noise: whether the output is a double that 1 cannot lead to.

    Doubles below ½ are as fine as 2⁻⁵⁴ and finer; 1 + z, for z in [-1.5, -½], is a multiple of
    2⁻⁵³. Mended, the noise is a multiple of 2⁻¹⁰ with the same law: a difference of two geometric
    numbers, whose ratio is e^(-ε 2⁻¹⁰).
    """
    if mended:
        drawn = generator.geometric(-math.expm1(-(2.0**-10)), (2, runs))
        output = (drawn[0] - drawn[1]) * 2.0**-10 + (not there)
    else:
        output = generator.laplace(0.0, 1.0, runs) + (not there)
    return np.asarray((np.abs(output) < 0.5) & (output * 2.0**53 % 1.0 != 0.0), dtype=float)


LARGE = (20.0, 1e-5)


TUNED, TRAININGS = (1.0, 1e-5), 100


def tuned(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """The one of 100 noisy models that suits the record best; without it the first.

    Mended, all are paid for, and the largest of what was released is chosen.
    """
    sigma = analytic_sigma(*TUNED) * (math.sqrt(TRAININGS) if mended else 1.0)
    models = there + sigma * generator.standard_normal((runs, TRAININGS))
    return np.asarray(models.max(axis=1) if there or mended else models[:, 0])


def cases() -> tuple[Case, ...]:
    return (
        Case(
            scores=covariance,
            key="unclipped-covariance",
            title="A covariance of values that were not clipped",
            library="smartnoise-synth",
            versions="up to 1.0.5",
            source="smartnoise-sdk issue 622",
            link="https://github.com/opendp/smartnoise-sdk/issues/622",
            claim=Guarantee(1.0, 0.0, REPLACE, "Laplace mechanism, three covariances"),
            wrong="It clips a copy and then computes the covariance of the data themselves.",
            attack="One of 20 values far beyond the bounds, or 0 as all others; the variance.",
            twin="It computes the covariance of the clipped copy.",
            outputs=400,
        ),
        Case(
            scores=zero_sensitivity,
            key="zero-sensitivity",
            title="A sum of squares without noise",
            library=DIFFPRIVLIB,
            versions="up to 0.6.6",
            source="issue 105",
            link=f"{ISSUES}105",
            claim=Guarantee(1.0, 0.0, REPLACE, "functional mechanism (Zhang et al. 2012)"),
            wrong="The sensitivity of Σx² takes the lower bound twice: for (0, 100) it is 0.",
            attack="A record (100, 0) or (1, 0), and another (1, 0); the slope.",
            twin="It takes both bounds.",
            outputs=400,
        ),
        Case(
            scores=centring,
            key="unpaid-centring",
            title="An intercept that is not paid for",
            library=f"{DIFFPRIVLIB}, linear regression",
            versions="up to 0.6.6",
            source="issue 104",
            link=f"{ISSUES}104",
            claim=Guarantee(CENTRED, 0.0, REPLACE, "basic composition"),
            wrong="Centring x and centring y each take a share of ε that is counted once.",
            attack="One record (1, 1) among nine (0, 0), or another of them; means and sums.",
            twin="Each mean has a share of its own.",
            outputs=50_000,
        ),
        Case(
            scores=intercept,
            key="unregularised-intercept",
            title="An intercept without the ridge that the proof needs",
            library=f"{DIFFPRIVLIB}, logistic regression",
            versions="up to 0.6.6",
            source="Chaudhuri et al. 2011, Theorem 9, against the code; see also issue 10",
            link=f"{ISSUES}10",
            claim=Guarantee(FITTED, 0.0, REPLACE, "objective perturbation"),
            wrong="The proof divides by a ridge on all weights, but the intercept has none.",
            attack="Two records, and a third between them or beside one; slope and intercept.",
            twin="The intercept has the ridge, and the norm is squared as in the proof.",
            outputs=8_000,
        ),
        Case(
            scores=same_noise,
            key="seed-twice",
            title="One seed for two releases",
            library="TensorFlow Privacy, bolt-on",
            versions="0.9.0",
            source="its code, bolt_on/optimizers.py (seed=1)",
            link="https://github.com/tensorflow/privacy/blob/master/tensorflow_privacy/privacy/"
            "bolt_on/optimizers.py",
            claim=Guarantee(1.5, 0.0, ADD_REMOVE, "basic composition"),
            wrong="Every run of the program draws the same noise, which two releases give away.",
            attack="A count of 1 or 0, released twice; the count without the noise.",
            twin="Each release draws its own noise.",
            outputs=400,
        ),
        Case(
            scores=low_bits,
            key="low-bits",
            title="Laplace noise in floating point",
            library="NumPy",
            versions="all; diffprivlib up to 0.6.6 likewise (issue 94)",
            source="Mironov 2012; Haney et al. 2022, arXiv 2207.13793",
            link="https://arxiv.org/abs/2207.13793",
            claim=Guarantee(1.0, 0.0, ADD_REMOVE, "Laplace mechanism"),
            wrong="The last bits of a double tell which number the noise was added to.",
            attack="A count of 0 or 1; whether the noisy count is a double that 1 cannot lead to.",
            twin="Count and noise are multiples of 2⁻¹⁰.",
            origin="as it runs here: NumPy's own sampler",
        ),
        Case(
            scores=normal(classical_sigma(*LARGE), analytic_sigma(*LARGE)),
            key="classical-gaussian",
            title="The classical Gaussian formula beyond ε = 1",
            library="smartnoise-sql",
            versions="before June 2022",
            source="smartnoise-sdk issue 462; Balle and Wang 2018, Theorem 4",
            link="https://github.com/opendp/smartnoise-sdk/issues/462",
            claim=Guarantee(*LARGE, ADD_REMOVE, "Dwork and Roth 2014, Theorem A.1"),
            wrong="The formula is proved below ε = 1; at δ = 10⁻⁵ it fails from ε = 8.42 on.",
            attack="A count of 1 or 0 with its noise.",
            twin="The analytic formula.",
            gaussian=True,
        ),
        Case(
            scores=tuned,
            key="unpaid-tuning",
            title="The best of 100 trainings at the price of one",
            library="any search for settings",
            source="Papernot and Steinke 2022, arXiv 2110.03620",
            link="https://arxiv.org/abs/2110.03620",
            claim=Guarantee(*TUNED, ADD_REMOVE, "analytic Gaussian mechanism"),
            wrong="The choice looks at the records, but only the chosen training is paid for.",
            attack="A record or none; the chosen model.",
            twin="All trainings are paid for, and the choice looks at what was released.",
            outputs=1_000,
        ),
    )
