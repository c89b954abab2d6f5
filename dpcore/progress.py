"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""(fraction done, what is being done); an exception that it raises ends the work."""


def between(progress: Callable[[float], None], begin: float, end: float) -> Callable[[float], None]:
    """What one part of the work reports its own share to, if it lasts from `begin` to `end`."""
    return lambda share: progress(begin + (end - begin) * share)


def silent(fraction: float, message: str = "") -> None:
    """Report to nobody."""
