"""The time that trainings will take, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.words import lasting

if TYPE_CHECKING:
    from dpcore.evaluation.training.duration import Duration


def in_time(duration: Duration) -> str:
    """The estimate and its range, as "about 4 min, between 3 and 7 min"."""
    low, high = (lasting(seconds) for seconds in (duration.low, duration.high))
    return f"{about(duration)}, between {low} and {high}"


def about(duration: Duration) -> str:
    """The estimate alone, as "about 4 min"."""
    return f"about {lasting(duration.seconds)}"
