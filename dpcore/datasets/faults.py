"""What a table from anyone may have at most, and what is wrong with it, place by place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dpcore.errors import InvalidInput

MEGABYTE = 1024 * 1024
LARGEST_TABLE = 300 * MEGABYTE
"""Bytes of a table of one's own, or of the text that it decompresses to."""
MAX_ROWS = 1_000_000
MAX_FIELDS = 2_000
LARGEST_NUMBER = 1e9
"""No quantity in any set comes near it; anything beyond is a broken file, not a measurement."""
MAX_FAULTS = 20
"""Places that one refusal names."""


class WrongTable(InvalidInput):
    """A file whose lines are not as they must be: a sentence for each fault, in its own line."""

    def __init__(self, sentences: str, field: str = "", value: str = "") -> None:
        super().__init__(sentences)
        self.field, self.value = field, value

    def __reduce__(self) -> tuple[type[WrongTable], tuple[str]]:
        # The sentences alone leave the process that holds the records.
        return WrongTable, (str(self),)


class WrongHeader(InvalidInput):
    """A file that does not name each described column once."""

    def __init__(
        self, sentence: str, absent: Collection[str] = (), others: Collection[str] = ()
    ) -> None:
        super().__init__(sentence)
        self.absent, self.others = absent, others


class Faults:
    """The places where a file is wrong, while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: Callable[[Sequence[int]], Sequence[int]] = lambda rows: rows
        """From rows, in order and counted from 0, to the lines that they begin in."""
        self._places: list[tuple[int, str, str, str]] = []

    def add(self, row: int, reason: str, field: str = "", value: str = "") -> None:
        """Note one place; `reason` says what must hold, in a sentence without its beginning."""
        self._places.append((row, reason, field, value))

    @property
    def found(self) -> bool:
        return bool(self._places)

    @property
    def enough(self) -> bool:
        """Whether no more are told."""
        return len(self._places) >= MAX_FAULTS

    def tell(self) -> None:
        """Raise a `WrongTable` if any place is wrong; the same fault of several is one sentence."""
        if not self.found:
            return
        places = sorted(self._places, key=lambda place: place[0])[:MAX_FAULTS]
        lines: dict[str, list[int]] = {}
        for line, place in zip(self.lines([row for row, *_ in places]), places, strict=True):
            lines.setdefault(place[1], []).append(line)
        sentences = [f"{self.name}, {_in_words(each)}: {reason}" for reason, each in lines.items()]
        if self.enough:
            sentences.append(
                f"{self.name} may be wrong in more places; the first {MAX_FAULTS} are named."
            )
        first = next((place for place in places if place[2]), (0, "", "", ""))
        raise WrongTable("\n".join(sentences), *first[2:])


def _in_words(lines: list[int]) -> str:
    *others, last = [f"{line}" for line in dict.fromkeys(lines)]
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"
