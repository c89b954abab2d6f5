"""The saved state of a stopped training, which only the same training can resume.

It is read without running its contents, and is private, weights and all: readable by the user alone
until the training has ended. A resumed exploration takes the steps of an unbroken one.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from dpcore.datasets import cache
from dpcore.errors import InvalidInput
from dpcore.work.task import digest

if TYPE_CHECKING:
    from dpcore.evaluation.training.trainer import Trainer

CLAIMED = ".taken"
"""Ending of a state claimed by a resumed training: no other may use it."""

DAMAGED = "The state that was kept is damaged, so that training can't go on from it."


def pack(trainer: Trainer) -> bytes:
    """The trainer's state, with the name of its studies."""
    buffer = io.BytesIO()
    torch.save(
        {
            "of": _name(trainer),
            "studies": [study.description for study in trainer.studies],
            "records": trainer.data.digest,
            "state": trainer.state(),
        },
        buffer,
    )
    return buffer.getvalue()


def save(trainer: Trainer) -> str | None:
    """Save the state in the user's cache folder; its name, or ``None`` where it can't be saved."""
    name = _name(trainer)
    try:
        path = _path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        cache.write(path, lambda file: file.write(pack(trainer)))
        path.with_suffix(CLAIMED).unlink(missing_ok=True)
    except OSError:
        return None
    return name


def load(name: object) -> bytes | None:
    """The state of that name; ``None`` where there is none."""
    if not isinstance(name, str) or not re.fullmatch("[0-9a-f]{1,128}", name):
        return None
    with suppress(OSError):
        return _path(name).read_bytes()
    return None


def claim(trainer: Trainer, state: bytes) -> bool:
    """Claim the checkpoint; whether this process is the first and so may resume from the state.

    Two processes would release the later steps twice, at the price of once. One that has read the
    state before another went on from it, and saved a later one, is not the first.
    """
    path = _path(_name(trainer))
    claimed = path.with_suffix(CLAIMED)
    try:
        os.replace(path, claimed)
        is_first = claimed.read_bytes() == state
        if not is_first:
            os.replace(claimed, path)
    except OSError:
        return False
    return is_first


def forget(trainer: Trainer) -> None:
    """Remove the state, if there is one: the training has ended."""
    path = _path(_name(trainer))
    for file in (path, path.with_suffix(CLAIMED)):
        with suppress(OSError):
            file.unlink(missing_ok=True)


def _path(name: str) -> Path:
    return cache.folder() / "unfinished" / f"{name}.pt"


def restore(trainer: Trainer, contents: bytes) -> bool:
    """Restore the trainer from a checkpoint; False, with the trainer as it was, where it cannot.

    That is a state of other settings, other records, other code, another kind of device or another
    release of torch. The steps that it counts were taken at the rate and the σ of its own records,
    which the ε of others would not cover.
    """
    packed = _read(contents, trainer.device)
    if packed.get("of") != _name(trainer) or packed.get("records") != trainer.data.digest:
        return False
    try:
        trainer.restore(packed["state"])
    except Exception:  # an edited state may make anything raise
        raise InvalidInput(DAMAGED) from None
    return True


def described(contents: bytes) -> list[dict[str, Any]]:
    """The studies of a packed state, each as `TrainingStudy.description` gives it."""
    studies = _read(contents, torch.device("cpu")).get("studies")
    if not isinstance(studies, list) or not all(isinstance(study, dict) for study in studies):
        raise InvalidInput(DAMAGED)
    return studies


def _read(contents: bytes, device: torch.device) -> dict[str, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they concern states that are refused anyway
            packed = torch.load(io.BytesIO(contents), map_location=device, weights_only=True)
    except Exception:  # a damaged pickle may raise anything
        raise InvalidInput(DAMAGED) from None
    if not isinstance(packed, dict):
        raise InvalidInput(DAMAGED)
    return packed


def _name(trainer: Trainer) -> str:
    studies = [study.description for study in trainer.studies]
    return digest([studies, trainer.device.type, torch.__version__])
