"""Suggestions of what columns may hold, from their names alone, for a person to confirm."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Levels = tuple[str, ...]
"""One way in which files write a list; of two answers, no comes first."""


@dataclass(frozen=True)
class Range:
    lowest: float
    highest: float
    unit: str = ""


@dataclass(frozen=True)
class Names:
    """What is known of the names in one header, by their letters and digits."""

    ranges: dict[str, Range]
    lists: dict[str, tuple[Levels, ...]]
    outcomes: frozenset[str]
    persons: frozenset[str]

    def range_of(self, name: str) -> Range | None:
        """The range that a column's name suggests, or ``None``."""
        return self.ranges.get(_letters(name))

    def lists_of(self, name: str) -> tuple[Levels, ...]:
        """The lists that a column's name suggests, the usual spelling first."""
        return self.lists.get(_letters(name), ())

    def is_outcome(self, name: str) -> bool:
        """Whether the name is usual for what is predicted."""
        return _letters(name) in self.outcomes

    def is_person(self, name: str) -> bool:
        """Whether the name is usual for what says whose row it is."""
        return _letters(name) in self.persons


def known_names(header: Iterable[str] = ()) -> Names:
    """What is known of these names, also as those of a public table that has them together."""
    written = set(map(_letters, header))
    books = [book for book in _data()["codebook"] if written.issuperset(_each(book["signs"]))]
    return _together(tuple(book["title"] for book in books))


def is_outcome(name: str) -> bool:
    """Whether the name is usual for what is predicted."""
    return known_names().is_outcome(name)


def _letters(name: str) -> str:
    """The letters and digits of a name, in small letters; "BMI (kg/m²)" is bmikgm2."""
    text = unicodedata.normalize("NFKC", name).lower().replace("μ", "u").replace("%", "percent")
    return re.sub(r"[\W_]+", "", text)


def _each(names: str) -> list[str]:
    return list(map(_letters, names.split()))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _levels(key: str) -> tuple[Levels, ...]:
    return tuple(map(tuple, _data()[key]))


YES_NO = _levels("yes_no")
"""How files write no and yes."""
SEXES = _levels("sexes")
"""How files write sexes. Which one is used changes how a file is read, and nothing else."""
_LISTS = {"yes_no_names": YES_NO, "yes_no_outcome_names": YES_NO, "sex_names": SEXES}


@cache
def _together(titles: tuple[str, ...]) -> Names:
    """What is commonly known, but where the codebooks of these titles say otherwise."""
    books = [_data(), *(book for book in _data()["codebook"] if book["title"] in titles)]
    ranges: dict[str, Range] = {}
    lists: dict[str, tuple[Levels, ...]] = {}
    for book in books:
        for key, spellings in _LISTS.items():
            lists |= dict.fromkeys(_each(book.get(key, "")), spellings)
        for names, *levels in book.get("lists", ()):
            lists |= dict.fromkeys(_each(names), tuple(map(tuple, levels)))
        for names, *values in book.get("numbers", ()):
            triples = zip(values[1::3], values[2::3], values[::3], strict=True)
            known = [Range(*each) for each in triples]
            for name in _each(names):
                ranges |= _by_unit(name, known)
    return Names(
        ranges,
        lists,
        outcomes=_all(books, "outcome_names") | _all(books, "yes_no_outcome_names"),
        persons=_all(books, "person_names"),
    )


def _by_unit(name: str, known: list[Range]) -> dict[str, Range]:
    aliases: dict[str, str] = _data()["units"]
    by_unit = {
        name + unit: each
        for each in known
        for unit in (_letters(each.unit), *_each(aliases.get(each.unit, "")))
    }
    is_one = len({(each.lowest, each.highest) for each in known}) == 1
    return by_unit | ({name: known[0]} if is_one else {})


def _all(books: list[dict[str, Any]], key: str) -> frozenset[str]:
    return frozenset(name for book in books for name in _each(book.get(key, "")))
