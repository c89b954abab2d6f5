"""How a command line is broken into lines."""

from __future__ import annotations


def joined(*parts: str) -> str:
    """The parts, one a line, as a shell takes them."""
    return " \\\n  ".join(parts)
