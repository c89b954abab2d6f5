"""The account's words never say less than is spent, and its chart shows the budget."""

import re
from dataclasses import replace
from datetime import date

import pytest

from dpcore.accounting.account import MAX_MORE, Account, Room, state
from dpcore.accounting.entries import AccountEntry
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.account import figure, words
from dpcore.summaries.counts import measured_of
from dpcore.summaries.study import TableStudy

WEEKLY = AccountEntry("release", "Weekly count", 3, date(2026, 3, 1), "week", 20.0)


def stated(epsilon, *entries):
    return state(Account(PrivacyBudget(epsilon, 1e-5), entries))


def test_the_epsilon_of_an_entry_names_what_it_holds_by():
    limit = Account(PrivacyBudget(3.0, 1e-5), (), Adjacency.REPLACE_ONE)
    pure = AccountEntry("laplace", "Counts", first=date(2026, 3, 1), epsilon=0.1)
    noisy = AccountEntry("release", "Means", first=date(2026, 3, 1), noise=20.0)
    before = AccountEntry(
        "spent", "Before", first=date(2026, 3, 1), epsilon=0.1, delta=1e-7, adjacency="zero-out"
    )
    assert words.basis(pure, limit) == "pure ε · replace-one · δ = 0."
    assert words.basis(noisy, limit) == ""
    assert words.basis(before, limit) == "(ε, δ) alone · zero-out · δ = 10⁻⁷."


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_a_table_says_how_wrong_its_noise_makes_a_share(adjacency):
    study = TableStudy(records=3_000, epsilons=(1.0,), delta=1e-5, adjacency=adjacency)
    numbers = [column.name for column in study.entry.columns if column.kind == "number"]
    query = measured_of(study.entry, tuple(numbers), "admitted", 3_000)
    sigma = study.mechanism(query, 1.0).scale_of(1)
    entry = AccountEntry("release", "Table", epsilon=1.0, records=3_000, columns=len(numbers))
    (noisy,) = stated(3.0, entry).entries
    said = words.entry(noisy, None, Adjacency(adjacency))[1]
    points = float(re.search(r"± ([\d.]+) points", said)[1])
    # Not less than that of such a table, and hardly more where no number may be unknown.
    assert 196.0 * sigma / 3_000 <= points * 1.001
    assert points <= 1.2 * 196.0 * sigma / 3_000
    assert words.entry(WEEKLY, None)[1].count("points") == 0


@pytest.mark.parametrize("kind", ["release", "laplace", "spent", "model"])
def test_an_entry_never_says_less_than_it_spends(kind):
    method = "dpgd" if kind == "model" else None
    delta = 1.234e-7 if kind == "spent" else None
    shown = AccountEntry(kind, epsilon=0.1234123, delta=delta, method=method)
    said = words.entry(shown, None)[1]
    assert "ε = 0.12342" in said
    assert kind != "spent" or "δ = 1.24 × 10⁻⁷" in said


def test_the_account_is_drawn_under_its_budget():
    weekly = replace(WEEKLY, what="Weekly <count>")
    kept = stated(3.0, weekly)
    drawn = figure.spending(kept)
    stairs, limit = drawn.figure.data
    spent = list(kept.table["epsilon_spent"])
    assert list(stairs.y) == [0.0, *spent, spent[-1]]
    assert list(stairs.x)[1:4] == ["2026-03-01", "2026-03-08", "2026-03-15"]
    assert set(limit.y) == {3.0}
    for line in (stairs, limit):
        assert f"δ = 10⁻⁵<br>{kept.guarantee.by} · zero-out" in line.hovertemplate
    assert "Weekly <count>" not in str(drawn.figure.to_json())
    assert 0.0 <= kept.left - float(words.remainder(kept)) < 1.1e-2
    # No hover says less than is spent.
    for value, (_, told) in zip(stairs.y, stairs.customdata, strict=True):
        assert float(told) >= value


def test_the_account_says_what_is_spent_and_what_is_left():
    kept, broken = (stated(epsilon, WEEKLY) for epsilon in (3.0, 0.25))
    assert "spends ε = 0.292 of 3." in words.spent(kept)
    assert "It breaks on 15 Mar 2026." in words.spent(broken)
    before = [AccountEntry("spent", epsilon=each) for each in (0.711, 0.289, 1e-15)]
    fitting, over = (stated(1.0, *before[:count]) for count in (1, 3))
    assert words.remainder(fitting) == "0.289"
    assert "ε = 10⁻¹⁵ more than the budget of 1" in words.spent(over)
    result = [Room(WEEKLY, 1), Room(WEEKLY, 0), Room(WEEKLY, MAX_MORE)]
    left = words.left(result, kept)
    assert left.startswith("Left: 1 more release like “Weekly count”")
    assert left.endswith("at least 4 096 more releases like “Weekly count”.")
    assert words.left(result, broken).startswith("Nothing more fits")
    assert words.left([Room(WEEKLY, 0)], kept).startswith("Nothing more of this kind fits")


def test_what_was_set_is_told_with_what_it_was_before():
    before = (WEEKLY, replace(WEEKLY, what="Means"))
    one = (WEEKLY, replace(before[1], noise=31.0))
    assert words.changed(before, one) == "Set: “Means” with noise 31 instead of 20."
    both = tuple(replace(each, noise=31.0) for each in before)
    assert "2 entries" in words.changed(before, both)
    model = AccountEntry("model", epsilon=0.5, method="dpgd")
    assert "ε 0.2 instead of 0.5" in words.changed((model,), (replace(model, epsilon=0.2),))
