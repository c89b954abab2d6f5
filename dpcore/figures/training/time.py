"""The time that trainings will take, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.words import plain

if TYPE_CHECKING:
    from dpcore.evaluation.training.duration import Duration

UNITS = ((90 * 60.0, 3600.0, "hours"), (90.0, 60.0, "min"), (0.0, 1.0, "s"))
"""From so many seconds on, the unit and its name."""


def in_time(duration: Duration) -> str:
    """The estimate and its range, as "about 4 min, between 3 and 7 min"."""
    low, high = (_amount(seconds) for seconds in (duration.low, duration.high))
    return f"{about(duration)}, between {low} and {high}"


def about(duration: Duration) -> str:
    """The estimate alone, as "about 4 min"."""
    return f"about {_amount(duration.seconds)}"


def _amount(seconds: float) -> str:
    seconds = max(1.0, seconds)
    unit, name = next((unit, name) for least, unit, name in UNITS if seconds >= least)
    return f"{plain(seconds / unit, 2 if seconds >= 10.0 * unit or name == 'hours' else 1)} {name}"
