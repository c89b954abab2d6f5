"""MNIST: 70,000 handwritten digits of 28 × 28 pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import download
from dpcore.datasets.images import idx
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, unit
from dpcore.datasets.schema import RemoteFile
from dpcore.progress import Progress

# The original page no longer offers the files; this mirror has the same bytes.
_MIRROR = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FILES = {
    "train-images-idx3": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

ENTRY = ExamplesEntry(
    key="mnist",
    title="MNIST",
    records_are="images",
    source="LeCun, Cortes and Burges, from NIST's Special Databases 1 and 3",
    licence="commonly cited as CC BY-SA 3.0; no licence inside the files",
    citation="LeCun, Y., Bottou, L., Bengio, Y., Haffner, P. (1998). Gradient-based learning "
    "applied to document recognition. Proceedings of the IEEE 86(11).",
    records=60_000,
    test_records=10_000,
    side=28,
    task="classes",
    names=tuple("0123456789"),
    purpose="Tell which digit was written.",
    traps=(
        "Several images come from one writer, so a guarantee for an image is not one for a person.",
    ),
    files=tuple(
        RemoteFile(f"mnist/{name}-ubyte.gz", sha256, url=f"{_MIRROR}{name}-ubyte.gz")
        for name, sha256 in _FILES.items()
    ),
    how_to_get="It is downloaded from a mirror when first asked for (12 MB).",
)


def _build(progress: Progress | None) -> Examples:
    return decode(download.fetch(ENTRY, progress))


def decode(files: tuple[bytes, ...]) -> Examples:
    """The four files as examples: images and labels for training, then for testing."""
    arrays: list[NDArray[Any]] = []
    for file, data, dimensions in zip(ENTRY.files, files, (3, 1, 3, 1), strict=True):
        values = idx.read(data, file.name, dimensions)
        arrays.append(unit(values)[:, np.newaxis] if dimensions == 3 else values.astype(np.int64))
    images, labels, test_images, test_labels = arrays
    return Examples(ENTRY, images, labels, test_images, test_labels)


SOURCE = ImageSource(ENTRY, _build)
