"""Corrections by hand, as plain data: which terms of a model's columns get which heights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dpcore.datasets.column_parts import ColumnTerms
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, brief, number, reject
from dpcore.words import as_set, spaced

Correction = tuple[str, str, float]
"""Column, term, and the height that it is given, in log odds."""
MAX_HEIGHT = 50.0
"""Largest height in log odds, of odds of 5e21."""
MAX_TERMS = 5_000
LARGEST_FILE = 1_000_000
SHAPE = 'an object of columns, each an object of terms, such as {"age": {"line": 0.5}}'


def checked(corrections: Sequence[tuple[str, str, Any]]) -> tuple[Correction, ...]:
    """Check corrections: not too many, each height a number from -50 to 50."""
    if len(corrections) > MAX_TERMS:
        raise InvalidInput(
            f"correct has {spaced(len(corrections))} terms, but must have at most "
            f"{spaced(MAX_TERMS)}."
        )
    return tuple((column, term, _height(column, term, to)) for column, term, to in corrections)


def _height(column: str, term: str, value: object) -> float:
    name = f"{brief(term)} of {brief(column)}"
    if isinstance(value, bool) or value is None:
        raise reject(
            name, str(value), f"a number from {as_set(-MAX_HEIGHT)} to {as_set(MAX_HEIGHT)}"
        )
    return number(name, value, at_least=-MAX_HEIGHT, at_most=MAX_HEIGHT)


def corrections_of(given: object) -> tuple[Correction, ...]:
    """Corrections from an object of columns, each one of terms and heights, or from themselves."""
    if isinstance(given, tuple):
        return checked(given)
    columns: Mapping[Any, Any] = given if isinstance(given, Mapping) else {"": None}
    if not all(isinstance(terms, Mapping) for terms in columns.values()):
        raise reject("correct", given, SHAPE)
    return checked(
        [
            (str(column), str(term), height)
            for column, terms in columns.items()
            for term, height in terms.items()
        ]
    )


def read(text: bytes) -> tuple[Correction, ...]:
    """Read corrections from a file of JSON, as `written` writes it; refuse what is none."""
    if len(text) > LARGEST_FILE:
        raise InvalidInput(
            f"correct has more than {spaced(LARGEST_FILE)} bytes, but at most that many."
        )
    try:
        return corrections_of(json.loads(text))
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        raise reject("correct", text[:200].decode(errors="replace"), f"JSON: {SHAPE}") from None


def as_object(corrections: Sequence[Correction]) -> dict[str, dict[str, float]]:
    """Corrections as an object of columns, as `corrections_of` takes it."""
    columns: dict[str, dict[str, float]] = {}
    for column, term, height in corrections:
        columns.setdefault(column, {})[term] = height
    return columns


def written(corrections: Sequence[Correction]) -> str:
    """Corrections as a file of JSON."""
    return json.dumps(as_object(corrections), indent=2, ensure_ascii=False) + "\n"


def corrected_weights(
    weights: Array, terms: Sequence[ColumnTerms], corrections: Sequence[Correction]
) -> Array:
    """The weights (d,) of a model some of whose terms have other heights."""
    columns = {one.values.column.name: one for one in terms}
    wanted = {name: one.heights(weights) for name, one in columns.items()}
    for column, term, height in corrections:
        names = columns[column].names
        if term not in names:
            listed = "; ".join(names)
            raise InvalidInput(
                f"term is {brief(term)}, but {brief(column)} has only: {listed or 'none'}."
            )
        wanted[column][names.index(term)] = height
    for name, one in columns.items():
        weights = one.corrected(weights, wanted[name])
    return weights
