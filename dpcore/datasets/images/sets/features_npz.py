"""Features of a frozen network that someone computed elsewhere, in an .npz file of four arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import files
from dpcore.datasets.files import contents
from dpcore.datasets.images import array_files
from dpcore.datasets.images.examples import (
    NULL_CLASS,
    Examples,
    ExamplesEntry,
    ImageSource,
    Inputs,
    Setting,
    TargetKind,
)
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput, whole
from dpcore.progress import Progress
from dpcore.words import spaced

WIDEST, MAX_NAMES = 65_536, 1_000
ARRAYS = ("train_features", "train_labels", "test_features", "test_labels")

ENTRY = ExamplesEntry(
    key="features_npz",
    title="Features from a file of your own",
    records_are="records",
    source="the file",
    licence="the file's own",
    citation="The file's own.",
    records=0,
    test_records=0,
    task="labels",
    names=(),
    purpose="Tell what the file's labels say from its features.",
    traps=(
        "The network that made the features must not have seen these records. What it learned from "
        "them is covered by no guarantee here.",
        "Features are used as they come, and each must be a function of its own record alone.",
        "The classes are those that names or the setting classes say. To count them in the labels "
        "would look at the data: one record could be the last of its class.",
        "A record with the class -1, or with no known label, is a null record. It counts among the "
        "records and contributes nothing.",
    ),
    how_to_get="Write one with numpy.savez and the arrays " + ", ".join(ARRAYS) + ".",
)


def _build(progress: Progress | None, *, file: str | Path | None, classes: int | None) -> Examples:
    if file is None:
        raise files.DataUnavailable(
            f"{ENTRY.title}: none is named; set file to an .npz file with the arrays "
            + ", ".join(ARRAYS)
            + "."
        )
    path = Path(file).expanduser()
    if progress is not None:
        progress(0.0, f"Reading {path.name}")
    try:
        data = contents("file", path, array_files.LARGEST_OWN)
    except InvalidInput as refusal:
        raise files.DataUnavailable(str(refusal)) from None
    return decode(data, path.name, classes, array_files.LARGEST_OWN)


def decode(
    data: bytes, filename: str, classes: int | None = None, largest: int | None = None
) -> Examples:
    """The file, from anyone, as examples.

    It has ``train_features`` (n, d) and ``test_features`` (m, d), finite floats; ``train_labels``
    and ``test_labels``, either classes from 0, (n,), with -1 for a null record, or 0, 1 and nan,
    (n, labels); and ``names``, one text a class or label, which labels can do without.
    """
    name = quoted(filename)
    arrays = array_files.read_npz(
        data, filename, ARRAYS, ("names",), lambda headers: _check_headers(headers, name), largest
    )
    task: TargetKind = "labels" if arrays["train_labels"].ndim == 2 else "classes"
    targets = [_targets(arrays[key], task, f"{key} in {name}") for key in ARRAYS[1::2]]
    names = _names(arrays.get("names"), task, targets, classes, name)
    features = [_features(arrays.pop(key), f"{key} in {name}") for key in ARRAYS[::2]]
    return Examples(
        replace(
            ENTRY, task=task, names=names, records=len(targets[0]), test_records=len(targets[1])
        ),
        features[0],
        targets[0],
        features[1],
        targets[1],
        published=False,
    )


def _check_headers(headers: Mapping[str, array_files.Header], name: str) -> None:
    task: TargetKind = "labels" if len(headers["train_labels"].shape) == 2 else "classes"
    for key in ARRAYS[1::2]:
        shape, kind = headers[key]
        if task == "labels":
            fits = len(shape) == 2 and 1 <= shape[1] <= MAX_NAMES and kind.kind in "bifu"
            allowed = f"(records, labels) with at most {spaced(MAX_NAMES)} labels"
        else:
            fits = len(shape) == 1 and kind.kind in "iu"
            allowed = (
                "whole numbers of shape (records,), since classes are learned here and no other "
                "numbers"
            )
        if not fits:
            raise InvalidInput(
                f"{key} in {name} is {kind} of shape {shape}, but it must be {allowed}."
            )
    for key, labels in zip(ARRAYS[::2], ARRAYS[1::2], strict=True):
        shape, kind = headers[key]
        if kind.kind != "f" or len(shape) != 2 or not 1 <= shape[1] <= WIDEST:
            raise InvalidInput(
                f"{key} in {name} is {kind} of shape {shape}, but it must be floats of shape "
                f"(records, features) with at most {spaced(WIDEST)} features."
            )
        if shape[0] != headers[labels].shape[0]:
            raise InvalidInput(
                f"{labels} in {name} is of shape {headers[labels].shape} for {spaced(shape[0])} "
                "records, but there must be a row for each."
            )


def _features(values: NDArray[Any], what: str) -> Inputs:
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        row = int(np.flatnonzero(~np.isfinite(single).all(axis=1))[0])
        raise InvalidInput(
            f"{what} has a value in row {row} that is not finite in single precision, but every "
            "one must be."
        )
    return single


def _targets(values: NDArray[Any], task: TargetKind, what: str) -> NDArray[Any]:
    if task == "labels":
        single = values.astype(np.float32)
        if (np.isnan(single) | (single == 0) | (single == 1)).all():
            return single
        raise InvalidInput(f"{what} has a value that is neither 0 nor 1 nor nan, as it must be.")
    if not len(values) or (values.min() >= NULL_CLASS and values.max() < MAX_NAMES):
        return values.astype(np.int64)
    raise InvalidInput(
        f"{what} runs from {values.min()} to {values.max()}, but it must run from 0 to at most "
        f"{MAX_NAMES - 1}, with {NULL_CLASS} for a null record."
    )


def _names(
    stored: NDArray[Any] | None,
    task: TargetKind,
    targets: list[NDArray[Any]],
    classes: int | None,
    name: str,
) -> tuple[str, ...]:
    """Names of the classes or labels from public facts, never from which classes occur."""
    if task == "labels":
        count = targets[0].shape[1]
    else:
        count = 1 + max(int(part.max(initial=1)) for part in targets)
    if stored is None:
        if task == "labels":
            return tuple(f"label {index}" for index in range(count))
        if classes is None:
            raise InvalidInput(
                f"names is missing in {name}, but it must name each class, or the setting classes "
                "must say how many there are: counted in the labels, they would tell of one record."
            )
        whole("classes", classes, at_least=count, at_most=MAX_NAMES)
        return tuple(f"class {index}" for index in range(classes))
    names = tuple(str(text).strip()[:100] for text in stored.reshape(-1))
    fits = len(names) == count if task == "labels" else MAX_NAMES >= len(names) >= count
    if stored.dtype.kind != "U" or not fits or len(set(names)) < len(names) or "" in names:
        raise InvalidInput(
            f"names in {name} is {stored.dtype} of shape {stored.shape}, but it must be {count} "
            "different texts."
        )
    return names


SETTINGS = (
    Setting("file", "the .npz file"),
    Setting("classes", "how many there are, where the file has no names"),
)
FEATURES_NPZ = ImageSource(ENTRY, _build, SETTINGS, at_hand=lambda: "upload")
