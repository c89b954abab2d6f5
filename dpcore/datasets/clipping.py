"""What was clipped of a table to the ranges of its description: for the eyes of its owner alone."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.datasets.encoding import OutsideBounds, count_outside
from dpcore.datasets.schema import Table


@dataclass(frozen=True)
class Clipping:
    """What lay outside the ranges, by column; not private, and in nothing that leaves."""

    columns: tuple[tuple[str, OutsideBounds], ...] = ()

    @classmethod
    def of(cls, table: Table) -> Clipping:
        found = []
        for column in table.entry.columns:
            if column.kind == "number":
                values = table.frame[column.name].to_numpy(dtype=float)
                if outside := count_outside(column, values):
                    found.append((column.name, OutsideBounds.of(values, outside)))
        return cls(tuple(found))

    @property
    def mostly(self) -> tuple[str, ...]:
        """Columns of which most values were clipped: likely a slip in their range or unit."""
        return tuple(name for name, outside in self.columns if outside.is_most)

    @property
    def often(self) -> tuple[str, ...]:
        """Columns of which more than one in twenty were, and no more than half."""
        return tuple(name for name, outside in self.columns if outside.is_much)
