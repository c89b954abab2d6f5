"""The controls of the account, and of the search for one setting within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.training_plan import usual_batch
from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Text
from dpcore.controls.plan import (
    BY_RULE,
    CONTROLS,
    DELTA,
    DELTA_STOPS,
    EPOCHS,
    FIRST,
    FIRST_EPOCHS,
    MAX_STEPS,
)
from dpcore.errors import InvalidInput

ENTRIES, NO_ENTRIES = "account", "empty"
"""Name of the account's entries in the address, and its value where there are none."""
MAX_LETTERS = 12


def _of_two_classes() -> dict[str, str]:
    from dpcore.datasets import catalogue

    return {entry.key: entry.title for entry in catalogue() if entry.predicts == "class"}


QUESTION = Control(
    "question",
    "What do you want to know?",
    OneOf(
        {
            "account": "What is left of my budget",
            "setting": "Find a setting for my budget",
            "run": "One run in detail",
        },
        row=True,
    ),
    noun="the question",
    fallback_name="the account",
)
BUDGET = Control(
    "year_epsilon",
    "My budget ε",
    Text(MAX_LETTERS),
    default="3",
    option="epsilon",
    brief="the budget",
    help="The ε that all trainings and releases may spend together, for example in one year.",
)
PEOPLE = Control(
    "people",
    "People in the data n",
    Number(1, common.MAX_RECORDS, whole=True),
    default=FIRST.records,
    noun="a number of people of",
    option="records",
    brief="people in the data, or under add-remove a public size, for the rule of δ (default "
    f"{FIRST.records})",
    help="How many records (people, images) the data hold. This number is public.",
)
YEAR_DELTA = Control(
    "year_delta",
    "Failure probability δ",
    DELTA_STOPS,
    default=BY_RULE,
    noun="δ =",
    fallback_name="δ by the rule",
    option="delta",
    brief="by default the rule: 1e-5, or the largest power of ten at most 1/(10n)",
    help=DELTA,
    state="delta",
)
YEAR_NEIGHBOUR = common.adjacency(
    "year_neighbour",
    field="",
    label="What counts as one person's data",
    brief="zero-out (the default), replace-one or add-remove; one for the whole account",
    state="unit",
)
ACCOUNT = (BUDGET, YEAR_DELTA, PEOPLE, YEAR_NEIGHBOUR)
MODEL_DATA = Control(
    "model_data",
    "Learned from",
    OneOf(_of_two_classes),
    default="cohort",
    noun="the data set",
    help="On whose records a model's loss is measured. "
    "The synthetic cohort has the largest size of Explore's that is not above the people in the "
    "data.",
    state="data",
)
SHARED = (YEAR_DELTA, YEAR_NEIGHBOUR, MODEL_DATA)
"""The controls of the state that pages share. A year's budget is not the ε of one release."""

