"""What a stopped training needs to go on: packed, and taken up by the same training only.

The state holds the random generators, so a training that goes on takes the very steps that an
unbroken one takes, on the same kind of device. It is read without running anything that it holds.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch

from dpcore.errors import InvalidInput
from dpcore.evaluation.task import digest

if TYPE_CHECKING:
    from dpcore.evaluation.trainer import Trainer

DAMAGED = "The state that was kept is damaged, so that training can't go on from it."


def pack(trainer: Trainer) -> bytes:
    """The trainer's state, with the name of what it is a state of."""
    held = io.BytesIO()
    torch.save(
        {
            "of": _name(trainer),
            "studies": [asdict(study) for study in trainer.studies],
            "state": trainer.state(),
        },
        held,
    )
    return held.getvalue()


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
    """The studies of what was packed, each as `dataclasses.asdict` gives it.

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
        found = torch.load(io.BytesIO(contents), map_location=device, weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError):
        raise InvalidInput(DAMAGED) from None
    if not isinstance(found, dict):
        raise InvalidInput(DAMAGED)
    return found


def _name(trainer: Trainer) -> str:
    studies = [asdict(study) for study in trainer.studies]
    return digest([studies, trainer.device.type, torch.__version__])
