"""ChestMNIST: 112,120 chest X-rays of 28 × 28 pixels with 14 findings read from reports.

Tested on made-up files only; the checksum is the MD5 of MedMNIST/MedMNIST, ``medmnist/info.py``.
"""

from __future__ import annotations

from dpcore.datasets import download
from dpcore.datasets.images import medmnist
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource
from dpcore.datasets.schema import RemoteFile, values_in
from dpcore.progress import Progress

ENTRY = ExamplesEntry(
    key="chest",
    title="ChestMNIST",
    records_are="X-ray images",
    source="MedMNIST v2, from NIH ChestX-ray14 (Wang and others 2017)",
    licence="CC BY 4.0",
    citation=medmnist.CITATION + " Wang, X., and others (2017). ChestX-ray8: hospital-scale chest "
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
            url=medmnist.RECORD + "chestmnist.npz?download=1",
        ),
    ),
    how_to_get="It is downloaded from Zenodo when first asked for (83 MB).",
)


def _build(progress: Progress | None, *, validation: str) -> Examples:
    return decode(download.fetch(ENTRY, progress)[0], validation)


def decode(data: bytes, validation: str = "left out") -> Examples:
    """The file as examples."""
    return medmnist.examples(ENTRY, data, ENTRY.files[0].name, validation)


SOURCE = ImageSource(ENTRY, _build, (medmnist.VALIDATION,))
