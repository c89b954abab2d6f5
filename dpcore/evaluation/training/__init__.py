"""Private trainings of networks: study, data, trainer, checkpoint, report, and the task itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "TrainingStudy": "study",
    "new_release": "study",
    "begin": "task",
    "sweep_training": "task",
    "train": "task",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    """Load names lazily, as a study needs no torch."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