FIND = Control(
    "find",
    "What do you look for?",
    OneOf(
        {
            "epochs": "Epochs",
            "sigma": "Noise of a training",
            "batch": "Batch size",
            "release": "Noise of a release",
        },
        row=True,
    ),
    noun="a search for",
    help="The setting to find: it keeps the budget, with all others as they are.",
)
FIND_BUDGET = (
    replace(
        BUDGET,
        key="find_epsilon",
        label="It may spend ε",
        option="",
        help="The ε that this training, or these releases, may spend together. It begins with the "
        "budget of your account, and does not change that.",
    ),
    replace(YEAR_DELTA, key="find_delta", option="", state=""),
    replace(PEOPLE, key="find_people", option=""),
    replace(YEAR_NEIGHBOUR, key="find_neighbour", option="", state=""),
)
"""The budget of the search, in the order of `ACCOUNT`: each begins with the account's value."""
FIND_BATCH = Control(
    "find_batch",
    "Batch size",
    Number(1, common.MAX_RECORDS, whole=True),
    default=FIRST.batch,
    help=CONTROLS["batch"].help,
    by_records=usual_batch,
)
FIND_NOISE = Control(
    "find_noise",
    "Noise multiplier",
    Number(0.01, 1e6, step=0.1),
    default=FIRST.sigma,
    help="**Noise multiplier** σ/C: the noise on the sum of clipped gradients, divided by the "
    "clipping norm C.",
)
FIND_EPOCHS = Control(
    "find_epochs",
    "Epochs",
    Number(1, 1_000_000, whole=True),
    default=FIRST_EPOCHS,
    noun="a number of epochs of",
    help=EPOCHS,
)
FIND_STEPS = Control(
    "find_steps",
    "Steps",
    Number(1, MAX_STEPS, whole=True),
    default=FIRST.steps,
    help=CONTROLS["duration"].help,
)
FIND_SENSITIVITY = Control(
    "find_sensitivity",
    "Largest change by one person Δ",
    Number(1e-6, 1e6, step=0.1),
    default=1.0,
    help="**Sensitivity Δ**: how far one person's data can move the released numbers (L2 norm), in "
    "their own units. A count of people has Δ = 1.",
)
FIND_RELEASES = Control(
    "find_releases",
    "How many releases",
    Number(1, 10_000, whole=True),
    default=52,
    noun="a number of releases of",
    help="All of them together keep the budget.",
)
SETTING = (
    *(FIND, *FIND_BUDGET, FIND_BATCH, FIND_NOISE, FIND_EPOCHS, FIND_STEPS),
    *(FIND_SENSITIVITY, FIND_RELEASES),
)


def first_day(today: date) -> date:
    """The day on which a plan begins: the next first of a month, so that none of it is past."""
    return (today.replace(day=1) + timedelta(days=31)).replace(day=1)


def usual(kind: str, first: date, records: int = FIRST.records) -> AccountEntry:
    """An entry to begin with, of a kind of `dpcore.accounting.entries`."""
    if kind == "training":
        return AccountEntry(
            kind,
            first=first,
            every="quarter",
            noise=FIRST.sigma,
            records=records,
            batch=usual_batch(records),
            epochs=FIRST_EPOCHS,
        )
    if kind == "release":
        return AccountEntry(kind, "Weekly count", 52, first, "week", noise=20.0)
    if kind == "laplace":
        return AccountEntry(kind, first=first, every="month", epsilon=0.1)
    if kind == "model":
        return AccountEntry(kind, first=first, every="quarter", epsilon=0.5, method="dpgd")
    return AccountEntry(kind, first=first, epsilon=0.5, delta=0.0)


def following(
    entries: Sequence[AccountEntry], kind: str, today: date, records: int = FIRST.records
) -> AccountEntry:
    """One more of a kind, dated by the entries that are there."""
    if kind == "spent":
        return usual(kind, today)
    start = min((entry.first for entry in entries), default=first_day(today))
    trainings = [entry for entry in entries if entry.kind == "training"]
    if kind != "training" or not trainings:
        return usual(kind, start, records)
    return replace(trainings[-1], count=1, first=max(map(_next_day, trainings)))


def of_records(entry: AccountEntry, before: int, records: int) -> AccountEntry:
    """The entry on `records` people, where it is a training on all of the `before` people."""
    if entry.records != before:
        return entry
    batch = usual_batch(records) if entry.batch == usual_batch(before) else entry.batch
    return replace(entry, records=records, batch=min(batch or 1, records))


def with_too_many(entries: Sequence[AccountEntry], people: int) -> list[AccountEntry]:
    """The trainings on more records than there are people, which count with too little ε."""
    return [entry for entry in entries if (entry.records or 0) > people]


def _next_day(entry: AccountEntry) -> date:
    """The day on which it would happen once more; its first where that is too late to plan."""
    try:
        return replace(entry, count=entry.count + 1).days()[-1]
    except InvalidInput:
        return entry.first
