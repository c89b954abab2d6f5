"""Keeps golden answers: short forms of long ones, their files, and how two of them differ."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent / "golden"
EXACT, TRAINED = (1e-8, 1e-12), (1e-5, 1e-7)
"""How close numbers stay, by their size and at all: processors, and threads, sum otherwise."""
FEW, LETTERS = 4, 100
"""Values of a list, and letters of a text, that are kept as they are."""
AS_ABOVE = "… {} lines as above"


OF_THE_MOMENT = {
    r"\b202\d-\d\d-\d\d([T ][\d:.]+([+-]\d\d:\d\d)?)?": "DAY",
    r"\b[0-9a-f]{12,}\b": "HASH",
    r"(?<= repetitions in )[\d.,]+ m?s\b": "TIME",
    r"/\S*/golden\d+\b": "FOLDER",
}
"""What differs from run to run, and what stands for it: days, hashes, times, folders."""
PUBLIC = re.compile(r"[/_ ](epsilon|delta|sigma|mu|records|steps)(/|$)")
"""Names of numbers that no training decides."""


def lasting(text: str) -> str:
    """A text without what is of the moment, and with usual spaces."""
    for pattern, word in OF_THE_MOMENT.items():
        text = re.sub(pattern, word, text)
    return text.replace("\u00a0", " ")


def short(value: Any) -> Any:
    """A golden form of an answer: long lists by their ends and sums, tables by their columns."""
    match value:
        case {"bdata": written, "dtype": kind}:  # an array of a Plotly figure
            return short(np.frombuffer(base64.b64decode(written), kind).tolist())
        case dict():
            return {str(key): short(each) for key, each in value.items()}
        case pd.DataFrame():
            return {"rows": len(value)} | {str(name): short(value[name]) for name in value}
        case pd.Series() | np.ndarray():
            return short(value.tolist())
        case list() | tuple():
            return _short_list(list(value))
        case bool() | None:
            return value
        case Real():
            number = float(value)
            return number if math.isfinite(number) else str(number)
        case _:
            text = lasting(str(value))
            return text if len(text) <= LETTERS else f"{text[:LETTERS]}… {_digest(text)}"


def _short_list(values: list[Any]) -> Any:
    if len(values) <= FEW:
        return [short(each) for each in values]
    if all(isinstance(each, dict) for each in values):
        names = list(dict.fromkeys(name for each in values for name in each))
        columns = {name: short([each.get(name) for each in values]) for name in names}
        return {"rows": len(values)} | columns
    ends = {"count": len(values), "ends": [short(values[0]), short(values[-1])]}
    # Of a map of numbers each place counts by itself.
    flat = list(chain.from_iterable(each if isinstance(each, list) else [each] for each in values))
    numbers = [float(each) if _are_numbers(each) and math.isfinite(each) else None for each in flat]
    if any(each is not None for each in numbers):
        # No term takes another away, and each place and each sign counts differently.
        sizes = [abs(each) * (1 if each > 0 else 2) if each else 0.0 for each in numbers]
        weighed = sum(place * each for place, each in enumerate(sizes, 1))
        ends |= {"sizes": sum(sizes), "weighed": weighed}
    others = [
        "" if number is not None else short(each)
        for number, each in zip(numbers, flat, strict=True)
    ]
    return ends | ({"others": _digest(json.dumps(others))} if any(others) else {})


def _digest(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x} of {len(text)}"


def differences(
    expected: Any, actual: Any, digits: tuple[float, float], path: str = ""
) -> Iterator[str]:
    """Where two golden forms differ: the path, what was expected and what is there."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in [*expected, *(each for each in actual if each not in expected)]:
            here = f"{path}/{name}"
            if name not in actual or name not in expected:
                yield f"{here}: {'missing' if name in expected else 'new'}"
            else:
                yield from differences(expected[name], actual[name], digits, here)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for place, pair in enumerate(zip(expected, actual, strict=True)):
            yield from differences(*pair, digits, f"{path}/{place}")
    elif _are_numbers(expected, actual):
        by_size, at_all = EXACT if PUBLIC.search(path) else digits
        if not math.isclose(expected, actual, rel_tol=by_size, abs_tol=at_all):
            yield f"{path}: expected {expected!r}, not {actual!r}"
    elif expected != actual:
        yield f"{path}: expected {expected!r}, not {actual!r}"


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(each, Real) and not isinstance(each, bool) for each in values)


