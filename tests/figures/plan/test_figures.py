"""Plan's figures say what their tables say."""

import math
import re
from datetime import date

import pandas as pd
import pytest

from dpcore.accounting import epsilon_curve, grid
from dpcore.accounting.account import MAX_MORE, Account, Room, state
from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.presets import preset
from dpcore.accounting.schedules import constant, geometric
from dpcore.figures.plan import account, ladder, maps, schedule, spending
from dpcore.figures.words import at_most, listed, plain
from dpcore.guarantee import Adjacency, PrivacyBudget

RUN = preset("chexpert").training
BASIS = "Rényi · zero-out · δ = 1e-6"
WEEKLY = AccountEntry("release", "Weekly count", 3, date(2026, 3, 1), "week", 20.0)


def stated(epsilon, *entries):
    return state(Account(PrivacyBudget(epsilon, 1e-5), entries))


@pytest.fixture(scope="module")
def along():
    return epsilon_curve.epsilon_curve(RUN, epsilon_curve.CURVES, points=4)


@pytest.mark.parametrize("dark", [False, True])
def test_every_accountant_has_its_own_dash_and_marker(along, dark):
    drawn = spending.spending(along, dark=dark)
    looks = {(trace.line.dash, trace.marker.symbol) for trace in drawn.figure.data}
    assert len(looks) == len(drawn.figure.data) == 3  # tCDP proves nothing for these settings
    # The formula speaks of another adjacency: no ratio may be drawn.
    assert "a claim about one record replaced, says 1.66" in drawn.sentence
    assert "times" not in drawn.sentence
    assert "PLD 0.302" in drawn.alt


def test_lines_far_apart_are_on_a_logarithmic_axis(along):
    low = along.copy()
    low.loc[low["curve"] == "printed", "epsilon"] /= 1000.0
    assert spending.spending(low).figure.layout.yaxis.type == "log"
    assert spending.spending(along).figure.layout.yaxis.type is None


def test_no_certified_line_is_said(along):
    claims = along[along["curve"] == "printed"]
    assert "No accountant here certifies" in spending.spending(claims).sentence


def test_the_schedule_is_drawn_as_it_is():
    drawn = schedule.noise(geometric(2.0, 0.25, 3, 10), 2.0)
    trace = drawn.figure.data[0]
    assert list(trace.x) == [1, 10, 11, 20, 21, 30]
    assert list(trace.y) == [2.0, 2.0, 1.0, 1.0, 0.5, 0.5]
    assert list(trace.customdata) == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    assert "falls from σ = 2 to 0.5 over 30 steps" in drawn.sentence
    assert "stays at σ = 2" in schedule.noise(constant(2.0, 5), 1.0).sentence


@pytest.mark.parametrize("over", grid.OVER)
def test_a_map_marks_the_run_and_the_target(over):
    table = grid.table(RUN, over)
    value = RUN.decay if over == "decay" else RUN.rate
    drawn = maps.epsilon(table, over, sigma=RUN.sigma, value=value, target=0.5, basis=BASIS)
    heat, contour, cross = drawn.figure.data
    column, line = cross.x[0], cross.y[0]
    at = table[(table["sigma"] == RUN.sigma) & (table[over] == value)]["epsilon"].iloc[0]
    assert 10.0 ** heat.z[line][column] == pytest.approx(at)
    assert BASIS in heat.hovertemplate
    assert contour.contours.start == pytest.approx(math.log10(0.5))
    assert f"ε = {at_most(at)}, within the target 0.5" in drawn.sentence
    kept = int((table["epsilon"] <= 0.5).sum())
    assert f"({kept} of {len(table)} settings)" in drawn.sentence
    nowhere = maps.epsilon(
        table, over, sigma=RUN.sigma, value=value, target=1e-4, basis=BASIS
    ).sentence
    assert "kept nowhere" in nowhere


def test_blank_cells_of_a_map_are_counted():
    table = grid.table(RUN, "decay")
    table.loc[:2, "epsilon"] = math.inf
    drawn = maps.epsilon(table, "decay", sigma=RUN.sigma, value=RUN.decay, target=1.0, basis=BASIS)
    assert "3 settings are left blank" in drawn.sentence


