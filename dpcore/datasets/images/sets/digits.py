"""Handwritten digits of 8 × 8 pixels that come with scikit-learn; training on them is instant."""

from __future__ import annotations

import numpy as np

from dpcore.datasets import bundled
from dpcore.datasets.images.examples import Examples, ExamplesEntry, ImageSource
from dpcore.progress import Progress

RECORDS, TEST = 1_797, 360

ENTRY = ExamplesEntry(
    key="digits",
    title="Digits, 8 × 8",
    records_are="images",
    source="UCI Machine Learning Repository, data set 80 (its test part), as it comes with "
    "scikit-learn",
    licence="CC BY 4.0",
    citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI "
    "Machine Learning Repository. doi:10.24432/C50P49",
    records=RECORDS - TEST,
    test_records=TEST,
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


def _build(progress: Progress | None) -> Examples:
    del progress
    values = bundled.read(bundled.DIGITS)
    # 64 counts of 0 to 16 inked pixels, then the digit.
    inputs = (values[:, :-1] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    targets = values[:, -1].astype(np.int64)
    count = RECORDS - TEST
    return Examples(ENTRY, inputs[:count], targets[:count], inputs[count:], targets[count:])


SOURCE = ImageSource(ENTRY, _build)
