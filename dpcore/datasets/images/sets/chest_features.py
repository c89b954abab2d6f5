"""Synthetic features of chest X-rays with five correlated findings, whose true model is known.

They imitate a frozen network's output on CheXpert. Each finding follows a linear logistic model
(`true_model`), so that the best possible AUC is known, and the cost of privacy stands apart.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.images.examples import (
    SEED,
    Examples,
    ExamplesEntry,
    ImageSource,
    Inputs,
    Setting,
)
from dpcore.progress import Progress
from dpcore.words import spaced

RECORDS, FEATURES, TEST = 10_000, 1_024, 2_500
MIN, MAX = 100, 200_000
NARROWEST, WIDEST = 16, 4_096
SETTINGS = (
    Setting("records", "for training", RECORDS, least=MIN, most=MAX),
    Setting("features", "of each record", FEATURES, least=NARROWEST, most=WIDEST),
    Setting("test_records", "for testing", TEST, least=MIN, most=MAX),
    SEED,
)

FREQUENCIES = {
    "atelectasis": 0.16,
    "cardiomegaly": 0.12,
    "consolidation": 0.07,
    "edema": 0.26,
    "pleural effusion": 0.40,
}
"""Share of images with each finding, rounded from what CheXpert reports."""
SPREAD = 2.2
"""Standard deviation of a finding's log odds over images; the best AUC is then near .9."""
TOGETHER = 0.4
"""Correlation of the log odds of two findings."""
CAUSES = 24
SHARED = 0.35
"""Share of a feature's variance, before clipping at 0, that the common causes explain."""
HEIGHT = 0.25
"""Scale of the features, so that few reach 1, where they are clipped."""
_BLOCK = 2_048
"""Records drawn at a time, each block from its own generator, so that the first n records of a
larger set are the set of n."""
_REFERENCE = 8_192
"""Records that the true model is calibrated on; none of them is in any set."""
_WORLD, _TRAINING, _TESTING = range(3)

ENTRY = ExamplesEntry(
    key="chest_features",
    title="Synthetic chest X-ray features",
    records_are="images",
    source="drawn here from a known model; no real person",
    licence="Apache-2.0, like the program",
    citation="This program.",
    records=RECORDS,
    test_records=TEST,
    task="labels",
    names=tuple(FREQUENCIES),
    purpose="Tell from a network's features of a chest X-ray which of five findings it shows.",
    traps=(
        "Synthetic: nothing learned here is about patients or X-rays.",
        "The true model is linear in the features. That is kinder to a linear head than any real "
        "network's features are.",
    ),
    how_to_get=f"It is built in, with {MIN} to {spaced(MAX)} records of {NARROWEST} to "
    f"{spaced(WIDEST)} features.",
)


@dataclass(frozen=True, eq=False)
class TrueChestModel:
    """The log odds of each finding are ``inputs @ weights + intercepts``."""

    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def probability(self, inputs: Inputs) -> NDArray[np.float64]:
        """True probability of each finding in each image, shape (n, 5)."""
        return _sigmoid(inputs @ self.weights + self.intercepts)


@functools.lru_cache(maxsize=4)
def true_model(features: int = FEATURES) -> TrueChestModel:
    """The model that the findings are drawn from, the same for every seed."""
    loadings, directions = _world(features)
    inputs = _sample(features, np.random.SeedSequence([_WORLD, features, 1]), _REFERENCE)
    weights = loadings @ directions.T
    odds = inputs @ weights
    weights *= SPREAD / odds.std(axis=0)
    odds = inputs @ weights
    frequencies = np.array(list(FREQUENCIES.values()))
    lower, upper = -odds.max(axis=0) - 20.0, -odds.min(axis=0) + 20.0
    for _ in range(60):
        middle = (lower + upper) / 2
        above = _sigmoid(odds + middle).mean(axis=0) > frequencies
        lower, upper = np.where(above, lower, middle), np.where(above, middle, upper)
    return TrueChestModel(weights, (lower + upper) / 2)


def _build(
    progress: Progress | None,
    *,
    records: int,
    features: int,
    test_records: int,
    seed: int,
) -> Examples:
    if progress is not None:
        progress(0.0, f"Drawing {spaced(records + test_records)} records")
    train = _part(features, seed, _TRAINING, records)
    return Examples(ENTRY, *train, *_part(features, seed, _TESTING, test_records))


def _part(features: int, seed: int, part: int, count: int) -> tuple[Inputs, Inputs]:
    model = true_model(features)
    inputs = np.empty((count, features), np.float32)
    targets = np.empty((count, len(FREQUENCIES)), np.float32)
    for index, start in enumerate(range(0, count, _BLOCK)):
        stop = min(start + _BLOCK, count)
        sequence = np.random.SeedSequence([part, features, seed, index])
        input_seed, target_seed = sequence.spawn(2)
        block = _sample(features, input_seed, _BLOCK)
        uniform = np.random.default_rng(target_seed).random((_BLOCK, len(FREQUENCIES)))
        findings = uniform < model.probability(block)
        inputs[start:stop], targets[start:stop] = block[: stop - start], findings[: stop - start]
    return inputs, targets


def _sample(features: int, sequence: np.random.SeedSequence, count: int) -> Inputs:
    loadings, _ = _world(features)
    generator = np.random.default_rng(sequence)
    causes = generator.standard_normal((count, CAUSES), np.float32)
    own = generator.standard_normal((count, features), np.float32)
    uncut = causes @ loadings.T.astype(np.float32) + np.float32((1 - SHARED) ** 0.5) * own
    cut: Inputs = np.clip(np.float32(HEIGHT) * uncut, 0, 1, dtype=np.float32)
    return cut


@functools.lru_cache(maxsize=4)
def _world(features: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Effects of the causes on features, (features, causes), and on findings, (5, causes)."""
    generator = np.random.default_rng(np.random.SeedSequence([_WORLD, features, 0]))
    loadings = generator.standard_normal((features, CAUSES))
    loadings *= SHARED**0.5 / np.linalg.norm(loadings, axis=1, keepdims=True)
    # One direction that all findings share, "ill", and a separate one for each.
    axes = np.linalg.qr(generator.standard_normal((CAUSES, 1 + len(FREQUENCIES))))[0].T
    return loadings, TOGETHER**0.5 * axes[0] + (1 - TOGETHER) ** 0.5 * axes[1:]


def _sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    # Log odds here are far from where exp overflows.
    probability: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-log_odds))
    return probability


SOURCE = ImageSource(ENTRY, _build, SETTINGS)
