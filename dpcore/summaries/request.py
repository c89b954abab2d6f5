"""What of a table is to be summarised, as it is asked for: public, and without data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dpcore.datasets.schema import Column, Entry
from dpcore.errors import InvalidInput, one_of, whole
from dpcore.summaries.counts import columns_of, crossed_of, measured_of
from dpcore.summaries.mechanism import MAX_WEIGHT, NumberColumn, SummaryQuery, WordColumn

SHARES, MEANS, QUARTILES = "shares", "means", "quartiles"
STATISTICS = (SHARES, MEANS, QUARTILES)


@dataclass(frozen=True)
class SummaryRequest:
    """What is asked of a table; what is not asked for is not measured, and costs nothing.

    Parameters
    ----------
    by : str
        The column of words whose values are the groups; "" for none.
    only : tuple of str
        The columns to summarise; all where it is empty.
    statistics : tuple of str
        Of shares, means (with standard deviations) and quartiles (with histograms); all where it is
        empty.

    cross : tuple of str
        Pairs of columns of words to cross, as "sex:smoker".
    weights : tuple of pairs
        Of the name of a column (the groups' for their sizes, of two that are crossed as in `cross`)
        or of a statistic, and its weight from 1, that of all others, to `MAX_WEIGHT`. Where both
        are named it is their product.

    Raises
    ------
    InvalidInput
        If a statistic has another name.
    """

    by: str = ""
    only: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()
    cross: tuple[str, ...] = ()
    weights: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        for name in self.statistics:
            one_of("statistics", name, STATISTICS)

    def measured(self, entry: Entry, records: int | None = None) -> SummaryQuery:
        """What is measured, by public rules alone.

        Parameters
        ----------
        entry : Entry
        records : int, optional
            n, by which ranges are cut; the entry's where it is left out.

        Raises
        ------
        InvalidInput
            If there is no such column, one can't be counted, or nothing is left to measure.
        """
        offered = {column.name: column for column in columns_of(entry)}
        named = [name for name in self.only or offered if name != self.by]
        names = tuple(name for name in named if self._has_asked(offered.get(name)))
        has_sizes = bool(self.by) and SHARES in self._asked
        if named and not (names or has_sizes or self.cross):
            raise InvalidInput(
                f"statistics is {', '.join(self.statistics)}, but the columns have none of these."
            )
        crossed = [crossed_of(entry, *self._sides(pair)) for pair in self.cross]
        query = measured_of(entry, names, self.by, records)
        self._check_weights((*query.columns, *crossed))
        columns = tuple(map(self._of, (*query.columns, *crossed)))
        if not columns and not self.by:
            raise InvalidInput("only names no column, but must name at least one.")
        is_sized = self.by or any(column.is_known_by_size for column in columns)
        size_weight = self._weight(self.by) if is_sized else 0
        return replace(query, columns=columns, size_weight=size_weight)

    def _sides(self, pair: str) -> tuple[str, str]:
        names = [name.strip() for name in pair.split(":")]
        if len(names) != 2 or names[0] == names[1] or self.by in names:
            raise InvalidInput(
                f"cross is {pair}, but it must be two columns, as sex:smoker, of which none makes "
                "the groups."
            )
        return names[0], names[1]

    def _weight(self, *names: str) -> int:
        given = dict(self.weights)
        return math.prod(given.get(name, 1) for name in names)

    def _check_weights(self, columns: Sequence[WordColumn | NumberColumn]) -> None:
        offered = (*map(_key, columns), *STATISTICS, *filter(None, [self.by]))
        for name, weight in self.weights:
            one_of("weights", name, offered)
            whole(f"weight of {name}", weight, at_least=1, at_most=MAX_WEIGHT)

    @property
    def _asked(self) -> tuple[str, ...]:
        return self.statistics or STATISTICS

    def _has_asked(self, column: Column | None) -> bool:
        if column is None:  # refused by name later
            return True
        kinds = {MEANS, QUARTILES} if column.kind == "number" else {SHARES}
        return not kinds.isdisjoint(self._asked)

    def _of(self, column: WordColumn | NumberColumn) -> WordColumn | NumberColumn:
        """The column with the parts alone that are asked for, by their weights."""
        name = _key(column)
        if isinstance(column, WordColumn):
            return replace(column, weight=self._weight(name, SHARES))
        of_moments = self._weight(name, MEANS) if MEANS in self._asked else 0
        return replace(
            column,
            layers=column.layers if QUARTILES in self._asked else 0,
            known_weight=self._weight(name),
            sum_weight=of_moments,
            squares_weight=of_moments,
            layer_weight=self._weight(name, QUARTILES),
        )


def _key(column: WordColumn | NumberColumn) -> str:
    """What a column is called where it is asked for."""
    crossed = column.crossed if isinstance(column, WordColumn) else ()
    return ":".join(crossed) or column.name
