"""Tables as CSV in which a spreadsheet finds no formula: names and levels may come from anyone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile(r" *[=+\-@\t\r]")


def csv(table: pd.DataFrame) -> str:
    """The table as CSV; a text that begins like a formula has an apostrophe before it.

    Parameters
    ----------
    table : DataFrame
        Numbers stay as they are, also negative ones.
    """
    texts = table.select_dtypes(include=["object", "string", "category"])
    safe = {str(name): texts[name].map(_no_formula).astype(object) for name in texts}
    return str(table.assign(**safe).rename(columns=_no_formula).to_csv(index=False))


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
