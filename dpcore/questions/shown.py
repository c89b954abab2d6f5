"""What is shown of an answer at one ε, as plain data that a page and a report draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets import Entry
    from dpcore.evaluation.at_epsilon import ModelAtEpsilon
    from dpcore.figures.drawn import Drawn

Number = tuple[str, str, str, str]
"""Label, value, plain text below it ("" for nothing), its meaning on hover."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """Which part of an answer is looked at.

    Parameters
    ----------
    line : DataFrame
        The method of the model at each ε.
    method, epsilon
        Of the model.
    entry : Entry
        Of the data.
    looked : mapping
        Values of the controls that only choose what is shown, by key.
    dark : bool
        Whether it is drawn on a dark ground.
    """

    line: pd.DataFrame
    method: str
    epsilon: float
    entry: Entry
    looked: Mapping[str, Any]
    dark: bool = False

    def of_model(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The model's rows at this ε."""
        return rows[(rows["method"] == self.method) & (rows["epsilon"] == self.epsilon)]

    def of_line(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The model's rows at every ε."""
        return rows.merge(self.line[["method", "epsilon"]])


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown of an answer.

    Parameters
    ----------
    model : ModelAtEpsilon
        Whose guarantee is told.
    numbers, sentences, figures, notes
        In this order; notes are said small.
    table : DataFrame
        What can be downloaded.
    """

    model: ModelAtEpsilon
    table: pd.DataFrame
    numbers: tuple[Number, ...] = ()
    sentences: tuple[str, ...] = ()
    figures: tuple[Drawn, ...] = ()
    notes: tuple[str, ...] = ()
