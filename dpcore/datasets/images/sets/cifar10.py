"""CIFAR-10: 60,000 colour photographs of 32 × 32 pixels in ten classes.

Tested on made-up files only; the MD5 is that of pytorch/vision and of the publisher's page.
"""

from __future__ import annotations

import io
import pickle
import tarfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import download
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, unit
from dpcore.datasets.schema import RemoteFile, values_in
from dpcore.errors import InvalidInput
from dpcore.progress import Progress

ENTRY = ExamplesEntry(
    key="cifar10",
    title="CIFAR-10",
    records_are="images",
    source="Krizhevsky, Nair and Hinton, University of Toronto; drawn from 80 Million Tiny Images",
    licence="none stated by the publisher, who asks to be cited",
    citation="Krizhevsky, A. (2009). Learning multiple layers of features from tiny images. "
    "Technical report, University of Toronto.",
    records=50_000,
    test_records=10_000,
    side=32,
    task="classes",
    names=values_in("airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck"),
    purpose="Tell what a small photograph shows.",
    traps=(
        "Some test images are near copies of training images.",
        "As numbers the images take 0.7 GB.",
    ),
    files=(
        RemoteFile(
            "cifar10/cifar-10-python.tar.gz",
            md5="c58f30108f718f92721af3b95e74349a",
            url="https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
        ),
    ),
    how_to_get="It is downloaded from its publisher when first asked for (170 MB).",
)

_FOLDER = "cifar-10-batches-py/"
_TRAINING = tuple(f"{_FOLDER}data_batch_{number}" for number in range(1, 6))
_TEST = f"{_FOLDER}test_batch"
_NOT_CIFAR = "The file cifar-10-python.tar.gz is not the Python version of CIFAR-10"


def _build(progress: Progress | None) -> Examples:
    # Unpickle only after the checksum is verified.
    return decode(download.fetch(ENTRY, progress)[0])


def decode(data: bytes) -> Examples:
    """The archive as examples."""
    batches: dict[str, tuple[NDArray[np.uint8], NDArray[np.int64]]] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            for name in (*_TRAINING, _TEST):
                member = archive.extractfile(name)
                if member is None:
                    raise KeyError(name)
                batches[name] = _batch(member.read())
    except (tarfile.TarError, OSError, EOFError, zlib.error, KeyError):
        raise InvalidInput(f"{_NOT_CIFAR}: it lacks one of the six batches.") from None
    except Exception:  # a damaged pickle fails in any way
        raise InvalidInput(f"{_NOT_CIFAR}: a batch is not an array with labels.") from None
    images, labels = zip(*(batches[name] for name in _TRAINING), strict=True)
    test_images, test_labels = batches[_TEST]
    train = unit(np.concatenate(images)), np.concatenate(labels)
    return Examples(ENTRY, *train, unit(test_images), test_labels)


def _batch(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    # Written by Python 2, where text and bytes are one type; latin1 restores NumPy's bytes.
    batch = _ArraysOnly(io.BytesIO(data), encoding="latin1").load()
    images = batch["data"]
    if images.dtype != np.uint8:
        raise ValueError(images.dtype)
    return images.reshape(-1, 3, 32, 32), np.array(batch["labels"], dtype=np.int64)


class _ArraysOnly(pickle.Unpickler):
    """Builds arrays and plain values and calls nothing else: the pinned checksum is an MD5."""

    def find_class(self, module: str, name: str) -> Any:
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


SOURCE = ImageSource(ENTRY, _build)
