"""What an account begins with, and how one more entry is dated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.events import TrainingPlan, steps_per_epoch, usual_batch
from dpcore.controls.plan import FIRST, FIRST_EPOCHS
from dpcore.errors import InvalidInput
from dpcore.words import raised


def first_day(today: date) -> date:
    """The day on which a plan begins: the next first of a month, so that none of it is past."""
    return (today.replace(day=1) + timedelta(days=31)).replace(day=1)


def usual(kind: str, first: date, records: int = FIRST.records) -> AccountEntry:
    """An entry to begin with, of a kind of `dpcore.accounting.entries`, or a "table"."""
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
    if kind == "table":
        return AccountEntry(
            "release", "Table", 1, first, "quarter", epsilon=0.5, records=records, columns=8
        )
    if kind == "laplace":
        return AccountEntry(kind, first=first, every="month", epsilon=0.1)
    if kind == "model":
        return AccountEntry(kind, first=first, every="quarter", epsilon=0.5, method="dpgd")
    return AccountEntry(kind, first=first, epsilon=0.5, delta=0.0)


def of_run(training: TrainingPlan) -> AccountEntry | None:
    """A training once a quarter, or all that it was chosen among on one day.

    ``None`` where an entry cannot say how its noise or epochs go.
    """
    epochs, rest = divmod(training.steps, steps_per_epoch(training.records, training.batch))
    if rest or training.decay < 1.0:
        return None
    return AccountEntry(
        "training",
        count=training.chosen_of,
        every="quarter" if training.chosen_of == 1 else "once",
        noise=raised(training.sigma / training.clip, 5),
        records=training.records,
        batch=training.batch,
        epochs=epochs,
        sampling=training.sampling,
    )


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
    """The entry on `records` people, where it is a training or a table of all `before` people."""
    if entry.records != before:
        return entry
    if entry.kind == "release":
        return replace(entry, records=records)
    batch = usual_batch(records) if entry.batch == usual_batch(before) else entry.batch
    return replace(entry, records=records, batch=min(batch or 1, records))


def with_too_many(entries: Sequence[AccountEntry], people: int) -> list[AccountEntry]:
    """The trainings on more records than there are people, which count with too little ε."""
    trainings = (entry for entry in entries if entry.kind == "training")
    return [entry for entry in trainings if (entry.records or 0) > people]


def _next_day(entry: AccountEntry) -> date:
    """The day on which it would happen once more; its first where that is too late to plan."""
    try:
        return replace(entry, count=entry.count + 1).days()[-1]
    except InvalidInput:
        return entry.first
