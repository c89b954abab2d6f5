"""The controls of what a table's summary may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpcore.controls import common, explore
from dpcore.controls.control import Control, Name, Number, OneOf, Page, SomeOf, Stops, Switch

NO_GROUPS, NO_CROSS = "no groups", "no cross-table"

DATA = replace(
    explore.DATA,
    key="describe_data",
    help="Which table is summarised. Built-in sets need no network.",
)
PATIENTS = replace(
    explore.PATIENTS,
    key="describe_patients",
    help="How many synthetic patients the table has.",
    shown=lambda values: values.get("describe_data") == "cohort",
)
EPSILON = replace(
    explore.EPSILON,
    key="describe_epsilon",
    kind=Number(0.01, 20.0, step=0.1),
    help="**Privacy loss ε** bounds how much the published table can tell about any one person. "
    "The whole table is one release: all its numbers share this ε.",
)
DELTA = Control(
    "describe_delta",
    "Failure probability δ",
    Stops(common.DELTAS),
    default=1e-6,
    noun="δ =",
    fallback_name="δ = 10⁻⁶",
    field="delta",
    brief="default: by rule",
    help=common.DELTA,
    state="delta",
)
NEIGHBOUR = replace(
    explore.ADJACENCY,
    key="describe_unit",
    help="What counts as one person's data. The number of records is public either way.",
)
SEED = replace(explore.SEED, key="describe_seed")
TABLE_1, SURVIVAL = "table", "survival"
VIEW = Control(
    "describe_view",
    "What of it",
    OneOf({TABLE_1: "Table", SURVIVAL: "Survival"}, row=True),
    noun="the view",
    option="",
    help="A **table** of shares, means and quartiles, or curves of **survival**: how long people "
    "are followed without an event.",
)
BY = Control(
    "describe_by",
    "By",
    Name(),
    default="",
    noun="groups by",
    fallback_name="the usual ones",
    option="by",
    brief="the column of words whose values are the groups; default: none",
    help="Every number is told for all and for each group, at the price of more noise on numbers "
    "of all.",
)
ONLY = Control(
    "describe_columns",
    "Columns",
    Name(),
    default="",
    noun="the columns",
    option="only",
    brief="comma-separated columns to summarise; default: all",
    help="What is not asked for costs nothing.",
)
STATISTICS = Control(
    "describe_statistics",
    "Statistics",
    SomeOf(
        {
            "shares": "counts and shares",
            "means": "means and spreads",
            "quartiles": "quartiles and histograms",
        }
    ),
    default=("shares", "means", "quartiles"),
    noun="the statistics",
    option="statistics",
    brief="comma-separated statistics of shares, means and quartiles; default: all",
    help="What is not asked for is not measured, and costs nothing.",
)
TIME = Control(
    "survival_time",
    "Time",
    Name(),
    default="",
    noun="the time",
    fallback_name="the table's own follow-up",
    option="time",
    brief="the column of numbers that says how long each was followed; default: the table's own",
    help="How long each was followed: a number from 0 on. Its upper bound is the end of the curve.",
)
EVENT = Control(
    "survival_event",
    "Event",
    Name(),
    default="",
    noun="the event",
    fallback_name="the table's own follow-up",
    option="event",
    brief="the column of words that says whether the event came: of two words the second, of more "
    "the one named as COLUMN=WORD; default: the table's own",
    help="Whether the event came by then. Who has not had it has left, or is still there.",
)
CROSS = Control(
    "describe_cross",
    "Cross-table",
    Name(),
    default="",
    noun="the cross-table",
    fallback_name="none",
    option="cross",
    brief="comma-separated pairs of columns of words to cross, as sex:smoker; default: none",
    help="How many there are of each pair of values. It costs as much as one more column of words.",
)
WEIGHTS = Control(
    "describe_weights",
    "Weights",
    Name(),
    default="",
    option="weights",
    brief="comma-separated whole numbers for columns or statistics, as age=4,shares=2; default: 1",
    help="What has four times the weight has half the noise, at the price of all others.",
)
WITHIN = Control(
    "describe_within",
    "Shares within, in points",
    Number(0.1, 50.0, step=0.5),
    default=2.0,
    noun="shares within",
    help="Which ε makes the noise on every share at most this large, in 95 of 100 releases.",
)
NUMBER = Control(
    "describe_number",
    "Number in the picture",
    Name(),
    noun="the number",
    fallback_name="the first one",
    option="",
    help="Whose error is drawn against ε, and what is looked at closer.",
)
CLOSER = Control(
    "describe_closer",
    "Simulate my noise",
    Switch(),
    noun="the closer look",
    fallback_name="none",
    option="",
    help="Draws the noise ten times, and shows the number as it might have come out. Of numbers "
    "the histogram stands beside it.",
)
TABLE = Page(DELTA, NEIGHBOUR, SEED)
"""What a summary is asked of, besides its data and ε."""
SHARED = (DATA, PATIENTS, EPSILON, DELTA, NEIGHBOUR, SEED)
"""The controls of the state that pages share."""
CONTROLS = (
    *(DATA, PATIENTS, VIEW, EPSILON, DELTA, NEIGHBOUR, SEED, BY, STATISTICS, CROSS),
    *(NUMBER, CLOSER, WITHIN, TIME, EVENT),
)
"""All of the page but the ticks of the columns."""


def ticks(titles: Mapping[str, str]) -> Control:
    """The control of the columns as a page draws it: a tick for each, by its title."""
    return replace(ONLY, kind=SomeOf(titles), default=tuple(titles))
