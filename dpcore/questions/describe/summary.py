"""What a table's summary says, read at the stops of ε: what its sentences and pictures share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dpcore.accounting.risk import Odds, gaussian_advantage, odds
from dpcore.datasets.schema import Column, Entry
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.summaries.counts import columns_of
from dpcore.summaries.estimates import DEVIATION, QUANTILES, READABLE, SHARE, share_errors
from dpcore.summaries.mechanism import EVERYBODY, NOT_KNOWN, SummaryQuery, WordColumn
from dpcore.summaries.request import SummaryRequest
from dpcore.summaries.study import TableStudy
from dpcore.words import raised

if TYPE_CHECKING:
    import pandas as pd

NEARLY = 1.1
"""Times the sampling error, up to which noise costs next to nothing."""
NEARLY_MET, HALVINGS = 0.9, 10
"""Share of an error wanted from which on a smaller ε may miss it, and steps between two stops."""
STATISTICS = ("mean", DEVIATION, *QUANTILES)


@dataclass(frozen=True, eq=False)
class TableSummary:
    """An answer to `DescribeQuestion`, by stop of ε and by number.

    Parameters
    ----------
    question : DescribeQuestion
    rows : DataFrame
        All of its answer.
    """

    question: DescribeQuestion
    rows: pd.DataFrame

    @property
    def records(self) -> int:
        """n, public."""
        return self.question.study.entry.records

    @property
    def delta(self) -> float:
        delta = self.question.study.delta
        assert delta is not None  # set by the study
        return delta

    @property
    def stops(self) -> tuple[float, ...]:
        return self.question.study.epsilons

    @cached_property
    def _named(self) -> pd.DataFrame:
        errors = self.rows[["error", "sampling_error", "noise_error"]]
        points = 100.0 * errors.div(self.rows["width"], axis=0)
        names = [
            number_name(*each)
            for each in self.rows[["column", "statistic", "level"]].itertuples(index=False)
        ]
        return self.rows.assign(number=names, **points.add_suffix("_points"))

    @cached_property
    def _at(self) -> list[pd.DataFrame]:
        return [self._named[self._named["epsilon"] == epsilon] for epsilon in self.stops]

    @cached_property
    def _over_stops(self) -> dict[tuple[str, str], pd.DataFrame]:
        parts = self._named.groupby(["number", "group"], sort=False)
        return {(str(number), str(group)): rows for (number, group), rows in parts}

    def at(self, place: int) -> pd.DataFrame:
        """The rows at one stop; `number` names each, and errors stand in points, too."""
        return self._at[place]

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Names of the numbers, each told for all and for each group."""
        return tuple(dict.fromkeys(self.at(0)["number"]))

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Everybody, then each group that has a name."""
        named = [
            group for group in self.question.measured(self.question.study.entry).groups if group
        ]
        return (EVERYBODY, *(group for group in named if group != NOT_KNOWN))

    def group_name(self, group: str) -> str:
        """A group in words, as "admitted: yes"."""
        return group if group == EVERYBODY else number_name(self.question.by, SHARE, group)

    def column(self, name: str) -> Column:
        """The public facts of a column, the outcome's among them."""
        return next(each for each in columns_of(self.question.study.entry) if each.name == name)

    @property
    def has_shares(self) -> bool:
        return bool((self.at(0)["statistic"] == SHARE).any())

    def unit(self, number: str) -> str:
        """The unit of a number's error: its own, "points" of a share, "" where there is none."""
        row = self.of(number).iloc[0]
        return "points" if row["statistic"] == SHARE else str(row["unit"])

    def of(self, number: str) -> pd.DataFrame:
        """A number's rows at the first stop, for all and each group."""
        rows = self.at(0)
        return rows[rows["number"] == number]

    def errors(self, number: str, group: str, of: str = "error") -> tuple[float, ...]:
        """A number's error at each stop in its own unit."""
        factor = 100.0 if self.unit(number) == "points" else 1.0
        return tuple((factor * self._over_stops[number, group][of]).tolist())

    def all_readable_from(self) -> float | None:
        """The ε from which on every number is to be expected readable."""
        return from_on(
            self.stops,
            (bool((rows["error"] <= READABLE * rows["width"]).all()) for rows in self._at),
        )

    def free_from(self, number: str) -> float | None:
        """The ε from which on noise costs a number, of all, next to nothing."""
        rows = self._over_stops[number, EVERYBODY]
        return from_on(self.stops, rows["error"] <= NEARLY * rows["sampling_error"])

    def shares_within(self, points: float, *, by_noise: bool) -> float | None:
        """The ε, rounded up, from which on an error of every share is at most so many points.

        By noise alone, or with chance. Between two stops it is found by halving, as errors follow
        from the shares without a draw.
        """
        name = "noise_error_points" if by_noise else "error_points"
        shares = [rows[rows["statistic"] == SHARE] for rows in self._at]
        stop = from_on(self.stops, (bool((rows[name] <= points).all()) for rows in shares))
        if stop is None or stop == self.stops[0]:
            return stop
        place = self.stops.index(stop) - 1
        wide = shares[place][shares[place][name] > NEARLY_MET * points]
        study, measured = self.question.study, self.question.measured(self.question.study.entry)

        def is_met(epsilon: float) -> bool:
            mechanism = study.mechanism(measured, epsilon)
            columns = wide[["column", "group", "exact", "of"]].itertuples(index=False)
            errors = (share_errors(mechanism, *each)[by_noise] for each in columns)
            return all(100.0 * error <= points for error in errors)

        low, high = self.stops[place], stop
        for _ in range(HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if is_met(middle) else (middle, high)
        found = raised(high, 3)
        return found if found < stop and is_met(found) else stop

    @cached_property
    def _odds(self) -> tuple[Odds, ...]:
        study = self.question.study
        return odds_of(study, self.question.measured(study.entry))

    def odds_at(self, place: int) -> Odds:
        """How many of 100 guess right at most about one person."""
        return self._odds[place]


def from_on(stops: Sequence[float], is_met: Iterable[bool]) -> float | None:
    """The least stop from which on a condition is met; None where the last does not."""
    met = list(is_met)
    place = len(met) - next((back for back, one in enumerate(met[::-1]) if not one), len(met))
    return stops[place] if place < len(met) else None


def odds_of(study: TableStudy, measured: SummaryQuery) -> tuple[Odds, ...]:
    """How many of 100 guess right at most about one person, at each ε of a study."""
    assert study.delta is not None
    return tuple(
        odds(
            PrivacyBudget(epsilon, study.delta),
            Adjacency(study.adjacency),
            gaussian_advantage(study.mechanism(measured, epsilon).mu),
        )
        for epsilon in study.epsilons
    )


def number_name(column: str, statistic: str, level: str) -> str:
    """A number in words, as "age, median" or "sex: female"."""
    name = column.replace("_", " ")
    return f"{name}: {level}" if level else f"{name}, {statistic}"


def numbers_of(table: Entry, names: Sequence[str], cross: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of all numbers that can be told of these columns, by public facts alone."""
    found = []
    for column in SummaryRequest(only=tuple(names), cross=tuple(cross)).measured(table).columns:
        if isinstance(column, WordColumn):
            found += [number_name(column.name, SHARE, level) for level in column.levels]
        else:
            found += [number_name(column.name, name, "") for name in STATISTICS]
    return tuple(found)
