"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""(fraction done, what is being done); an exception that it raises ends the work."""


def between(progress: Callable[[float], None], begin: float, end: float) -> Callable[[float], None]:
    """What one part of the work reports its own share to, if it lasts from `begin` to `end`."""
    return lambda share: progress(begin + (end - begin) * share)


def section(progress: Progress, start: float, share: float) -> Progress:
    """Report a part of the work, which begins at `start` and is a `share` of the whole."""

    def report(fraction: float, message: str = "") -> None:
        progress(start + share * fraction, message)

    return report


def silent(fraction: float, message: str = "") -> None:
    """Report to nobody."""
