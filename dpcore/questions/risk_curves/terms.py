"""The terms of one private model's columns as rows, and corrections of them as plain data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets import Preparation
from dpcore.datasets.column_parts import ColumnTerms
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, brief, number, reject
from dpcore.evaluation.clinic.risks import OF_NOISE, Judged, of_model
from dpcore.guarantee import Status
from dpcore.words import as_set, spaced

if TYPE_CHECKING:
    import pandas as pd

FIRST = 1
"""The run whose model is corrected where none is named; they are counted from 1."""
OF_RUN = ("method", "title", *OF_NOISE, "feature_map", "run")
COLUMNS = (*OF_RUN, "column", "term", "cut", "private", "corrected")
"""``cut`` is where a step stands, nan of anything else; ``private`` the height of a term in log
odds, and ``corrected`` the one that a person gave it."""


def of_map(preparation: Preparation) -> Preparation:
    """Return what is the same for every split, as curves and terms look at no record."""
    return replace(preparation, seed=0, turn=0, stratified=False)


def of_run(model: Judged, preparation: Preparation, run: int) -> dict[str, Any]:
    """`OF_RUN`: which model it is, and what one with the same noise from the system would cost.

    Its own noise comes from a seed, so that nothing is proved of it.
    """
    facts = of_model(model) | {"feature_map": preparation.features, "run": run}
    facts["status"] = str(Status.EXPLORATION)
    return {name: facts[name] for name in OF_RUN}


def term_rows(terms: Sequence[ColumnTerms], private: Array, corrected: Array) -> pd.DataFrame:
    """`COLUMNS` but for `OF_RUN`, a row a term."""
    import pandas as pd

    tables = [
        pd.DataFrame(
            {
                "column": one.values.column.name,
                "term": one.names,
                "cut": one.cuts,
                "private": one.heights(private),
                "corrected": one.heights(corrected),
            }
        )
        for one in terms
    ]
    return pd.concat(tables, ignore_index=True)


def with_edits(rows: pd.DataFrame, corrections: Sequence[Correction]) -> pd.DataFrame:
    """Give terms of one model the heights that a person chose; the others keep theirs."""
    given = {(column, term): height for column, term, height in corrections}
    terms = zip(rows["column"], rows["term"], rows["private"], strict=True)
    return rows.assign(corrected=[given.get((one, term), old) for one, term, old in terms])


def curve_rows(terms: ColumnTerms, rows: pd.DataFrame) -> pd.DataFrame:
    """Both curves of a column, of the private model and as it was corrected, at each value."""
    import pandas as pd

    values = terms.values
    heights = {name: terms.shape @ rows[name].to_numpy() for name in ("private", "corrected")}
    return pd.DataFrame(
        {
            "column": values.column.name,
            "at": values.at,
            "level": values.levels or "",
            "is_reference": np.arange(len(values)) == values.reference,
            **heights,
        }
    )


def moved(terms: ColumnTerms, rows: pd.DataFrame) -> float:
    """By how much a correction moves the log odds at the reference, at average length."""
    change = (rows["corrected"] - rows["private"]).to_numpy()
    shift = float(terms.moves @ change)
    return 0.0 if math.isclose(shift, 0.0, abs_tol=1e-9) else shift


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
