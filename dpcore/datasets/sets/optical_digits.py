"""Handwritten digits (Alpaydin and Kaynak 1998), ten classes. Comes with scikit-learn.

Each number counts inked pixels of a 4 × 4 block: the bounds 0 and 16 follow from counting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import bundled
from dpcore.datasets.bundled import FloatArray
from dpcore.datasets.schema import Classes, Entry, number

SIDE = 8

ENTRY = Entry(
    key="optical_digits",
    title="Handwritten digits",
    records_are="drawings",
    source="Test set of the optical recognition of handwritten digits data (UCI), as it comes with "
    "scikit-learn",
    licence="CC BY 4.0",
    citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI "
    "Machine Learning Repository. doi:10.24432/C50P49",
    task="Tell which of the ten digits was written, from a drawing of 8 × 8 shades.",
    label=Classes("digit", tuple(str(digit) for digit in range(10))),
    records=1_797,
    columns=tuple(
        number(
            f"row {row} column {column}",
            "inked pixels of a block of 4 × 4",
            (0.0, 16.0),
            "A block has 16 pixels.",
            bounds_from="codebook",
        )
        for row in range(SIDE)
        for column in range(SIDE)
    ),
    traps=(
        "A record is one drawing, and 13 people drew many each. What is promised is for a drawing, "
        "not for a person.",
    ),
)


def _read() -> tuple[FloatArray, NDArray[np.int8]]:
    values = bundled.read(bundled.DIGITS)
    return values[:, :-1], values[:, -1].astype(np.int8)


SOURCE = bundled.source(ENTRY, _read)
