"""Reading what was typed: every option arrives as text and is checked here, in one sentence."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from dpcore.errors import InvalidInput, number, whole

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


class Parser(argparse.ArgumentParser):
    """Reports bad usage as one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Raise what `argparse` has to say."""
        raise InvalidInput(f"{self.prog}: {message}.")


def json_option(command: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    command.add_argument("--json", action="store_true", help="print one JSON object")


def words(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated list, without empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def numbers(field: str, text: str) -> tuple[float, ...]:
    """A comma-separated list of numbers above 0."""
    return tuple(number(field, part, above=0.0) for part in text.split(","))


def or_usual(text: str | None, usual: str) -> str:
    """What was typed, even if that is empty, or else what is usual."""
    return usual if text is None else text


def optional(field: str, text: str | None) -> float | None:
    """A number, or ``None`` where nothing was typed."""
    return None if text is None else number(field, text)


def optional_whole(
    field: str, text: str | None, at_least: int, at_most: int | None = None
) -> int | None:
    """A whole number, or ``None`` where nothing was typed."""
    return None if text is None else whole(field, text, at_least=at_least, at_most=at_most)