def test_the_epsilon_of_an_entry_names_what_it_holds_by():
    limit = Account(PrivacyBudget(3.0, 1e-5), (), Adjacency.REPLACE_ONE)
    pure = AccountEntry("laplace", "Counts", first=date(2026, 3, 1), epsilon=0.1)
    noisy = AccountEntry("release", "Means", first=date(2026, 3, 1), noise=20.0)
    before = AccountEntry(
        "spent", "Before", first=date(2026, 3, 1), epsilon=0.1, delta=1e-7, adjacency="zero-out"
    )
    assert account.basis(pure, limit) == "pure ε · replace-one · δ = 0."
    assert account.basis(noisy, limit) == ""
    assert account.basis(before, limit) == "(ε, δ) alone · zero-out · δ = 1e-7."


def test_the_account_is_drawn_under_its_budget():
    weekly = AccountEntry("release", "Weekly <count>", 3, date(2026, 3, 1), "week", 20.0)
    kept, broken = (stated(epsilon, weekly) for epsilon in (3.0, 0.25))
    drawn = account.spending(kept)
    stairs, limit = drawn.figure.data
    spent = list(kept.table["epsilon_spent"])
    assert list(stairs.y) == [0.0, *spent, spent[-1]]
    assert list(stairs.x)[1:4] == ["2026-03-01", "2026-03-08", "2026-03-15"]
    assert set(limit.y) == {3.0}
    assert all(
        part in line.hovertemplate
        for line in (stairs, limit)
        for part in ("δ = 1e-5", "zero-out", kept.guarantee.by)
    )
    assert "Weekly <count>" not in str(drawn.figure.to_json())
    assert f"ε = {account.remainder(kept)} is left" in drawn.sentence
    assert 0.0 <= kept.left - float(account.remainder(kept)) < 1.1e-2
    assert "From 15 Mar 2026 on it is broken." in account.spending(broken).sentence
    assert drawn.sentence in drawn.alt


@pytest.mark.parametrize(
    ("epsilon", "days"),
    [(3.0, [1, 15]), (0.25, [1, 15]), (0.2, [1, 8, 15]), (0.01, [1, 15])],
)
def test_the_day_that_breaks_the_budget_is_told_with_its_epsilon(epsilon, days):
    statement = stated(epsilon, WEEKLY)
    after = [
        f"ε = {at_most(statement.spent_by(date(2026, 3, on)))} after {on} Mar 2026" for on in days
    ]
    line = f"The line rises to {listed(after)}; the budget is {plain(epsilon)} (dashed)."
    assert account.spending(statement).sentence.startswith(line)


def test_the_account_says_what_is_spent_and_what_is_left():
    training = AccountEntry("training", noise=2.0, records=10_000, batch=256, epochs=10)
    kept, broken = (stated(epsilon, WEEKLY) for epsilon in (3.0, 0.25))
    assert account.spent(kept) == "All that is planned spends ε = 0.292 of 3."
    assert account.spent(broken).endswith("the budget of 0.25. It breaks on 15 Mar 2026.")
    before = [AccountEntry("spent", epsilon=each) for each in (0.711, 0.289, 1e-15)]
    fitting, over = (stated(1.0, *before[:count]) for count in (1, 3))
    assert account.remainder(fitting) == "0.289"
    assert "ε = 1e-15 more than the budget of 1" in account.spent(over)
    result = [Room(training, 2), Room(WEEKLY, 1), Room(WEEKLY, 0), Room(WEEKLY, MAX_MORE)]
    left = account.left(result, kept)
    assert left.startswith("Left: 2 trainings such as “Training” (noise multiplier 2 · 10 epochs ")
    assert "256 from n = 10,000, T = 400), or 1 more release like “Weekly count”, " in left
    assert left.endswith("at least 4,096 more releases like “Weekly count”.")
    assert account.left(result, broken).startswith("Nothing more fits")
    assert account.left([Room(WEEKLY, 0)], kept).startswith("Nothing more of this kind fits")
    assert account.spent(stated(3.0)) == "Nothing is planned yet: all of ε = 3 is left."


