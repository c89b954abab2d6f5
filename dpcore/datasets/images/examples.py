"""Inputs and targets for networks: arrays, their source, and their description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import download
from dpcore.datasets.schema import Description
from dpcore.errors import InvalidInput

Task = Literal["classes", "labels"]
NULL_CLASS = -1
"""Class of a null record, one person's record blanked; it counts as a record and adds nothing."""
Inputs = NDArray[np.float32]
Targets = NDArray[Any]
Settings = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ExamplesEntry(Description):
    """A set for networks as the catalogue lists it.

    Parameters
    ----------
    task : {"classes", "labels"}
        One class of several for each record, or several yes-or-no labels for each.
    names : tuple of str
        Names of the classes or labels, in the order of the targets; empty where only the file
        gives them.
    purpose : str
        What is predicted, in one sentence.
    test_records : int
        Number of test records, not counted in `records`; 0 where only the file tells.
    side : int
        Pixels along a side of the square images, with default settings; 0 where records are not
        images.

    Notes
    -----
    The other fields are those of `Description`.
    """

    task: Task
    names: tuple[str, ...]
    purpose: str
    test_records: int
    side: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Examples:
    """Records for training a network and for testing it.

    Parameters
    ----------
    entry : ExamplesEntry
        Description of the set, with a name for each class or label.
    train_inputs, test_inputs : numpy.ndarray of float32, (n, channels, side, side) or (n, d)
        Images lie in [0, 1]; features are finite.
    train_targets, test_targets : numpy.ndarray
        Classes: int64, (n,), counted from 0, or `NULL_CLASS`. Labels: float32, (n, labels), each
        0, 1 or nan for unknown; all labels of a null record are nan.
    notes : tuple of str
        Observations made while reading, in plain sentences.
    published : bool
        Whether these are exactly the published records, by checksum, or a built-in set. When False
        they may be private.
    reassembled : bool
        Whether the records are the publisher's, but the file and thus their order are not.

    Raises
    ------
    InvalidInput
        If shapes, types or targets are not as described here.
    """

    entry: ExamplesEntry
    train_inputs: Inputs
    train_targets: Targets
    test_inputs: Inputs
    test_targets: Targets
    notes: tuple[str, ...] = ()
    published: bool = True
    reassembled: bool = False

    def __post_init__(self) -> None:
        self._check("training", self.train_inputs, self.train_targets)
        self._check("test", self.test_inputs, self.test_targets)
        if self.train_inputs.shape[1:] != self.test_inputs.shape[1:]:
            raise InvalidInput(
                f"{self.title}: records for training have shape {self.train_inputs.shape[1:]} and "
                f"those for testing {self.test_inputs.shape[1:]}, but they must be the same."
            )

    @property
    def key(self) -> str:
        """Name in the catalogue."""
        return self.entry.key

    @property
    def title(self) -> str:
        """Name on screen."""
        return self.entry.title

    @property
    def source(self) -> str:
        """Origin of the records."""
        return self.entry.source

    @property
    def licence(self) -> str:
        """Terms of use."""
        return self.entry.licence

    @property
    def citation(self) -> str:
        """How to cite them."""
        return self.entry.citation

    @property
    def task(self) -> Task:
        """Either "classes" or "labels"."""
        return self.entry.task

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes or labels, in the order of the targets."""
        return self.entry.names

    @property
    def traps(self) -> tuple[str, ...]:
        """Mistakes that a naive user of the records makes."""
        return self.entry.traps

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
                f"{name}: targets are {targets.dtype} of shape {targets.shape} for {count:,} "
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
class ImageSource:
    """How one set is loaded; a file in `dpcore.datasets.images.sets` defines it as ``SOURCE``.

    Parameters
    ----------
    entry : ExamplesEntry
        Its description.
    build : callable
        Takes a `Progress` (or None) and, by keyword only, the set's own settings; returns
        `Examples`.
    at_hand : callable or None
        How the set can be obtained here, where that does not follow from its files.
    count : callable or None
        Number of training records with default settings, where the entry cannot say.
    """

    entry: ExamplesEntry
    build: Callable[..., Examples]
    at_hand: Callable[[], download.Availability] | None = None
    count: Callable[[], int] | None = None

    @property
    def settings(self) -> Settings:
        """The set's own settings by name, each with its default value."""
        return {
            name: None if parameter.default is parameter.empty else parameter.default
            for name, parameter in inspect.signature(self.build).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }


def unit(pixels: NDArray[np.uint8]) -> Inputs:
    """Scale grey values from 0 to 255 to numbers from 0 to 1."""
    return np.divide(pixels, np.float32(255), dtype=np.float32)


def _is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 or (len(shape) == 4 and shape[2] == shape[3])
