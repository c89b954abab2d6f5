"""Line breaks of command lines, and the arguments that a call has to name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TELLING = (
    "def tell(share, doing):",
    '    print(f"\\r{share:4.0%} {doing:<60}", end="", file=sys.stderr, flush=True)',
    "",
)
"""Python that tells on standard error how far a computation is; it needs `sys`."""


def joined(*parts: str) -> str:
    """The parts, one a line, as a shell takes them."""
    return " \\\n  ".join(parts)


def packed(parts: Sequence[str], width: int = 84) -> list[str]:
    """The parts, as many a line as fit."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < width:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines


def changed(fields: Mapping[str, Any], first: Mapping[str, Any]) -> list[str]:
    """`name=value` for each field that differs from its default."""
    return [
        f"{name}={value!r}"
        for name, value in fields.items()
        if name not in first or value != first[name]
    ]


def call(start: str, arguments: Sequence[str]) -> list[str]:
    """A call as Python, one argument a line; `start` ends before the bracket."""
    if not arguments:
        return [f"{start}()"]
    return [f"{start}(", *(f"    {argument}," for argument in arguments), ")"]
