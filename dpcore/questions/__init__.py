"""The questions that can be asked of private data, one folder each.

A folder here with a `question.py` is found by the pages, the command line, `import dpcore`, links,
jobs and the documentation. Its docstring says in a sentence what the question asks.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules


def names() -> tuple[str, ...]:
    """Name every question: its folder, function, JSON and CSV."""
    return tuple(sorted(each.name for each in iter_modules(__path__) if each.ispkg))


def command_of(name: str) -> str:
    """Name its command."""
    return COMMANDS.get(name, name.replace("_", "-"))


COMMANDS = {"cost": "sweep"}
"""Commands that are not named like their question."""


def asks(name: str) -> str:
    """Say what it asks, as a sentence goes on."""
    sentence = (import_module(f"{__name__}.{name}").__doc__ or "").partition("\n")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
