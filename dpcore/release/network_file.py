"""A table with an outcome of two as an .npz file that a network learns from."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split, prepare
from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.datasets.own.rows import read_own


def network_file(csv: str, columns: str) -> bytes:
    """The records as `dpcore.datasets.images.sets.features_npz` reads them.

    Four fifths are to learn from, shape (n, d), and the rest to test on. The features are those of
    the convex methods: numbers by their public bounds, categories by their public levels, rows of
    length at most 1. A blank record is a null record of the file.
    """
    split = prepare(read_own(columns, csv.encode(), "records.csv"))
    file = io.BytesIO()
    np.savez_compressed(
        file,
        train_features=split.x_train.astype(np.float32),
        train_labels=_classes(split),
        test_features=split.x_test.astype(np.float32),
        test_labels=(split.y_test > 0.0).astype(np.int64),
        names=np.array([split.entry.negative, split.entry.positive]),
    )
    return file.getvalue()


def _classes(split: Split) -> NDArray[np.int64]:
    return np.where(split.blank, NULL_CLASS, split.y_train > 0.0).astype(np.int64)
