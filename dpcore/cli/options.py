"""Reading what was typed: every option arrives as text and is checked here, in one sentence."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from dpcore.errors import MOST_LETTERS, InvalidInput, cut, number, whole

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction["Parser"]


class Parser(argparse.ArgumentParser):
    """Reports bad usage as one sentence and exit code 2.

    Options whose declarations are slow to load are added once the command is asked for.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._later: list[Callable[[Parser], None]] = []

    def later(self, add: Callable[[Parser], None]) -> None:
        """Have `add` called with this parser before it is used."""
        self._later.append(add)

    def parse_known_args(self, *arguments: Any, **more: Any) -> Any:
        """As `argparse` does, with all options there."""
        while self._later:
            self._later.pop(0)(self)
        return super().parse_known_args(*arguments, **more)

    def error(self, message: str) -> NoReturn:
        """Raise what `argparse` has to say, which repeats what was typed."""
        known, unknown, typed = message.partition("unrecognized arguments: ")
        said = known + unknown + cut(typed)
        said = re.sub(rf"\S{{{MOST_LETTERS},}}", lambda long: cut(long[0]), said)
        raise InvalidInput(f"{self.prog}: {''.join(map(_printable, said))}.")


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else repr(letter)[1:-1]


def json_option(command: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    command.add_argument("--json", action="store_true", help="print one JSON object")


def words(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated list, without empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


MOST_EPSILON = 1e6


def numbers(field: str, text: str) -> tuple[float, ...]:
    """A comma-separated list of numbers above 0."""
    return tuple(number(field, part, above=0.0) for part in text.split(","))


def or_usual(text: str | None, usual: str) -> str:
    """What was typed, even if that is empty, or else what is usual."""
    return usual if text is None else text


def scale(field: str, text: str) -> float:
    """A σ or Δ: what arithmetic holds, also when it is squared or divided by another."""
    return number(field, number(field, text, above=0.0), at_least=1e-100, at_most=1e100)


def scales(field: str, text: str) -> tuple[float, ...]:
    """A comma-separated list of them."""
    return tuple(scale(field, part) for part in text.split(","))


def privacy_loss(field: str, text: str) -> float:
    """An ε; one of millions is no promise, and none can be reckoned with."""
    return number(field, text, above=0.0, at_most=MOST_EPSILON)


def optional(field: str, text: str | None) -> float | None:
    """A number, or ``None`` where nothing was typed."""
    return None if text is None else number(field, text)


def optional_whole(
    field: str, text: str | None, at_least: int, at_most: int | None = None
) -> int | None:
    """A whole number, or ``None`` where nothing was typed."""
    return None if text is None else whole(field, text, at_least=at_least, at_most=at_most)
