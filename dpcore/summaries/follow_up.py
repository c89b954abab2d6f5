"""What is measured of the times to an event: which cells there are, by public facts alone."""

from __future__ import annotations

from collections.abc import Mapping

from dpcore.datasets.schema import Column, Entry
from dpcore.errors import InvalidInput, one_of
from dpcore.summaries.counts import followed_columns, groups_of
from dpcore.summaries.mechanism import MAX_INTERVALS, FollowUpColumn, SummaryQuery
from dpcore.words import plain

INTERVALS = ((1_000, 12), (50_000, 24), (None, MAX_INTERVALS))
"""Into how many a time is cut, by the number of records below which."""


def times(entry: Entry) -> list[str]:
    """The columns that may be a time, the follow-up's own first."""
    return [column.name for column in followed_columns(entry) if _is_time(column)]


def events(entry: Entry) -> list[str]:
    """What may be an event, as "column=word": the follow-up's own first, and the last words."""
    return [
        f"{column.name}={word}" for column in followed_columns(entry) for word in column.words[::-1]
    ]


def _is_time(column: Column) -> bool:
    return column.kind == "number" and column.bounds[0] >= 0.0 and column.days is None


def follow_up_of(
    entry: Entry, time: str = "", event: str = "", by: str = "", records: int | None = None
) -> SummaryQuery:
    """What is measured of the times to an event, by public rules alone.

    Parameters
    ----------
    entry : Entry
    time : str
        A column of numbers from 0 on; the entry's own follow-up where it is left out.
    event : str
        A column of words: of two the second is the event, of more the one named as "column=word".
    by : str
        The column whose values are the groups; "" for none.
    records : int, optional
        n, by which the time is cut; the entry's where it is left out.

    Raises
    ------
    InvalidInput
        If there is no such column, or it does not fit.
    """
    offered = {column.name: column for column in followed_columns(entry)}
    own = [column.name for column in entry.followed]
    for field, given in (("time", time), ("event", event)):
        if not given and not own:
            raise InvalidInput(
                f"{field} is left out, but it must name a column: {entry.title} has no follow-up."
            )
    column = offered[one_of("time", time or own[0], tuple(offered))]
    if not _is_time(column):
        raise InvalidInput(
            f"time is {column.name}, but it must be a column of numbers from 0 on, within bounds."
        )
    name, word = _event(event or own[1], offered)
    if name == by:
        raise InvalidInput(f"by is {by}, but it must be another column than the event's.")
    n = entry.records if records is None else records
    count = next(cut for below, cut in INTERVALS if below is None or n < below)
    end = column.bounds[1]
    ends = [end * place / count for place in range(1, count + 1)]
    levels = [f"{what} by {plain(at, 6)}" for what in ("event", "left") for at in ends]
    cells = (*levels, f"there at {plain(end, 6)}")
    followed = FollowUpColumn(column.name, cells, event=name, happened=word, end=end)
    return SummaryQuery((followed,), by, groups_of(entry, by), size_weight=0)


def _event(event: str, offered: Mapping[str, Column]) -> tuple[str, str]:
    """The column of an event, and the word that says that it happened."""
    name, _, word = (event, "", "") if event in offered else event.rpartition("=")
    words = offered[one_of("event", name or event, tuple(offered))].words
    if not words:
        raise InvalidInput(f"event is {event}, but it must be a column of words, not of numbers.")
    if not word and len(words) > 2:
        raise InvalidInput(
            f"event is {name}, but it must say which of its {len(words)} values is the event, "
            f"such as {name}={words[-1]}."
        )
    return name, one_of(f"the event of {name}", word or words[-1], words)
