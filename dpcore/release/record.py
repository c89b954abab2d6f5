"""What one record of a release is, in the words of its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpcore.datasets.own.notation import read
from dpcore.datasets.persons import MAX_ROWS_A_PERSON
from dpcore.errors import reject, whole
from dpcore.guarantee import Adjacency

ONE_ROW = "other rows of the same person: one row is one unit"
ONE_PERSON = (
    "rows of the same person under another value of the column that says whose they are: one value "
    "is one unit",
    "the most rows of one person that count",
)


@dataclass(frozen=True)
class Record:
    """A record is one row, or all rows of one person, of which at most `rows` count, as one."""

    rows: int | None = None

    @classmethod
    def of(cls, columns: str) -> Record:
        """Read what a record is from a description of columns."""
        person = read(columns).person
        return cls(person.most if person is not None and person.column else None)

    @classmethod
    def in_facts(cls, facts: Mapping[str, Any]) -> Record:
        """Read what a record is from the facts of a certificate."""
        if "person" not in facts:
            return cls()
        stated: Any = facts["person"]
        rows = stated.get("rows") if isinstance(stated, dict) and len(stated) == 1 else None
        if not isinstance(rows, int) or isinstance(rows, bool):
            raise reject("person", stated, "rows, a whole number")
        return cls(whole("rows of a person", rows, at_least=1, at_most=MAX_ROWS_A_PERSON))

    def facts(self) -> dict[str, Any]:
        """What it adds to the facts of a certificate."""
        return {} if self.rows is None else {"person": {"rows": self.rows}}

    @property
    def noun(self) -> str:
        """What n counts."""
        return "records" if self.rows is None else "persons"

    def being(self, person_unit: str) -> str:
        """What one record is, for an account's unit."""
        if self.rows is None:
            return person_unit
        rows = f"{self.rows} row{'s' if self.rows != 1 else ''}"
        return f"{person_unit}, of whom at most {rows} count, as one"

    def neighbours(self, adjacency: Adjacency) -> str:
        """Which data sets are compared, in one sentence."""
        if self.rows is None:
            return adjacency.meaning
        blanked = "blanked out" if adjacency == Adjacency.ZERO_OUT else "exchanged for any others"
        return f"All rows of one person are {blanked}; the number of persons is public."

    @property
    def theorems(self) -> tuple[str, ...]:
        """What the proof uses besides where a record is a person."""
        if self.rows is None:
            return ()
        return (
            "the mean of a person's vectors is no longer than the longest, and rows are chosen by "
            "lots of their own (dpcore/datasets/persons.py)",
        )

    @property
    def sums(self) -> str:
        means = "" if self.rows is None else ", each the mean of one person's rows,"
        return f"sums of whole vectors{means} of length at most"

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What the promise does not cover."""
        return (ONE_ROW,) if self.rows is None else ONE_PERSON
