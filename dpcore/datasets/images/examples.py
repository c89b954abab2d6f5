"""Inputs and targets for networks: arrays, their source, and their description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import download
from dpcore.datasets.schema import Description
from dpcore.errors import InvalidInput, one_of, whole

TargetKind = Literal["classes", "labels"]
NULL_CLASS = -1
"""Class of a null record, one person's record blanked; it counts as a record and adds nothing."""
Inputs = NDArray[np.float32]
Targets = NDArray[Any]


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

    task: TargetKind
    names: tuple[str, ...]
    purpose: str
    test_records: int
    side: int = 0


@dataclass(frozen=True, eq=False)
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
    def title(self) -> str:
        """Name on screen."""
        return self.entry.title

    @property
    def task(self) -> TargetKind:
        """Either "classes" or "labels"."""
        return self.entry.task

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes or labels, in the order of the targets."""
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
class Setting:
    """A setting of one set alone: an argument of `load`, and `--set` on the command line.

    Parameters
    ----------
    name : str
    help : str
        Its meaning, in a few words.
    default : object
    choices : tuple of str
        The words that it may be; empty where it is no word.
    least, most : int, optional
        Limits of a whole number; without a least one `build` decides.
    """

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
        """The value as `build` takes it.

        Raises
        ------
        InvalidInput
            If it is not allowed.
        """
        if self.choices:
            return one_of(self.name, value, self.choices)
        if self.least is None:
            return value
        return whole(self.name, value, at_least=self.least, at_most=self.most)


SEED = Setting("seed", "of the records that are drawn", 0, least=0, most=2**63 - 1)


@dataclass(frozen=True)
class ImageSource:
    """How one set is loaded; a file in `dpcore.datasets.images.sets` defines it as ``SOURCE``.

    Parameters
    ----------
    entry : ExamplesEntry
        Its description.
    build : callable
        Takes a `Progress` (or None) and, by keyword only, all of `settings`; returns `Examples`.
    settings : tuple of Setting
        The set's own.
    at_hand : callable or None
        How the set can be obtained here, where that does not follow from its files.
    count : callable or None
        Number of training records with default settings, where the entry cannot say.
    """

    entry: ExamplesEntry
    build: Callable[..., Examples]
    settings: tuple[Setting, ...] = ()
    at_hand: Callable[[], download.Availability] | None = None
    count: Callable[[], int] | None = None


def unit(pixels: NDArray[np.uint8]) -> Inputs:
    """Scale grey values from 0 to 255 to numbers from 0 to 1."""
    return np.divide(pixels, np.float32(255), dtype=np.float32)


def _is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 or (len(shape) == 4 and shape[2] == shape[3])
