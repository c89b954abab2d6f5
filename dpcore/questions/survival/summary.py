"""What curves of survival say, read at the stops of ε: what their sentences and picture share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dpcore.accounting.risk import Odds
from dpcore.questions.describe.summary import NEARLY, from_on, odds_of
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.summaries.estimates import ALIVE, READABLE
from dpcore.summaries.mechanism import EVERYBODY, NOT_KNOWN
from dpcore.summaries.survival import LESS, level_at
from dpcore.words import plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SurvivalSummary:
    """An answer to `SurvivalQuestion`, by stop of ε.

    Parameters
    ----------
    question : SurvivalQuestion
    rows : DataFrame
        All of its answer.
    """

    question: SurvivalQuestion
    rows: pd.DataFrame

    @property
    def stops(self) -> tuple[float, ...]:
        return self.question.study.epsilons

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups that have a name; everybody where there are none."""
        named = self.question.measured(self.question.study.entry).groups if self.question.by else ()
        return tuple(group for group in named if group != NOT_KNOWN) or (EVERYBODY,)

    @cached_property
    def _at(self) -> list[pd.DataFrame]:
        return [self.rows[self.rows["epsilon"] == epsilon] for epsilon in self.stops]

    def at(self, place: int) -> pd.DataFrame:
        """All rows at one stop."""
        return self._at[place]

    @cached_property
    def _curves(self) -> dict[tuple[float, str], pd.DataFrame]:
        is_curve = (self.rows["statistic"] == ALIVE) & ~self.rows["level"].str.contains(LESS)
        curves = self.rows[is_curve]
        return {
            (epsilon, group): curves[(curves["epsilon"] == epsilon) & (curves["group"] == group)]
            for epsilon in self.stops
            for group in self.groups
        }

    def curve(self, place: int, group: str) -> pd.DataFrame:
        """The curve of a group at one stop: a row the end of an interval."""
        return self._curves[self.stops[place], group]

    def compared(self, place: int) -> pd.Series | None:
        """What the second group has less than the first at the end; None where there is no such."""
        rows, level = self.at(place), f"{level_at(self.end)}{LESS}{self.groups[0]}"
        found = rows[(rows["statistic"] == ALIVE) & (rows["level"] == level)]
        return None if found.empty else found.iloc[0]

    @cached_property
    def end(self) -> float:
        return self.question.follow_up.end

    @cached_property
    def unit(self) -> str:
        """What time is counted in; "" where nobody says."""
        return str(max(self.rows["unit"]))

    def time(self, at: float) -> str:
        """A time in words, as "60 months"."""
        return f"{plain(at, 6)} {self.unit}".rstrip()

    @cached_property
    def _errors(self) -> dict[tuple[str, str], tuple[float, ...]]:
        return {
            (group, of): tuple(
                100.0 * float(self.curve(place, group)[of].median())
                for place in range(len(self.stops))
            )
            for group in self.groups
            for of in ("error", "sampling_error")
        }

    def errors(self, group: str, of: str = "error") -> tuple[float, ...]:
        """The median error along a group's curve at each stop, in points."""
        return self._errors[group, of]

    @cached_property
    def free_from(self) -> float | None:
        """The ε from which on noise costs no group next to anything; None where none does."""
        both = [(self.errors(each), self.errors(each, "sampling_error")) for each in self.groups]
        met = (
            all(error[place] <= NEARLY * chance[place] for error, chance in both)
            for place in range(len(self.stops))
        )
        return from_on(self.stops, met)

    def readable_from(self) -> float | None:
        """The ε from which on every number is to be expected readable."""
        return from_on(
            self.stops,
            (bool((rows["error"] <= READABLE * rows["width"]).all()) for rows in self._at),
        )

    @cached_property
    def odds(self) -> tuple[Odds, ...]:
        """How many of 100 guess right at most about one person, at each stop."""
        study = self.question.study
        return odds_of(study, self.question.measured(study.entry))
