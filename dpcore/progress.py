"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

from dpcore.errors import Cancelled

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


def numbered(
    progress: Progress, count: int, name: str, *, with_steps: bool = False
) -> list[Progress]:
    """Report equal parts of the work, each as "split 3 of 20"; a single part by itself."""

    def part(place: int) -> Progress:
        report = section(progress, place / count, 1.0 / count)
        if count == 1:
            return report
        number = f"{name} {place + 1} of {count}"

        def numbered_report(fraction: float, message: str = "") -> None:
            report(fraction, f"{number}, {message}" if with_steps and message else number)

        return numbered_report

    return [part(place) for place in range(count)]


def stoppable(progress: Progress, cancelled: Callable[[], bool]) -> Progress:
    """Report as `progress` does, but raise `Cancelled` once `cancelled` returns True."""

    def report(fraction: float, message: str) -> None:
        if cancelled():
            raise Cancelled
        progress(fraction, message)

    return report


def silent(fraction: float, message: str = "") -> None:
    """Report to nobody."""
