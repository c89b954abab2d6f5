"""What the owner of a table is told of values outside the ranges of its description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpcore.words import listed, spaced

if TYPE_CHECKING:
    from dpcore.datasets.encoding import Clipping

MAX_NAMES = 5


def mostly_clipped(names: Sequence[str]) -> str:
    """A warning of columns of which most values were clipped; "" for none."""
    if not names:
        return ""
    return (
        f"Most values of {_named(names)} are outside the range of your description, and were "
        "clipped to it. Was it written in another unit, or with a slip in its decimals? Correct it "
        "from a codebook or common knowledge, never from these records."
    )


def often_clipped(names: Sequence[str]) -> str:
    """A warning of columns of which more than one in twenty values were clipped; "" for none."""
    if not names:
        return ""
    return (
        f"More than one in twenty values of {_named(names)} are outside the range of your "
        "description, and were clipped to it."
    )


def warnings(clipping: Clipping) -> list[str]:
    """Both warnings, as far as they apply."""
    return [
        each for each in (mostly_clipped(clipping.mostly), often_clipped(clipping.often)) if each
    ]


def counts(clipping: Clipping) -> str:
    """How many values of each column were clipped, marked as not private; "" for none."""
    if not clipping.columns:
        return ""
    texts = [f"{spaced(outside.outside)} of {name}" for name, outside in clipping.columns]
    return (
        f"Values clipped to the ranges of your description: {_named(texts)}. That is not private, "
        "and for you alone."
    )


def _named(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMES
    others = [f"{spaced(more)} more column{'s' if more > 1 else ''}"] if more > 0 else []
    return listed([*names[:MAX_NAMES], *others])
