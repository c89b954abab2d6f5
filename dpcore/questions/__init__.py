"""The questions that can be asked of private data, one folder each.

A folder here with a `question.py` is found by the pages, the command line, `import dpcore`, links,
jobs and the documentation. Its docstring says in a sentence what it asks. A folder without
one is asked by a command of its own, or looks at the answer of another.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def names() -> tuple[str, ...]:
    """Name every question of which all is derived: its folder, function, JSON and CSV."""
    files = [file for place in __path__ for file in Path(place).glob("*/question.py")]
    return tuple(sorted(file.parent.name for file in files))


def command_of(name: str) -> str:
    """Name its command."""
    return COMMANDS.get(name, name.replace("_", "-"))


COMMANDS = {"cost": "sweep"}
"""Commands that are not named like their question."""


def asks(name: str) -> str:
    """Say what it asks, as a sentence goes on."""
    sentence = (import_module(f"{__name__}.{name}").__doc__ or "").partition("\n")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
