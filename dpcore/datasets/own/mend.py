"""What may be done about a refusal: another description, which would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.errors import InvalidInput


@dataclass(frozen=True)
class Mend:
    """Another description, offered where one is refused or doubtful.

    Parameters
    ----------
    label : str
        What it does, in a few words.
    columns : str
        The whole description.
    """

    label: str
    columns: str


class Mendable(InvalidInput):
    """A refusal of a description, or of a file by it, with what may be done about it.

    Parameters
    ----------
    sentence : str
    mends : sequence of Mend
        The likeliest first.
    """

    def __init__(self, sentence: str, mends: Sequence[Mend] = ()) -> None:
        super().__init__(sentence)
        self.mends = tuple(mends)


def with_line(columns: str, place: int, line: str = "") -> str:
    """The description with this line in place of another one, or without that."""
    lines = columns.splitlines()
    lines[place - 1 : place] = [line] if line else []
    return "\n".join(lines)
