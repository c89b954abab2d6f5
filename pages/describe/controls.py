"""Draw the sidebar of the page: the table, its groups and columns, and the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import streamlit as st

from dpcore.controls.control import Control
from dpcore.controls.describe import (
    BY,
    CONTROLS,
    CROSS,
    DATA,
    DELTA,
    EVENT,
    NEIGHBOUR,
    NO_CROSS,
    NO_GROUPS,
    NUMBER,
    ONLY,
    PATIENTS,
    SEED,
    STATISTICS,
    SURVIVAL,
    TABLE,
    TABLE_1,
    TIME,
    VIEW,
    ticks,
)
from dpcore.controls.explore import datasets
from dpcore.datasets import OWN, Entry, availability, entry
from dpcore.errors import InvalidInput
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.questions.describe.summary import numbers_of
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.summaries.counts import MAX_LEVELS, columns_of, outcome_column
from dpcore.summaries.follow_up import events, times
from dpcore.summaries.mechanism import CROSS as MARK
from dpcore.summaries.study import TableStudy
from pages.shared import address, own_table, uploads
from pages.shared.session import control_value, set_controls
from pages.shared.uploads import File
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm, drawn

NOISE = "describe_noise"  # the group of controls that is closed at first
MOST_GROUPS = 10


@dataclass(frozen=True)
class DescribedTable:
    """Which table, and what is public of it; `columns` describes one's own, which `upload` is."""

    dataset: str
    size: int | None  # of the cohort
    upload: File | None
    columns: str

    @property
    def entry(self) -> Entry:
        return _entry_of(self.dataset, self.columns)

    @property
    def source(self) -> str:
        """How its records can be got, as `availability` says."""
        if self.dataset != OWN:
            return availability(self.dataset)
        is_here = self.upload is not None and own_table.is_settled(self.columns)
        return "local" if is_here else "upload"


def _entry_of(dataset: str, columns: str) -> Entry:
    return own_table.entry_for(columns) if dataset == OWN else entry(dataset)


def _names(table: Entry) -> list[str]:
    """The columns that can be summarised."""
    return [each.name for each in columns_of(table) if len(each.words) <= MAX_LEVELS]


def _ticks(names: Sequence[str]) -> Control:
    return ticks({name: verbatim(name) for name in names})  # its labels are Markdown


def validate_link() -> str:
    """Check the link; returns all its refusals as one message."""
    link = address.read_link()
    keys = {title: key for key, title in datasets().items()}
    dataset = keys.get(link.get(DATA.key, [""])[-1], DATA.default)
    table = _entry_of(dataset, link.get(own_table.COLUMNS, [""])[-1])
    crossed = crossings(table)
    cross = [crossed[name] for name in link.get(CROSS.key, ()) if crossed.get(name)]
    among = {
        BY.key: groupings(table),
        CROSS.key: list(crossed),
        NUMBER.key: numbers_of(table, _names(table), cross),
        TIME.key: times(table),
        EVENT.key: events(table),
    }
    others = {own_table.COLUMNS: None, NOISE: None}
    return address.validate_link((*CONTROLS, _ticks(_names(table))), among, others)


def groupings(table: Entry) -> list[str]:
    """What a table can be grouped by, the usual first: its outcome, where that is of few words."""
    few = [each.name for each in columns_of(table) if 1 < len(each.words) <= MOST_GROUPS]
    outcome = outcome_column(table).name
    usual = [outcome] if outcome in few else []
    return [*usual, NO_GROUPS, *(name for name in few if name not in usual)]


def crossings(table: Entry, by: str = "") -> dict[str, str]:
    """The cross-tables that a page offers, each with what a question calls it; "" of none."""
    few = [each for each in columns_of(table) if each.words and each.name != by]
    return {NO_CROSS: ""} | {
        f"{one.name}{MARK}{other.name}": f"{one.name}:{other.name}"
        for one, other in combinations(few, 2)
        if len(one.words) * len(other.words) <= MAX_LEVELS and ":" not in one.name + other.name
    }


