"""Chest X-rays of 28 × 28 pixels from MedMNIST, and made-up features of such.

- PneumoniaMNIST: of children, with or without pneumonia. The publisher's file was not available
  during development; the file that was has the same records, reassembled from two partial copies,
  with the training records in another order.
- ChestMNIST: 112,120 with 14 findings read from reports. Tested on made-up files only.
- Synthetic features with five correlated findings imitate a frozen network's output on CheXpert.
  Each finding follows a linear logistic model (`true_model`), so that the best possible AUC is
  known, and the cost of privacy stands apart.

Checksums are the MD5s that MedMNIST/MedMNIST pins (``medmnist/info.py``).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import files
from dpcore.datasets.images import array_files
from dpcore.datasets.images.examples import (
    SEED,
    Examples,
    ExamplesEntry,
    ImageSource,
    Inputs,
    Setting,
)
from dpcore.datasets.schema import RemoteFile, values_in
from dpcore.progress import Progress
from dpcore.words import spaced

REASSEMBLED = RemoteFile(
    "medmnist/pneumoniamnist_reassembled.npz",
    "8adc2319716dd06a410ac2835561f421ce67c21da9d082d4fbf9008e35f2e3b1",
)
PUBLISHED = RemoteFile(
    "medmnist/pneumoniamnist.npz",
    md5="28209eda62fecd6e6a2d98b1501bb15f",
    url=array_files.MEDMNIST + "pneumoniamnist.npz?download=1",
    also=(REASSEMBLED,),
)

PNEUMONIA_ENTRY = ExamplesEntry(
    key="pneumonia",
    title="PneumoniaMNIST",
    records_are="X-ray images",
    source="MedMNIST v2, from Kermany and others (Guangzhou Women and Children's Medical Center)",
    licence="CC BY 4.0",
    citation=array_files.MEDMNIST_CITATION
    + " Kermany, D., and others (2018). Identifying medical diagnoses "
    "and treatable diseases by image-based deep learning. Cell 172(5).",
    records=4_708,
    test_records=624,
    side=28,
    task="classes",
    names=("normal", "pneumonia"),
    purpose="Tell from a child's chest X-ray whether there is pneumonia.",
    traps=(
        "74 % of the training images show pneumonia and 62.5 % of the test images: accuracy says "
        "less than AUC.",
        "18 training images repeat another one, and 8 of the validation part also occur in the "
        "training part. That matters where membership is guessed.",
        "The 524 images for validation are left out unless asked for.",
    ),
    files=(PUBLISHED,),
    how_to_get="It is downloaded from Zenodo when first asked for (4 MB).",
)


def _build_pneumonia(progress: Progress | None, *, validation: str) -> Examples:
    return decode_pneumonia(files.fetch(PNEUMONIA_ENTRY, progress)[0], validation)


def decode_pneumonia(data: bytes, validation: str = "left out") -> Examples:
    """The file as examples; the notes say which of the two files it is."""
    which = files.recognised(PUBLISHED, data)
    reassembled = which == REASSEMBLED
    return replace(
        array_files.medmnist_examples(PNEUMONIA_ENTRY, data, (which or PUBLISHED).name, validation),
        notes=(
            "The file is the reassembled one: the publisher's records, with the training records "
            "in another order."
            if reassembled
            else "The file is the publisher's."
            if which
            else "The file is neither the publisher's nor the reassembled one.",
        ),
        published=which is not None,
        reassembled=reassembled,
    )


PNEUMONIA = ImageSource(PNEUMONIA_ENTRY, _build_pneumonia, (array_files.VALIDATION,))


CHEST_ENTRY = ExamplesEntry(
    key="chest",
    title="ChestMNIST",
    records_are="X-ray images",
    source="MedMNIST v2, from NIH ChestX-ray14 (Wang and others 2017)",
    licence="CC BY 4.0",
    citation=array_files.MEDMNIST_CITATION
    + " Wang, X., and others (2017). ChestX-ray8: hospital-scale chest "
    "X-ray database and benchmarks. CVPR.",
    records=78_468,
    test_records=22_433,
    side=28,
    task="labels",
    names=values_in(
        "atelectasis, cardiomegaly, effusion, infiltration, mass, nodule, pneumonia, "
        "pneumothorax, consolidation, edema, emphysema, fibrosis, pleural thickening, "
        "hernia"
    ),
    purpose="Tell from a chest X-ray which of 14 findings a radiologist reported.",
    traps=(
        "The labels were mined from reports by a program and are partly wrong.",
        "Several images belong to one patient, so a guarantee for an image is not one for a "
        "person.",
        "Hernia is so rare (about 0.2 %) that its AUC is unsteady.",
        "The 11 219 images for validation are left out unless asked for.",
    ),
    files=(
        RemoteFile(
            "medmnist/chestmnist.npz",
            md5="02c8a6516a18b556561a56cbdd36c4a8",
            url=array_files.MEDMNIST + "chestmnist.npz?download=1",
        ),
    ),
    how_to_get="It is downloaded from Zenodo when first asked for (83 MB).",
)


def _build_chest(progress: Progress | None, *, validation: str) -> Examples:
    return decode_chest(files.fetch(CHEST_ENTRY, progress)[0], validation)


def decode_chest(data: bytes, validation: str = "left out") -> Examples:
    """The file as examples."""
    return array_files.medmnist_examples(CHEST_ENTRY, data, CHEST_ENTRY.files[0].name, validation)


CHEST = ImageSource(CHEST_ENTRY, _build_chest, (array_files.VALIDATION,))


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

CHEST_FEATURES_ENTRY = ExamplesEntry(
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


def _build_features(
    progress: Progress | None, *, records: int, features: int, test_records: int, seed: int
) -> Examples:
    if progress is not None:
        progress(0.0, f"Drawing {spaced(records + test_records)} records")
    train = _part(features, seed, _TRAINING, records)
    return Examples(CHEST_FEATURES_ENTRY, *train, *_part(features, seed, _TESTING, test_records))


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


CHEST_FEATURES = ImageSource(CHEST_FEATURES_ENTRY, _build_features, SETTINGS)
