"""The question how long people live without an event: curves of survival, by group."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.controls.describe import BY, EVENT, TIME
from dpcore.datasets import Entry, Table
from dpcore.progress import Progress
from dpcore.questions.describe.question import proved, rows_of
from dpcore.questions.question import Question, asked
from dpcore.summaries.follow_up import follow_up_of
from dpcore.summaries.mechanism import FollowUpColumn, SummaryQuery
from dpcore.summaries.study import TableStudy
from dpcore.summaries.survival import level_at

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SurvivalQuestion(Question):
    """What curves of survival could say in public, each number with its interval.

    Time is cut into equal intervals by a public rule. All counts of events and leavings are one
    release with noise. From these follow, for all and each group, the share without the event at
    the end of each interval (Kaplan and Meier), the median, the mean time within the last end, and
    what groups differ by. Intervals are pointwise: each holds its own number in 95 of 100 tables.

    Parameters
    ----------
    study : TableStudy
        It names the table, ε, δ and the adjacency.
    time : str
        A column of numbers from 0 on; "" for the table's own follow-up.
    event : str
        A column of words: of two the second is the event, of more the one named "column=word"; ""
        for the table's own follow-up.
    by : str
        The column of words whose values are the groups; "" for none.

    Notes
    -----
    One row a number and ε, as of `describe`, with the `time` that it is of. A median at the last
    end is one that was not reached.
    """

    study: TableStudy = field(default_factory=TableStudy)
    time: str = asked(TIME, default="", read=str, takes="str")
    event: str = asked(EVENT, default="", read=str, takes="str")
    by: str = asked(BY, default="", read=str, takes="str")

    doing = "Following the table"
    table_is = "Every number of the curves"
    examples = ("--dataset cohort --epsilon 1 --by sex",)

    def measured(self, entry: Entry) -> SummaryQuery:
        """What is measured, by public facts alone."""
        records = self.study.entry.records
        return follow_up_of(entry, self.time, self.event, self.by, records)

    @property
    def follow_up(self) -> FollowUpColumn:
        """Time and event, and how time is cut."""
        (column,) = self.measured(self.study.entry).columns
        assert isinstance(column, FollowUpColumn)
        return column

    def spelled_out(self) -> SurvivalQuestion:
        """The same question with time and event by name."""
        column = self.follow_up
        return replace(self, time=column.name, event=f"{column.event}={column.happened}")

    def check(self, entry: Entry) -> None:
        self.measured(entry)

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        rows = rows_of(self.study, self.measured(self.study.entry), records, report)
        column = self.follow_up
        times = {level_at(end): end for end in column.ends}
        return rows.assign(time=rows["level"].map(times).fillna(column.end))

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        return proved(self.study, self.measured(self.study.entry))


QUESTION = SurvivalQuestion
