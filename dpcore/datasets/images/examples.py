"""Inputs and targets for networks: arrays, their source, and their description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import files
from dpcore.datasets.schema import Description
from dpcore.errors import InvalidInput, one_of, whole
from dpcore.words import spaced

TargetKind = Literal["classes", "labels"]
NULL_CLASS = -1
"""Class of a null record, one person's record blanked; it counts as a record and adds nothing."""
Inputs = NDArray[np.float32]
Targets = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class ExamplesEntry(Description):
    """A set for networks as the catalogue lists it."""

    task: TargetKind
    names: tuple[str, ...]  # of classes or labels; empty where only the file gives them
    purpose: str
    test_records: int  # not counted in `records`; 0 where only the file tells
    side: int = 0  # pixels of the square images; 0 of other records


@dataclass(frozen=True, eq=False)
class Examples:
    """Records for training a network and for testing it."""

    entry: ExamplesEntry
    train_inputs: Inputs  # (n, channels, side, side) in [0, 1], or finite (n, d)
    # classes: int64 (n,), or `NULL_CLASS`; labels: float32 (n, labels), nan unknown
    train_targets: Targets
    test_inputs: Inputs
    test_targets: Targets
    notes: tuple[str, ...] = ()
    published: bool = True  # exactly published, by checksum, or built in; else perhaps private
    reassembled: bool = False  # the publisher's records, but not the order

    def __post_init__(self) -> None:
        self._check("training", self.train_inputs, self.train_targets)
        self._check("test", self.test_inputs, self.test_targets)
        if self.train_inputs.shape[1:] != self.test_inputs.shape[1:]:
            raise InvalidInput(
                f"{self.title}: records for training have shape {self.train_inputs.shape[1:]} and "
                f"those for testing {self.test_inputs.shape[1:]}, but they must be the same."
            )

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def task(self) -> TargetKind:
        return self.entry.task

    @property
    def names(self) -> tuple[str, ...]:
        return self.entry.names

    @property
    def records(self) -> int:
        """Number of training records, n."""
        return len(self.train_inputs)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one record: (channels, side, side) or (d,)."""
        return self.train_inputs.shape[1:]

    @property
    def outputs(self) -> int:
        """Number of classes or labels."""
        return len(self.names)

    def _check(self, part: str, inputs: Inputs, targets: Targets) -> None:
        count, outputs = len(inputs), len(self.names)
        name = f"{self.title}, {part} part"
        if inputs.dtype != np.float32 or not _is_square(inputs.shape):
            raise InvalidInput(
                f"{name}: inputs are {inputs.dtype} of shape {inputs.shape}, but they must be "
                "float32 of shape (records, channels, side, side) or (records, features)."
            )
        dtype = np.int64 if self.task == "classes" else np.float32
        shape = (count,) if self.task == "classes" else (count, outputs)
        if count == 0 or targets.dtype != dtype or targets.shape != shape:
            raise InvalidInput(
                f"{name}: targets are {targets.dtype} of shape {targets.shape} for {spaced(count)} "
                f"records, but they must be {np.dtype(dtype)} of shape {shape} for at least one."
            )
        if self.task == "classes":
            if targets.min() < NULL_CLASS or targets.max() >= outputs:
                raise InvalidInput(
                    f"{name}: classes run from {targets.min()} to {targets.max()}, but they must "
                    f"run from 0 to {outputs - 1}, or be -1 of a blank record."
                )
        elif not (np.isnan(targets) | (targets == 0) | (targets == 1)).all():
            raise InvalidInput(f"{name}: a label is neither 0 nor 1 nor nan, as it must be.")


@dataclass(frozen=True)
class Setting:
    """A setting of one set alone: an argument of `load`, and `--set` on the command line."""

    name: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    def __str__(self) -> str:
        """Its name, with the words that it may be."""
        return f"{self.name} ({' or '.join(self.choices)})" if self.choices else self.name

    def checked(self, value: Any) -> Any:
        """The value as `build` takes it; refused where it is not allowed."""
        if self.choices:
            return one_of(self.name, value, self.choices)
        if self.least is None:
            return value
        return whole(self.name, value, at_least=self.least, at_most=self.most)


SEED = Setting("seed", "of the records that are drawn", 0, least=0, most=2**63 - 1)


@dataclass(frozen=True)
class ImageSource:
    """How one set is loaded."""

    entry: ExamplesEntry
    build: Callable[..., Examples]  # takes a `Progress` (or None), and all of `settings` by keyword
    settings: tuple[Setting, ...] = ()
    # how it can be obtained, where that does not follow from its files
    at_hand: Callable[[], files.Availability] | None = None
    # training records by default settings, where the entry cannot say
    count: Callable[[], int] | None = None


def unit(pixels: NDArray[np.uint8]) -> Inputs:
    """Scale grey values from 0 to 255 to numbers from 0 to 1."""
    return np.divide(pixels, np.float32(255), dtype=np.float32)


def _is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 or (len(shape) == 4 and shape[2] == shape[3])
