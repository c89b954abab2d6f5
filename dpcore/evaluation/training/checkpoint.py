"""What a stopped training needs to go on: packed, and taken up by the same training only.

The state of an exploration holds its random generators, so one that goes on takes the very steps
that an unbroken one takes, on the same kind of device; a training for keeping has none to hold. It
is read without running anything that it holds. It is private, weights and all: it lies in the
user's cache folder, readable by the user alone, until the training has come to its end.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from dpcore.datasets import cache
from dpcore.errors import InvalidInput
from dpcore.evaluation.task import digest

if TYPE_CHECKING:
    from dpcore.evaluation.training.trainer import Trainer

TAKEN = ".taken"
"""Ending of a state that a training goes on from: nobody else may."""

DAMAGED = "The state that was kept is damaged, so that training can't go on from it."


def pack(trainer: Trainer) -> bytes:
    """The trainer's state, with the name of what it is a state of."""
    held = io.BytesIO()
    torch.save(
        {
            "of": _name(trainer),
            "studies": [study.description for study in trainer.studies],
            "state": trainer.state(),
        },
        held,
    )
    return held.getvalue()


def put_by(trainer: Trainer) -> str | None:
    """Keep the state in the user's cache folder; its name, or ``None`` where nothing can be kept.

    A state of the same studies that is there already gives way.
    """
    name = _name(trainer)
    try:
        path = _path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)  # readable by the user alone
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(pack(trainer))
            os.replace(temporary, path)
            path.with_suffix(TAKEN).unlink(missing_ok=True)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError:
        return None
    return name


def got_back(name: object) -> bytes | None:
    """The state of that name; ``None`` where there is none."""
    with suppress(OSError):
        return _path(name).read_bytes() if isinstance(name, str) and _is_name(name) else None
    return None


def claimed(trainer: Trainer) -> bool:
    """Whether this process is the one that goes on from the state: only the first that asks is.

    Two that went on would release the later steps twice, at the price of once.
    """
    path = _path(_name(trainer))
    try:
        os.replace(path, path.with_suffix(TAKEN))
    except OSError:
        return False
    return True


def forget(trainer: Trainer) -> None:
    """Remove the state, if there is one: the training has come to its end."""
    path = _path(_name(trainer))
    for each in (path, path.with_suffix(TAKEN)):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def _path(name: str) -> Path:
    return cache.folder() / "unfinished" / f"{name}.pt"


def _is_name(name: str) -> bool:
    return re.fullmatch("[0-9a-f]{1,128}", name) is not None


def take_up(trainer: Trainer, contents: bytes) -> bool:
    """Let the trainer go on from what was packed.

    Returns
    -------
    bool
        False, with the trainer as it was, for a state of other settings, other code, another kind
        of device or another release of torch.

    Raises
    ------
    InvalidInput
        If it can't be read.
    """
    found = _read(contents, trainer.device)
    if found.get("of") != _name(trainer):
        return False
    try:
        trainer.restore(found["state"])
    except (KeyError, ValueError, TypeError, RuntimeError, AttributeError):
        raise InvalidInput(DAMAGED) from None
    return True


def described(contents: bytes) -> list[dict[str, Any]]:
    """The studies of what was packed, each as `TrainingStudy.description` gives it.

    Raises
    ------
    InvalidInput
        If it can't be read.
    """
    found = _read(contents, torch.device("cpu")).get("studies")
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput(DAMAGED)
    return found


def _read(contents: bytes, device: torch.device) -> dict[str, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they tell of what is refused anyway
            found = torch.load(io.BytesIO(contents), map_location=device, weights_only=True)
    except Exception:  # a damaged pickle may raise anything
        raise InvalidInput(DAMAGED) from None
    if not isinstance(found, dict):
        raise InvalidInput(DAMAGED)
    return found


def _name(trainer: Trainer) -> str:
    studies = [study.description for study in trainer.studies]
    return digest([studies, trainer.device.type, torch.__version__])
