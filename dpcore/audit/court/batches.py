"""Cases of batches: what a noisy step divides by, and who is in it."""

from __future__ import annotations

import numpy as np

from dpcore.accounting.accountants import certify
from dpcore.accounting.events import Gaussian, PoissonSampled, Repeated
from dpcore.audit.court.case import Array, Case
from dpcore.guarantee import Adjacency

DELTA = 1e-5
ADD_REMOVE = Adjacency.ADD_REMOVE

SIGMA = 4.0  # over the clipping norm
RATE, RECORDS, WEIGHTS = 0.5, 4, 400


def batch_average(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """One step on a Poisson batch of records without a gradient: how small its noise is.

    With the record all five are in the batch with probability q⁵; without it never. Noise over five
    is told from noise over four by 400 weights: its length is off by 1/√800, the two differ by 1/5.
    """
    size = generator.binomial(RECORDS + there, RATE, runs)
    divisor = RATE * RECORDS if mended else np.maximum(size, 1)
    step = SIGMA * generator.standard_normal((runs, WEIGHTS)) / np.reshape(divisor, (-1, 1))
    return np.asarray(-np.log(np.mean(step**2, axis=1)))


COUNTED, LAYER = 10, 2_000


def record_count(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """One full step whose expected batch is the number of records: how small its noise is."""
    divisor = COUNTED + (there and not mended)
    step = SIGMA * generator.standard_normal((runs, LAYER)) / divisor
    return np.asarray(-np.log(np.mean(step**2, axis=1)))


STEPS, NOISE = 100, 1.0


def no_sampling(generator: np.random.Generator, there: bool, runs: int, *, mended: bool) -> Array:
    """The noisy sums of an epoch, with the record in its first batch, or in each by a coin."""
    sums = NOISE * generator.standard_normal((runs, STEPS))
    if not mended:
        return np.asarray(sums[:, 0] + there)
    sums += there * (generator.random((runs, STEPS)) < 1.0 / STEPS)
    return np.asarray(np.log1p((np.exp((sums - 0.5) / NOISE**2) - 1.0) / STEPS).sum(axis=1))


def cases() -> tuple[Case, ...]:
    full = Gaussian(SIGMA)
    epoch = Repeated(PoissonSampled(1.0 / STEPS, Gaussian(NOISE)), STEPS)
    return (
        Case(
            scores=batch_average,
            key="batch-average",
            title="Division by the batch that was drawn",
            library="DP-SGD loops that average over each batch",
            source="arXiv 2605.15648 (Wang et al. 2026)",
            link="https://arxiv.org/abs/2605.15648",
            claim=certify(PoissonSampled(RATE, full), DELTA, ADD_REMOVE, "pld"),
            wrong="The noise shrinks with the size of the batch, and so tells who is in it.",
            attack="Five records or four, none with a gradient; the length of one step.",
            twin="It divides by the expected size, from a public number of records.",
            outputs=2_000,
        ),
        Case(
            scores=record_count,
            key="record-count",
            title="Division by the number of records",
            library="Opacus",
            versions="1.0.0 to 1.6.0",
            source="issues 571 and 819",
            link="https://github.com/meta-pytorch/opacus/issues/571",
            claim=certify(full, DELTA, ADD_REMOVE, "gdp"),
            wrong="The expected batch follows from how many records there are, which is private.",
            attack="Eleven records or ten, none with a gradient; the length of one step.",
            twin="It divides by a public number.",
            outputs=400,
        ),
        Case(
            scores=no_sampling,
            key="no-sampling",
            title="Sampling that is claimed but not done",
            library="jax_privacy",
            versions="Keras interface, by default",
            source="issue 84 and pull request 272",
            link="https://github.com/google-deepmind/jax_privacy/pull/272",
            claim=certify(epoch, DELTA, ADD_REMOVE, "pld"),
            wrong="ε is that of Poisson samples, but batches follow each other in a fixed order.",
            attack="One record more in the first of 100 batches; the noisy sums.",
            twin="It draws Poisson samples.",
            outputs=2_000,
        ),
    )
