"""The settings of the environment: each variable DPCORE_*, and the check of what it holds."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from dpcore.errors import InvalidInput, number, reject, suggestion
from dpcore.words import as_set, spaced

PREFIX = "DPCORE_"
MIN_SECONDS, MAX_SECONDS = 2.0, 86_400.0
_SCHEDULER = re.compile(r"((tcp|tls|ws|wss|ucx)://)?([\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_DATABASE = re.compile(r"(sqlite|postgresql)(\+\w+)?://.*")


@dataclass(frozen=True)
class Variable:
    """A variable of the environment; an empty one counts as none."""

    name: str
    allowed: str  # in words
    holds: Callable[[str], bool]
    usual: str = ""  # what counts where there is none
    is_servers: bool = False  # only the server reads it, and no command

    @property
    def text(self) -> str:
        return os.environ.get(self.name, "").strip() or self.usual

    @property
    def path(self) -> Path | None:
        """The file or folder that it names; ``None`` for none."""
        return Path(os.path.expanduser(self.text)) if self.text else None

    @property
    def seconds(self) -> float:
        """The number of seconds that it holds."""
        return _seconds(self.name, self.text)

    def check(self) -> None:
        """Refuse what it may not hold."""
        if self.text and not self.holds(self.text):
            # The URL of a database may hold a password.
            shown = re.sub("://.*@", "://…@", self.text, flags=re.DOTALL)
            raise reject(self.name, shown, self.allowed)


def _seconds(name: str, text: str) -> float:
    return number(name, text, at_least=MIN_SECONDS, at_most=MAX_SECONDS)


def _is_seconds(text: str) -> bool:
    try:
        _seconds("", text)
    except InvalidInput:
        return False
    return True


def _is_scheduler(text: str) -> bool:
    return bool(_SCHEDULER.fullmatch(text)) and find_spec("distributed") is not None


def _is_file(text: str) -> bool:
    return os.path.isfile(os.path.expanduser(text))


def _is_folder(text: str) -> bool:
    return os.path.isdir(os.path.expanduser(text))


def _may_be_folder(text: str) -> bool:
    return _is_folder(text) or not os.path.exists(os.path.expanduser(text))


def _is_ledger(text: str) -> bool:
    return bool(_DATABASE.fullmatch(text)) if "://" in text else _is_file(text)


SECONDS = f"a number of seconds from {as_set(MIN_SECONDS)} to {spaced(round(MAX_SECONDS))}"
CACHE = Variable("DPCORE_CACHE", "a folder, or a path at which one can be made", _may_be_folder)
DATA = Variable("DPCORE_DATA", "a folder that exists", _is_folder)
SCHEDULER = Variable(
    "DPCORE_SCHEDULER",
    "the address of a Dask scheduler, such as tcp://127.0.0.1:8786, and the package distributed "
    'must be installed (pip install "epsilon-explorer[cluster]")',
    _is_scheduler,
)
WATCH_SECONDS = Variable("DPCORE_WATCH_SECONDS", SECONDS, _is_seconds, "30")
FORGET_SECONDS = Variable("DPCORE_FORGET_SECONDS", SECONDS, _is_seconds, "20", is_servers=True)
LEDGER = Variable(
    "DPCORE_LEDGER",
    "a ledger's file that exists, or a URL of SQLite or PostgreSQL",
    _is_ledger,
    is_servers=True,
)
ROLES = Variable("DPCORE_ROLES", "a file that exists", _is_file, is_servers=True)

SETTINGS = (CACHE, DATA, SCHEDULER, WATCH_SECONDS, FORGET_SECONDS, LEDGER, ROLES)
OF_TESTS = tuple(
    f"{PREFIX}{name}" for name in ("BROWSER", "POSTGRESQL", "SCREENSHOTS", "LEDGER_KILLS")
)
"""Variables that only the tests read."""


def check(*, of_server: bool = False) -> None:
    """Refuse a variable DPCORE_* that nothing reads, and one that holds what it may not."""
    names = tuple(setting.name for setting in SETTINGS)
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in (*names, *OF_TESTS):
            raise InvalidInput(
                f"{name} is set, but the settings are {', '.join(names)}{suggestion(name, names)}."
            )
    for setting in SETTINGS:
        if of_server or not setting.is_servers:
            setting.check()
