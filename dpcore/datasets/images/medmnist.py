"""Files of MedMNIST: six arrays, images and labels for training, validation and testing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.images import npz
from dpcore.datasets.images.examples import Examples, ExamplesEntry, Setting, unit
from dpcore.errors import InvalidInput
from dpcore.words import spaced

SIDE = 28
VALIDATION = Setting(
    "validation",
    "whether the validation part is left out or joins the training part",
    "left out",
    choices=("left out", "training"),
)
ARRAYS = tuple(
    f"{part}_{what}" for part in ("train", "val", "test") for what in ("images", "labels")
)
RECORD = "https://zenodo.org/records/10519652/files/"
CITATION = (
    "Yang, J., Shi, R., Wei, D., Liu, Z., Zhao, L., Ke, B., Pfister, H., Ni, B. (2023). MedMNIST "
    "v2: a large-scale lightweight benchmark for 2D and 3D biomedical image classification. "
    "Scientific Data 10, 41."
)


def examples(entry: ExamplesEntry, data: bytes, name: str, validation: str) -> Examples:
    """The records of one file; the validation part is left out or joined to the training part."""
    stored = npz.read(data, name, ARRAYS, largest=npz.LARGEST_OWN)
    inputs: dict[str, NDArray[np.float32]] = {}
    targets: dict[str, NDArray[Any]] = {}
    for part in ("train", "val", "test"):
        images, labels = stored[f"{part}_images"], stored[f"{part}_labels"]
        if labels.dtype != np.uint8 or not labels.ndim:
            raise InvalidInput(
                f"{part}_labels in {name} is {labels.dtype} of shape {labels.shape}, but it must "
                "be uint8 with a row for each image."
            )
        if images.dtype != np.uint8 or images.shape != (len(labels), SIDE, SIDE):
            raise InvalidInput(
                f"{part}_images in {name} is {images.dtype} of shape {images.shape} for "
                f"{spaced(len(labels))} labels, but it must be uint8 of shape (labels, {SIDE}, "
                f"{SIDE})."
            )
        inputs[part] = unit(images)[:, np.newaxis]
        classes = entry.task == "classes"
        targets[part] = (
            labels.reshape(-1).astype(np.int64) if classes else labels.astype(np.float32)
        )
    if validation == "training":
        inputs["train"] = np.concatenate([inputs["train"], inputs["val"]])
        targets["train"] = np.concatenate([targets["train"], targets["val"]])
    return Examples(entry, inputs["train"], targets["train"], inputs["test"], targets["test"])