@pytest.mark.parametrize("kind", ["release", "laplace", "spent", "model"])
def test_an_entry_never_says_less_than_it_spends(kind):
    method = "dpgd" if kind == "model" else None
    delta = 1.234e-7 if kind == "spent" else None
    shown = AccountEntry(kind, epsilon=0.1234123, delta=delta, method=method)
    words = account.entry(shown, None)[1]
    assert "ε = 0.12342" in words
    assert kind != "spent" or "δ = 1.24e-7" in words


def test_an_entry_is_said_with_its_noise_and_when():
    weekly = AccountEntry("release", "Weekly count", 52, date(2026, 1, 5), "week", 20.0)
    assert account.entry(weekly, None) == (
        "52 × Weekly count",
        "noise 20 times one person's largest change · every week from 5 Jan 2026",
    )
    assert account.entry(weekly, 2.0)[1].startswith(
        "noise 20 times one person's largest change (share 2)"
    )
    training = AccountEntry("training", noise=2.0, records=10_000, batch=256, epochs=1)
    assert account.entry(training, None)[1] == (
        "noise multiplier 2 · 1 epoch in batches of 256 from n = 10,000, T = 40 · 1 Jan 2026"
    )
    spent = AccountEntry("spent", epsilon=0.5, delta=1e-6, adjacency=Adjacency.REPLACE_ONE)
    assert account.entry(spent, None)[1] == "ε = 0.5, δ = 1e-6, replace-one · 1 Jan 2026"
    laplace = AccountEntry("laplace", count=2, every="once", epsilon=0.1)
    assert account.entry(laplace, None)[1] == ("Laplace noise, ε = 0.1 each · all on 1 Jan 2026")


def test_the_ladder_tells_claims_from_proofs():
    table = pd.DataFrame(
        [
            ("zCDP", 4.0, "proved", "theorem", 1.0, 1e-5),
            ("Classical Gaussian", 3.0, "conditions not met", "theorem", 1.0, 1e-5),
            ("Analytic Gaussian", 2.0, "proved", "theorem", 1.0, 1e-5),
        ],
        columns=["title", "sigma", "status", "by", "epsilon", "delta"],
    )
    drawn = ladder.sigmas(table)
    proved, claimed = drawn.figure.data
    assert list(proved.y) == ["zCDP", "Analytic Gaussian"]
    assert list(claimed.y) == ["Classical Gaussian"]
    assert proved.marker.pattern.shape != claimed.marker.pattern.shape
    assert "Analytic Gaussian needs the least noise, σ = 2" in drawn.sentence
    assert "zCDP, proved as well, needs 2 times as much" in drawn.sentence
    assert "Classical Gaussian proves nothing here" in drawn.sentence


def test_no_hover_says_less_than_is_spent_or_less_noise_than_is_needed(along):
    certified = along[along["curve"] == "pld"]
    (trace,) = spending.spending(certified).figure.data
    assert len(trace.hovertext) == len(certified)
    for told, epsilon in zip(trace.hovertext, certified["epsilon"], strict=True):
        assert float(re.search(r"ε = ([0-9.]+)<br>", told)[1]) >= epsilon
    rows = [("A", 2.000004, "proved", "by", 1.0, 1.25e-5)]
    table = pd.DataFrame(rows, columns=["title", "sigma", "status", "by", "epsilon", "delta"])
    (bar,) = ladder.sigmas(table).figure.data
    assert bar.text[0] == "2.01"
    assert "σ = 2.0001<br>for ε = 1, δ = 1.25e-5" in bar.hovertext[0]
    statement = stated(3.0, AccountEntry("release", noise=4.0, count=3))
    stairs = account.spending(statement).figure.data[0]
    for value, (_, told) in zip(stairs.y, stairs.customdata, strict=True):
        assert float(told) >= value
