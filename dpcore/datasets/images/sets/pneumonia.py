"""PneumoniaMNIST: chest X-rays of children, 28 × 28 pixels, with or without pneumonia.

The publisher's file was not available during development. Its checksum is the MD5 that
MedMNIST/MedMNIST pins (``medmnist/info.py``). The file that was available has the same records,
reassembled from two partial copies, with the training records in another order.
"""

from __future__ import annotations

from dataclasses import replace

from dpcore.datasets import download
from dpcore.datasets.images import medmnist
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource
from dpcore.datasets.schema import RemoteFile
from dpcore.progress import Progress

REASSEMBLED = RemoteFile(
    "medmnist/pneumoniamnist_reassembled.npz",
    "8adc2319716dd06a410ac2835561f421ce67c21da9d082d4fbf9008e35f2e3b1",
)
PUBLISHED = RemoteFile(
    "medmnist/pneumoniamnist.npz",
    md5="28209eda62fecd6e6a2d98b1501bb15f",
    url=medmnist.RECORD + "pneumoniamnist.npz?download=1",
    also=(REASSEMBLED,),
)

ENTRY = ExamplesEntry(
    key="pneumonia",
    title="PneumoniaMNIST",
    records_are="X-ray images",
    source="MedMNIST v2, from Kermany and others (Guangzhou Women and Children's Medical Center)",
    licence="CC BY 4.0",
    citation=medmnist.CITATION + " Kermany, D., and others (2018). Identifying medical diagnoses "
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


def _build(progress: Progress | None, *, validation: str) -> Examples:
    return decode(download.fetch(ENTRY, progress)[0], validation)


def decode(data: bytes, validation: str = "left out") -> Examples:
    """The file as examples; the notes say which of the two files it is."""
    which = download.recognised(PUBLISHED, data)
    reassembled = which == REASSEMBLED
    return replace(
        medmnist.examples(ENTRY, data, (which or PUBLISHED).name, validation),
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


SOURCE = ImageSource(ENTRY, _build, (medmnist.VALIDATION,))
