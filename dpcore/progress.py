"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""(fraction done, what is being done); an exception that it raises ends the work."""


def silent(fraction: float, message: str) -> None:
    """Report to nobody."""
