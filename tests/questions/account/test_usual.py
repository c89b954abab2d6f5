"""What the account begins with, and how one more is dated."""

from dataclasses import replace
from datetime import date

import pytest

from dpcore.accounting.account import composed
from dpcore.accounting.entries import AccountEntry, from_csv, from_link, to_csv, to_link
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.errors import InvalidInput
from dpcore.questions.account.usual import (
    first_day,
    following,
    of_records,
    of_run,
    usual,
    with_too_many,
)

TODAY = date(2026, 11, 24)
START = date(2026, 12, 1)


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (TODAY, START),
        (date(2026, 12, 1), date(2027, 1, 1)),
        (date(2026, 12, 31), date(2027, 1, 1)),
        (date(2027, 1, 31), date(2027, 2, 1)),
    ],
)
def test_a_plan_is_about_what_is_to_come(today, first):
    assert first_day(today) == first
    weekly = usual("release", first).days()
    assert today < weekly[0]
    assert weekly[-1] < first.replace(year=first.year + 1)


def test_each_training_comes_after_those_that_are_there():
    entries: list[AccountEntry] = [usual("release", START)]
    for _ in range(4):
        entries.append(following(entries, "training", TODAY))
    assert [entry.first.month for entry in entries[1:]] == [12, 3, 6, 9]
    early = replace(entries[1], first=date(2027, 1, 1))
    assert following([*entries, early], "training", TODAY).first == date(2027, 12, 1)


def test_it_is_like_the_last_one():
    last = replace(usual("training", START), noise=1.1, count=3)
    assert following([last], "training", TODAY) == replace(last, count=1, first=date(2027, 9, 1))


def test_a_first_one_begins_the_plan_with_a_batch_that_fits():
    assert following([], "training", TODAY, 100) == usual("training", START, 100)
    assert usual("training", START, 100).batch == 32
    later = replace(usual("spent", START), first=date(2030, 5, 1))
    assert following([later], "release", TODAY).first == date(2030, 5, 1)
    assert following([later], "spent", TODAY).first == TODAY


def test_what_would_come_after_the_last_day_stays_on_its_day():
    late = replace(usual("training", START), first=date(2100, 12, 1))
    assert following([late], "training", TODAY).first == date(2100, 12, 1)


def test_a_table_of_all_people_follows_their_number_and_keeps_in_a_link():
    table = usual("table", START, 3_000)
    assert of_records(table, 3_000, 400) == usual("table", START, 400)
    assert of_records(table, 9_000, 400) == table
    assert with_too_many([table], 400) == []
    assert from_link(to_link([table])) == (table,)
    assert from_csv(to_csv([table])) == (table,)
    for wrong in ({"columns": None}, {"records": None}, {"columns": 0}, {"kind": "laplace"}):
        with pytest.raises(InvalidInput, match=r"columns|records"):
            replace(table, **wrong)


def test_a_training_on_all_people_follows_their_number():
    whole = usual("training", START, 10_000)
    assert of_records(whole, 10_000, 400) == usual("training", START, 400)
    chosen = replace(whole, batch=1_000)
    assert of_records(chosen, 10_000, 5_000).batch == 1_000
    assert of_records(chosen, 10_000, 400).batch == 400
    part = replace(chosen, records=2_000)
    for other in (part, usual("release", START)):
        assert of_records(other, 10_000, 400) == other
    assert with_too_many([chosen, part, usual("release", START)], 2_000) == [chosen]


def test_a_run_that_is_the_best_of_several_is_an_entry_of_all_of_them():
    run = TrainingPlan(2.0, records=10_000, batch=256, steps=400, delta=1e-5, chosen_of=3)
    entry = of_run(run)
    assert (entry.count, entry.epochs, {*entry.days()}) == (3, 10, {entry.first})
    total = composed([entry], run.delta, run.adjacency)
    assert total.epsilon == pytest.approx(spent(run, "pld").epsilon, rel=1e-3)
