"""SVHN: house numbers from street photographs, cut to single digits of 32 × 32 pixels.

Tested on made-up files only; the MD5s are those of pytorch/vision, ``datasets/svhn.py``.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import download
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, unit
from dpcore.datasets.schema import RemoteFile
from dpcore.errors import InvalidInput
from dpcore.progress import Progress
from dpcore.words import spaced

_STANFORD = "http://ufldl.stanford.edu/housenumbers/"

ENTRY = ExamplesEntry(
    key="svhn",
    title="Street View house numbers",
    records_are="images",
    source="Netzer and others, Stanford University; from Google Street View",
    licence="not stated in the files; the publisher asks for non-commercial use",
    citation="Netzer, Y., Wang, T., Coates, A., Bissacco, A., Wu, B., Ng, A. (2011). Reading "
    "digits in natural images with unsupervised feature learning. NIPS workshop.",
    records=73_257,
    test_records=26_032,
    side=32,
    task="classes",
    names=tuple("0123456789"),
    purpose="Tell which digit a photograph shows.",
    traps=(
        "The files write the digit 0 as 10.",
        "Several digits come from one house, so a guarantee for an image is not one for a house.",
        "The 531 131 extra images of the publisher are not used.",
        "As numbers the images take 1.2 GB.",
    ),
    files=(
        RemoteFile(
            "svhn/train_32x32.mat",
            md5="e26dedcc434d2e4c54c9b2d4a06d8373",
            url=_STANFORD + "train_32x32.mat",
        ),
        RemoteFile(
            "svhn/test_32x32.mat",
            md5="eb5a983be6a315427106f1b164d9cef3",
            url=_STANFORD + "test_32x32.mat",
        ),
    ),
    how_to_get="It is downloaded from its publisher when first asked for (246 MB).",
)


def _build(progress: Progress | None) -> Examples:
    return decode(download.fetch(ENTRY, progress))


def decode(files: tuple[bytes, ...]) -> Examples:
    """The two files as examples."""
    train, test = (_part(data, file.name) for data, file in zip(files, ENTRY.files, strict=True))
    return Examples(ENTRY, *train, *test)


def _part(data: bytes, name: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    from scipy.io import loadmat

    try:
        # The type stubs allow paths only, but open files are accepted as well.
        arrays: dict[str, Any] = loadmat(
            io.BytesIO(data),  # type: ignore[arg-type]
            variable_names=("X", "y"),
        )
        images, digits = arrays["X"], arrays["y"].reshape(-1)
    except Exception:  # SciPy reads a damaged file into faults of its own
        raise InvalidInput(f"{name} is not a MATLAB file with the arrays X and y.") from None
    if images.dtype != np.uint8 or images.shape != (32, 32, 3, len(digits)):
        raise InvalidInput(
            f"{name} holds {images.dtype} of shape {images.shape} for {spaced(len(digits))} "
            "digits, but it must hold uint8 of shape (32, 32, 3, digits)."
        )
    return unit(images.transpose(3, 2, 0, 1)), digits.astype(np.int64) % 10


SOURCE = ImageSource(ENTRY, _build)
