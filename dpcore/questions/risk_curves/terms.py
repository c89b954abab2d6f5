"""The terms of one private model's columns as rows: what a person may correct by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets import Preparation
from dpcore.datasets.column_parts import ColumnTerms
from dpcore.erm.method import Array
from dpcore.evaluation.clinic.risks import OF_NOISE, Judged, of_model
from dpcore.guarantee import Status
from dpcore.questions.risk_curves.hand_edits import Correction

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
