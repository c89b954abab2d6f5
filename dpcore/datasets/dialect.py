"""How a delimited text file is written: what stands between a table and its bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """How a file is written; what is left empty is found in the file.

    Parameters
    ----------
    encoding : str
        As Python calls it: "utf-8", "utf-16", "cp1252"; "" to be found.
    delimiter : str
        One character, or "" to be found.
    header_line : int
        The line that names the columns, from 1; 0 to be found.
    """

    encoding: str = ""
    delimiter: str = ""
    header_line: int = 0


TO_BE_FOUND = Dialect()
