"""Tables as CSV in which a spreadsheet finds no formula: names and levels may come from anyone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FORMULA_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
"""A text that begins with one is a formula; some spreadsheets take the wide signs of East Asian
letters for the usual ones."""

# Some also split a text at semicolons, tabs and ends of lines, wherever these stand.
_FORMULA = re.compile(rf"(?:^|(?<=[;\t\n\r]))(?= *[{re.escape(FORMULA_SIGNS)}\t\r])")


def csv(table: pd.DataFrame) -> str:
    """The table as CSV; text that begins like a formula has an apostrophe before it."""
    texts = table.select_dtypes(include=["object", "string", "category"])
    safe = {str(name): texts[name].map(_no_formula).astype(object) for name in texts}
    return str(table.assign(**safe).rename(columns=_no_formula).to_csv(index=False))


def cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: what would be one gets an apostrophe."""
    return _FORMULA.sub("'", text)


def _no_formula(value: object) -> object:
    return cell(value) if isinstance(value, str) else value
