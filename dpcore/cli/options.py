"""Reading options: each arrives as text and is checked here, with errors in one sentence."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from dpcore.errors import MAX_LETTERS, InvalidInput, cut, number, whole

JSON_HELP = "print one JSON object"


class Parser(argparse.ArgumentParser):
    """Reports bad usage as one sentence and exit code 2; a command is imported when used."""

    def __init__(self, *arguments: Any, load: Callable[[], Any] | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._load = load

    def load(self) -> None:
        """Add the command's options, if they are not there yet."""
        if self._load is not None:
            load, self._load = self._load, None
            command = load()
            command.add(self)
            json_help = getattr(command, "JSON_HELP", JSON_HELP)
            self.add_argument("--json", action="store_true", help=json_help)
            self.set_defaults(run=command.run)

    def actions(self) -> list[argparse.Action]:
        """List the command's arguments and options, apart from help."""
        self.load()
        return [action for action in self._actions if action.dest != "help"]

    def parse_known_args(self, *arguments: Any, **more: Any) -> Any:
        self.load()
        return super().parse_known_args(*arguments, **more)

    def error(self, message: str) -> NoReturn:
        """Raise `argparse`'s message, in which the user's input is cut and made printable."""
        prefix, marker, typed = message.partition("unrecognized arguments: ")
        text = prefix + marker + cut(typed)
        text = re.sub(rf"\S{{{MAX_LETTERS},}}", lambda long: cut(long[0]), text)
        raise InvalidInput(f"{self.prog}: {''.join(map(_printable, text))}.")


def _printable(letter: str) -> str:
    return letter if letter.isprintable() else repr(letter)[1:-1]


def words(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated list, without empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


MAX_EPSILON = 1e6


def numbers(field: str, text: str) -> tuple[float, ...]:
    """A comma-separated list of numbers above 0."""
    return tuple(number(field, part, above=0.0) for part in text.split(","))


def or_usual(text: str | None, usual: str) -> str:
    """The typed text, even if empty, or else the usual one."""
    return usual if text is None else text


def scale(field: str, text: str) -> float:
    """A σ or Δ, in a range that squares and quotients do not overflow."""
    return number(field, number(field, text, above=0.0), at_least=1e-100, at_most=1e100)


def scales(field: str, text: str) -> tuple[float, ...]:
    """A comma-separated list of σ or Δ, each as `scale` reads it."""
    return tuple(scale(field, part) for part in text.split(","))


def privacy_loss(field: str, text: str) -> float:
    """An ε; one of millions is no promise, and no arithmetic with it is safe."""
    return number(field, text, above=0.0, at_most=MAX_EPSILON)


def alone(options: argparse.Namespace, source: str, *names: str) -> None:
    """Refuse these options, for which what is given leaves no room."""
    for name in names:
        if getattr(options, name) is not None:
            raise InvalidInput(
                f"{name.replace('_', '-')} is given, but {source} leaves no room for it."
            )


def optional(field: str, text: str | None) -> float | None:
    """A number, or ``None`` where nothing was typed."""
    return None if text is None else number(field, text)


def optional_whole(
    field: str, text: str | None, at_least: int, at_most: int | None = None
) -> int | None:
    """A whole number, or ``None`` where nothing was typed."""
    return None if text is None else whole(field, text, at_least=at_least, at_most=at_most)