def kinds(value: Any) -> Any:
    """Names and types alone, of what is drawn by the system."""
    if isinstance(value, dict):
        return {name: kinds(each) for name, each in value.items()}
    if isinstance(value, list):
        return [kinds(value[0])] if value else []
    return type(value).__name__


class Answers:
    """Golden answers of one kind, kept in one file."""

    def __init__(self, name: str, *, renewed: bool) -> None:
        self._path = FOLDER / f"{name}.json"
        self._renewed = renewed
        there = self._path.exists()
        self.entries: dict[str, Any] = json.loads(self._path.read_text("utf-8")) if there else {}

    def check(self, name: str, answer: Any, digits: tuple[float, float]) -> None:
        """Compare an answer with the golden one, or keep it as that."""
        if self._renewed:
            self.entries[name] = answer
            self._write()
            return
        found = list(differences(self.entries.get(name, {}), answer, digits))
        assert not found, f"{self._path.name}: {name}\n" + "\n".join(found[:20])

    def names(self, wanted: list[str]) -> None:
        """There are answers of these names and no others."""
        if self._renewed:
            self.entries = {name: self.entries[name] for name in wanted if name in self.entries}
            self._write()
        assert sorted(self.entries) == sorted(wanted)

    def _write(self) -> None:
        """A line for each part of an answer: one that changes is one line that changes."""
        entries = []
        for name, answer in sorted(self.entries.items()):
            parts = answer if isinstance(answer, dict) else {"": answer}
            lines = [f"  {_one_line(key)}: {_one_line(parts[key])}" for key in sorted(parts)]
            entries.append(f"{_one_line(name)}: {{\n" + ",\n".join(lines) + "\n}")
        FOLDER.mkdir(exist_ok=True)
        self._path.write_text("{\n" + ",\n".join(entries) + "\n}\n", "utf-8")


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


class Said:
    """What one page says in a few states, kept in one file of text."""

    def __init__(self, page: str, *, renewed: bool) -> None:
        self._path = FOLDER / "said" / f"{page}.txt"
        self._renewed = renewed
        text = self._path.read_text("utf-8") if self._path.exists() else ""
        parts = [part.splitlines() for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]]
        self._states = {part[0]: [line for line in part[1:] if line] for part in parts}

    def check(self, state: str, lines: list[str]) -> None:
        """Compare with the golden text of this state, or keep it as that."""
        first = next(iter(self._states), state)
        kept = lines if state == first else list(_without(self._states[first], lines))
        if self._renewed:
            self._states[state] = kept
            self.keep(list(self._states))
            return
        found = [
            f"{self._path.name}, {state}, line {place}: expected {old!r}, not {new!r}"
            for place, old, new in _changes(self._states.get(state, []), kept)
        ]
        assert not found, "\n".join(found[:20])

    def keep(self, states: list[str]) -> None:
        """There are these states and no others."""
        if self._renewed:
            self._states = {name: self._states[name] for name in states if name in self._states}
            parts = ["\n".join([f"=== {name}", *kept]) for name, kept in self._states.items()]
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text("\n\n".join(parts) + "\n", "utf-8")
        assert list(self._states) == states


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, list[str], list[str]]]:
    for tag, begin, end, start, stop in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            yield begin + 1, old[begin:end], new[start:stop]


def _without(first: list[str], lines: list[str]) -> Iterator[str]:
    """The lines with those of the first state counted only."""
    for tag, _, _, begin, end in SequenceMatcher(None, first, lines, False).get_opcodes():
        if tag == "equal":
            yield AS_ABOVE.format(end - begin)
        else:
            yield from lines[begin:end]
