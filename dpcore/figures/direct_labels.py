"""Names beside the lines of a figure, each where there is room and no other line is as near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 80
"""Steps that the horizontal axis is looked through in."""
FAR = 2.0
"""Heights of a label within which another line makes it hard to see whose name it is."""
STEEPEST = 6.0
"""Heights of a label that its line may rise or fall along it; a corner then stays near the line."""
HIDDEN = 0.3
"""Heights of a label within which a thick line hides another."""
SLOPE_WEIGHT = 0.3
"""What a height of slope costs, in heights of distance to the nearest other line."""


@dataclass(frozen=True)
class Box:
    """A rectangle, in shares of both axes from the lower left corner."""

    left: float
    right: float
    low: float
    high: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return 0.5 * (self.left + self.right), 0.5 * (self.low + self.high)


def places(
    lines: Sequence[tuple[Array, Array]],
    widths: Sequence[float],
    height: float,
    occupied: Sequence[Box] = (),
    thick: int | None = None,
) -> list[Box | None]:
    """Place the name of each of the first lines, or ``None`` where there is no room."""
    grid = np.linspace(0.0, 1.0, STEPS + 1)
    heights = np.stack([np.interp(grid, x, y, left=np.nan, right=np.nan) for x, y in lines])
    boxes, result = list(occupied), []
    for place, width in enumerate(widths):
        box = _best(grid, heights, place, width, height, boxes, thick)
        result.append(box)
        if box is not None:
            boxes.append(box)
    return result


def _best(
    grid: Array,
    heights: Array,
    place: int,
    width: float,
    height: float,
    boxes: Sequence[Box],
    thick: int | None,
) -> Box | None:
    steps = int(np.ceil(width * STEPS)) + 1
    if steps > STEPS:
        return None
    others = np.delete(heights, place, axis=0)
    top, bottom = (part[0] for part in _ends(heights[place : place + 1], steps))
    highest, lowest = _ends(others, steps)
    _, gaps = _ends(np.abs(others - heights[place]), steps)
    left, slope = grid[: len(top)], (top - bottom) / height
    hidden = np.zeros(len(left), dtype=bool)
    if thick is not None:
        over = np.abs(heights[[thick]] - heights[place])
        hidden = ~(_ends(over, steps)[1][0] > HIDDEN * height)
    near = np.fmin.reduce([np.full_like(left, np.inf), *gaps]) / height
    candidates: list[tuple[float, Box]] = []
    for low in (top + 0.2 * height, bottom - 1.2 * height):
        high = low + height
        # A line that is absent has nan there, which compares as false.
        entered = ((highest > low) & (lowest < high)).any(axis=0)
        fits = (slope <= STEEPEST) & ~entered & ~hidden & (low >= 0.0) & (high <= 1.0)
        for box in boxes:
            is_sideways = (left >= box.right) | (left + width <= box.left)
            fits &= is_sideways | (low >= box.high) | (high <= box.low)
        badness = np.where(fits, SLOPE_WEIGHT * slope - np.minimum(near, FAR), np.inf)
        best = int(np.argmin(badness))
        if fits[best]:
            one = Box(*(float(v) for v in (left[best], left[best] + width, low[best], high[best])))
            candidates.append((float(badness[best]), one))
    return min(candidates, key=lambda each: each[0])[1] if candidates else None


def _ends(heights: Array, steps: int) -> tuple[Array, Array]:
    """Largest and smallest height of each line over so many steps from each place."""
    parts = np.lib.stride_tricks.sliding_window_view(heights, steps, axis=1)
    return parts.max(axis=2), parts.min(axis=2)
