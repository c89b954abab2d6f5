"""What wrong decisions cost, in the currency of whoever names the costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dpcore.errors import number

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Counts = TypeVar("Counts", pd.Series, NDArray[np.float64])

MAX_COST = 1e9


@dataclass(frozen=True)
class Costs:
    """State what a missed case costs, and a person who is treated needlessly."""

    miss: float
    false_alarm: float

    def __post_init__(self) -> None:
        for name, field in (("missed case", "miss"), ("false alarm", "false_alarm")):
            cost = number(f"cost of a {name}", getattr(self, field), at_least=0.0, at_most=MAX_COST)
            object.__setattr__(self, field, cost)

    @property
    def threshold(self) -> float:
        """The risk from which on a miss is expected to cost more than a false alarm; nan for none.

        Someone with risk t costs t · miss if left alone and (1 - t) · false_alarm if treated.
        """
        both = self.miss + self.false_alarm
        return self.false_alarm / both if both > 0.0 else math.nan

    def of(self, missed: Counts, false: Counts) -> Counts:
        """Add up the cost of so many missed cases and false alarms."""
        return self.miss * missed + self.false_alarm * false

    def added(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Add ``cost_per_1000``, of 1,000 people, to a table."""
        ends = {
            f"cost_per_1000{end}": self.of(
                rows[f"missed_per_1000{end}"], rows[f"false_per_1000{end}"]
            )
            for end in ("", "_low", "_high")
        }
        return rows.assign(**ends)
