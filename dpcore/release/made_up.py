"""Made-up records by a description alone: nobody's data.

Numbers are even over their public ranges, levels equally likely, and the outcome follows a linear
model with chance. Draws come from a seed, as nothing here is secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.own.description import described
from dpcore.datasets.schema import Entry
from dpcore.errors import whole
from dpcore.release import grid
from dpcore.release.model import entry_of, preparation_for
from dpcore.release.table.csv_text import harmless_columns, written

if TYPE_CHECKING:
    import pandas as pd

STRENGTH = 3.0
"""Standard deviation of the log odds: its best rule is right for about 82 of 100."""
MOST_RECORDS = 1_000_000


def stand_in(columns: str, records: int, *, seed: int = 0) -> str:
    """A CSV of made-up records, which costs nothing: no record was looked at.

    Parameters
    ----------
    columns : str
        Description of the table (`dpcore.datasets.own.description`), with an outcome of two.
    records : int
    seed : int

    Raises
    ------
    InvalidInput
        If a value is wrong.
    """
    entry = entry_of(columns)
    described(harmless_columns(columns))  # refuses names or levels that would become one
    count = whole("records", records, at_least=1, at_most=MOST_RECORDS)
    frame, labels = made_up_records(entry, count, np.random.default_rng(seed))
    return written(columns, frame, labels)


def made_up_records(
    entry: Entry, count: int, generator: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Made-up records, and their labels of ±1; nothing is unknown.

    Parameters
    ----------
    entry : Entry
        With an outcome of two.
    count : int
    generator : Generator
    """
    frame = _frame(entry, count, generator)
    truth = grid.rows(entry, frame, preparation_for("plain"))
    log_odds = generator.normal(size=len(truth)) @ (truth - truth.mean(axis=1, keepdims=True))
    log_odds *= STRENGTH / (log_odds.std() or 1.0)
    labels = np.where(generator.random(len(log_odds)) < 1.0 / (1.0 + np.exp(-log_odds)), 1.0, -1.0)
    return frame, labels


def _frame(entry: Entry, count: int, generator: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, object] = {}
    for column in entry.columns:
        if column.kind == "category":
            levels = generator.integers(len(column.levels), size=count)
            columns[column.name] = pd.Categorical.from_codes(
                levels, categories=pd.Index(column.levels)
            )
        elif column.kind == "number":
            columns[column.name] = generator.uniform(*column.bounds, size=count)
        else:
            columns[column.name] = generator.integers(2, size=count).astype(float)
    return pd.DataFrame(columns)
