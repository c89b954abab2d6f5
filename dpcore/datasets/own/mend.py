"""What may be done about a refusal: another description, which would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.datasets.own.field import TableDescription
from dpcore.datasets.own.notation import write
from dpcore.errors import InvalidInput


@dataclass(frozen=True)
class Mend:
    """Another description, offered where one is refused or doubtful."""

    label: str
    columns: str


def mend(label: str, description: TableDescription) -> Mend:
    """The mend that replaces a description by another one."""
    return Mend(label, write(description))


class Mendable(InvalidInput):
    """A refusal of a description, or of a file by it, with what may be done about it."""

    def __init__(self, sentence: str, mends: Sequence[Mend] = ()) -> None:
        super().__init__(sentence)
        self.mends = tuple(mends)
