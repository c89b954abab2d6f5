"""Small pictures in ten classes.

- Handwritten digits of 8 × 8 pixels that come with scikit-learn; training on them is instant.
- MNIST: 70,000 handwritten digits of 28 × 28 pixels.
- CIFAR-10: 60,000 colour photographs of 32 × 32 pixels.
- SVHN: house numbers from street photographs, cut to single digits of 32 × 32 pixels.

The last two were tested on made-up files only. Their MD5s are those of pytorch/vision; that of
CIFAR-10 stands on the publisher's page, too.
"""

from __future__ import annotations

import io
import pickle
import tarfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import files, sources
from dpcore.datasets.images import array_files
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource, unit
from dpcore.datasets.schema import RemoteFile, values_in
from dpcore.errors import InvalidInput
from dpcore.progress import Progress
from dpcore.words import spaced

_DRAWINGS, _LAST = 1_797, 360

DIGITS_ENTRY = ExamplesEntry(
    key="digits",
    title="Digits, 8 × 8",
    records_are="images",
    source="UCI Machine Learning Repository, data set 80 (its test part), as it comes with "
    "scikit-learn",
    licence="CC BY 4.0",
    citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI "
    "Machine Learning Repository. doi:10.24432/C50P49",
    records=_DRAWINGS - _LAST,
    test_records=_LAST,
    side=8,
    task="classes",
    names=tuple("0123456789"),
    purpose="Tell which digit was written.",
    traps=(
        "1 437 records are few: at small ε the noise covers everything, which says little about "
        "larger sets.",
        "Images that follow one another in the file are alike. So the last fifth is kept for "
        "testing and not a random one. Explore's table of these digits keeps a random fifth, so "
        "figures of the two pages are of different records.",
    ),
)


def _build_digits(progress: Progress | None) -> Examples:
    del progress
    values = sources.read_bundled(sources.DIGITS)
    # 64 counts of 0 to 16 inked pixels, then the digit.
    inputs = (values[:, :-1] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    targets = values[:, -1].astype(np.int64)
    count = _DRAWINGS - _LAST
    return Examples(DIGITS_ENTRY, inputs[:count], targets[:count], inputs[count:], targets[count:])


DIGITS = ImageSource(DIGITS_ENTRY, _build_digits)


# The original page no longer offers the files; this mirror has the same bytes.
_MIRROR = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FILES = {
    "train-images-idx3": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

MNIST_ENTRY = ExamplesEntry(
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


def _build_mnist(progress: Progress | None) -> Examples:
    return decode_mnist(files.fetch(MNIST_ENTRY, progress))


def decode_mnist(contents: tuple[bytes, ...]) -> Examples:
    """The four files as examples: images and labels for training, then for testing."""
    arrays: list[NDArray[Any]] = []
    for file, data, dimensions in zip(MNIST_ENTRY.files, contents, (3, 1, 3, 1), strict=True):
        values = array_files.read_idx(data, file.name, dimensions)
        arrays.append(unit(values)[:, np.newaxis] if dimensions == 3 else values.astype(np.int64))
    images, labels, test_images, test_labels = arrays
    return Examples(MNIST_ENTRY, images, labels, test_images, test_labels)


MNIST = ImageSource(MNIST_ENTRY, _build_mnist)


CIFAR10_ENTRY = ExamplesEntry(
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


def _build_cifar10(progress: Progress | None) -> Examples:
    # Unpickle only after the checksum is verified.
    return decode_cifar10(files.fetch(CIFAR10_ENTRY, progress)[0])


def decode_cifar10(data: bytes) -> Examples:
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
    return Examples(CIFAR10_ENTRY, *train, unit(test_images), test_labels)


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


CIFAR10 = ImageSource(CIFAR10_ENTRY, _build_cifar10)


_STANFORD = "http://ufldl.stanford.edu/housenumbers/"

SVHN_ENTRY = ExamplesEntry(
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


def _build_svhn(progress: Progress | None) -> Examples:
    return decode_svhn(files.fetch(SVHN_ENTRY, progress))


def decode_svhn(contents: tuple[bytes, ...]) -> Examples:
    """The two files as examples."""
    train, test = (
        _part(data, file.name) for data, file in zip(contents, SVHN_ENTRY.files, strict=True)
    )
    return Examples(SVHN_ENTRY, *train, *test)


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


SVHN = ImageSource(SVHN_ENTRY, _build_svhn)