def table() -> DescribedTable:
    """Draw which table."""
    with st.sidebar:
        dataset = drawn(DATA)
        size = drawn(PATIENTS) if PATIENTS.shown({DATA.key: dataset}) else None
        upload, columns = None, ""
        if dataset == OWN:
            upload, columns = own_table.controls(asks_whether_public=True)
    return DescribedTable(dataset, size, upload, columns)


def question(chosen: DescribedTable) -> DescribeQuestion | SurvivalQuestion:
    """Draw the other controls; returns what they ask.

    Raises
    ------
    InvalidInput
        If no column or no statistic is ticked.
    """
    public, names = chosen.entry, _names(chosen.entry)
    with st.sidebar:
        is_survival = drawn(VIEW) == SURVIVAL
        by = drawn(BY, among=groupings(public))
        _presets(public, names)
    if is_survival:
        return _followed(chosen, "" if by == NO_GROUPS else by)
    with st.sidebar:
        only = _ticked(names)
        statistics = tuple(drawn(STATISTICS))
        crossed = crossings(public, by)
        cross = crossed[drawn(CROSS, among=crossed)]
    study = _study(chosen)
    for what, ticked in (("column", only), ("statistic", statistics)):
        if not ticked:
            raise InvalidInput(f"No {what} is ticked, but at least one must be.")
    return DescribeQuestion(
        study,
        by="" if by == NO_GROUPS else by,
        only=() if len(only) == len(columns_of(public)) else only,
        statistics=() if len(statistics) == len(STATISTICS.default) else statistics,
        cross=(cross,) if cross else (),
    )


def _study(chosen: DescribedTable) -> TableStudy:
    """Draw the noise; returns the table with it."""
    form = ControlForm(TABLE)
    keys = [control.key for control in TABLE]
    with st.sidebar, form.group(NOISE, "Noise", keys, ":material/tune:"):
        form.draw(DELTA.key, NEIGHBOUR.key, SEED.key)
    fields = TABLE.fields(form.values)
    if chosen.upload is not None:
        name = uploads.table(chosen.dataset, chosen.columns, chosen.upload)
        fields |= {"upload": name, "columns": chosen.columns}
    records = chosen.size if chosen.upload is None else uploads.records(name)
    return TableStudy(dataset=chosen.dataset, records=records, **fields)


def _followed(chosen: DescribedTable, by: str) -> SurvivalQuestion:
    """Draw time and event, where the table has none of its own; returns what they ask."""
    public, time, event = chosen.entry, "", ""
    if not public.follow_up and times(public) and events(public):
        with st.sidebar:
            time = drawn(TIME, among=times(public))
            event = drawn(EVENT, among=events(public))
        if event.rpartition("=")[0] == by:
            by = ""  # a page opens on the outcome's groups, which an event does not have
    question = SurvivalQuestion(_study(chosen), time=time, event=event, by=by)
    question.check(public)
    return question


def _presets(table: Entry, names: Sequence[str]) -> None:
    """Draw what sets groups and columns at once."""
    usual = groupings(table)[0]
    every = {
        VIEW.key: TABLE_1,
        ONLY.key: list(names),
        STATISTICS.key: list(STATISTICS.default),
        CROSS.key: NO_CROSS,
    }
    with st.container(horizontal=True, gap="small"):
        for title, by in (("Table 1", NO_GROUPS), ("By outcome", usual)):
            if title == "Table 1" or usual != NO_GROUPS:
                settings = {**every, BY.key: by}
                st.button(title, key=f"preset {title}", on_click=set_controls, args=(settings,))
        if table.follow_up and "sex" in groupings(table):
            settings = {VIEW.key: SURVIVAL, BY.key: "sex"}
            st.button("Survival by sex", on_click=set_controls, args=(settings,))


def _ticked(names: Sequence[str]) -> tuple[str, ...]:
    held = control_value(ONLY.key)
    if held is not None and not set(held) <= set(names):  # of another table
        set_controls({ONLY.key: list(names)})
    chosen = drawn(_ticks(names))
    return tuple(name for name in names if name in chosen)
