"""The records of a training study as a network's inputs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import images
from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.evaluation.training.study import RECORDS_PER_HELD_OUT, TrainingStudy
from dpcore.progress import Progress, section, silent

if TYPE_CHECKING:
    from dpcore.datasets.images import Examples


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Hold the records of a study as a network's inputs."""

    inputs: Any
    targets: Any
    test_inputs: Any
    test_targets: Any
    public: tuple[Any, Any] | None  # inputs and targets of the records set aside as public
    outputs: int
    task: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all records. Private: only for a checkpoint's contents, never for a name."""
        arrays = [self.inputs, self.targets, self.test_inputs, self.test_targets]
        checksum = hashlib.sha256()
        for array in map(np.ascontiguousarray, [*arrays, *(self.public or ())]):
            checksum.update(f"{array.dtype.str}{array.shape}".encode())
            checksum.update(array.data.cast("B") if array.size else b"")
        return checksum.hexdigest()


def known(targets: NDArray[Any]) -> NDArray[np.bool_]:
    """Which targets are not of null records, (records,): those have class -1, or no known label."""
    return targets > NULL_CLASS if targets.ndim == 1 else np.isfinite(targets).any(axis=1)


def training_data(
    study: TrainingStudy, progress: Progress = silent, uploaded: Examples | None = None
) -> TrainingData:
    """Load the study's records, and make its features of them."""
    progress(0.0, "loading the data")
    examples = uploaded or images.load(study.dataset, **dict(study.settings))
    inputs, test_inputs = examples.train_inputs, examples.test_inputs
    if study.features == "deskewed":
        from dpcore.deep.scattering import deskewed

        inputs, test_inputs = deskewed(inputs), deskewed(test_inputs)
    elif study.features != "raw":
        from dpcore.deep import scattering

        # Features of possibly private records are not left on the disk.
        features = scattering.cached_features if examples.published else scattering.features
        share = len(inputs) / (len(inputs) + len(test_inputs))
        inputs, test_inputs = (
            features(inputs, section(progress, 0.0, share)),
            features(test_inputs, section(progress, share, 1.0 - share)),
        )
        if study.features == "whitened":
            progress(1.0, "preparing features: whitening them")
            inputs, test_inputs = map(scattering.whitened, (inputs, test_inputs))
    targets, test_targets = examples.train_targets, examples.test_targets
    public = None
    if study.held_out or study.public:
        order = np.random.default_rng(0).permutation(examples.records)
        cut = examples.records // RECORDS_PER_HELD_OUT if study.held_out else 0
        study.trained_on(examples.records)
        held_out, aside, trained = np.split(order, [cut, cut + study.public])
        if study.held_out:
            test_inputs, test_targets = inputs[held_out], targets[held_out]
        if study.public:
            public = inputs[aside], targets[aside]
        trained.sort()
        inputs, targets = inputs[trained], targets[trained]
    return TrainingData(
        inputs, targets, test_inputs, test_targets, public, examples.outputs, examples.task
    )


def tested(examples: Examples) -> tuple[int, ...]:
    """Number of test records: of each class, or in all where they have labels."""
    targets = examples.test_targets[known(examples.test_targets)]
    if examples.task == "labels":
        return (len(targets),)
    counts = np.bincount(targets[targets > NULL_CLASS], minlength=examples.outputs)
    return tuple(int(count) for count in counts)
