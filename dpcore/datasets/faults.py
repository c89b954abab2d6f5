"""What is wrong with a table, place by place: lines and columns, never a value of the records."""

from __future__ import annotations

from dpcore.datasets.limits import MOST_FAULTS
from dpcore.errors import InvalidInput


class WrongTable(InvalidInput):
    """A file whose lines are not as they must be: one sentence a fault, each in a line of its own.

    Parameters
    ----------
    sentences : str
    field, value : str
        Name of the first field that does not allow its value, and that value; "" without one.
    """

    def __init__(self, sentences: str, field: str = "", value: str = "") -> None:
        super().__init__(sentences)
        self.field, self.value = field, value

    def __reduce__(self) -> tuple[type[WrongTable], tuple[str]]:
        # The sentences alone leave the process that holds the records.
        return WrongTable, (str(self),)


class Faults:
    """The places where a file is wrong, while it is read.

    Parameters
    ----------
    name : str
        What to call the file.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: list[tuple[int, str, str, str]] = []

    def add(self, line: int, reason: str, field: str = "", value: str = "") -> None:
        """Note one place; `reason` says what must hold, in a sentence without its beginning."""
        self._places.append((line, reason, field, value))

    @property
    def enough(self) -> bool:
        """Whether no more are told."""
        return len(self._places) >= MOST_FAULTS

    def tell(self) -> None:
        """Refuse the file if any place is wrong.

        Raises
        ------
        WrongTable
            Places with the same fault share a sentence.
        """
        if not self._places:
            return
        places = sorted(self._places, key=lambda place: place[0])[:MOST_FAULTS]
        lines: dict[str, list[int]] = {}
        for line, reason, _, _ in places:
            lines.setdefault(reason, []).append(line)
        sentences = [f"{self.name}, {_in_words(each)}: {reason}" for reason, each in lines.items()]
        if self.enough:
            sentences.append(
                f"{self.name} may be wrong in more places; the first {MOST_FAULTS} are named."
            )
        first = next((place for place in places if place[2]), (0, "", "", ""))
        raise WrongTable("\n".join(sentences), *first[2:])


def _in_words(lines: list[int]) -> str:
    *others, last = [f"{line}" for line in dict.fromkeys(lines)]
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"
