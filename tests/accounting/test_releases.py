"""The calendar: every wrong cell is named, the budget is kept exactly, the day it is gone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting.budget import COMPOSITIONS, split
from dpcore.accounting.releases import MOST_ROWS, cost, from_text, quarterly, read, regular, to_text
from dpcore.errors import InvalidInput
from dpcore.guarantee import PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon

BUDGET = PrivacyBudget(3.0, 1e-5)
YEAR = quarterly(2026)


def row(**changes: object) -> dict[str, object]:
    return {"date": "2026-03-31", "what": "Report", "weight": 1.0, "sigma": 2.0} | changes


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_four_quarters_keep_the_budget(composition: str) -> None:
    found = cost(YEAR, BUDGET, composition)
    assert list(found.table["sigma"]) == [
        portion.sigma for portion in split(BUDGET, 4, composition).portions
    ]
    spent = list(found.table["epsilon_spent"])
    assert spent == sorted(spent)
    assert spent[-1] <= 3.0
    together = (sum(sigma**-2 for sigma in found.table["sigma"])) ** -0.5
    assert spent[-1] == pytest.approx(float(analytic_epsilon(together, 1e-5)), rel=1e-6)
    assert all(found.table["within"])
    if composition == "pld":
        assert (spent[-1], found.table["epsilon_left"].iloc[-1]) == (3.0, 0.0)
        assert found.spent_on == date(2026, 12, 31)
        assert (found.fitting, found.every_days) == (0, 92)
        assert found.exhausted_on == date(2026, 12, 31) + timedelta(days=92)
    else:
        # What these rules leave over; only basic composition leaves enough for more releases.
        assert spent[-1] < 2.9
        assert found.spent_on is None
        assert (found.fitting > 0) == (composition == "basic")


def test_a_remainder_that_means_something_is_left() -> None:
    sigma = float(cost(YEAR, BUDGET, "pld").table["sigma"].iloc[0])
    rows = [row(date=str(each.on), sigma=sigma * (1.0 + 1e-6)) for each in YEAR]
    found = cost(read(rows, typed_noise=True)[0], BUDGET, "pld", typed_noise=True)
    assert found.spent_on is None
    assert 0.0 < found.table["epsilon_left"].iloc[-1] < 1e-4


def test_a_broken_budget_is_spent_and_not_rounded() -> None:
    rows = [row(date=str(each.on), sigma=2.0) for each in YEAR]
    found = cost(read(rows, typed_noise=True)[0], BUDGET, "pld", typed_noise=True)
    assert found.spent_on == found.exhausted_on == date(2026, 9, 30)
    assert found.table["epsilon_spent"].iloc[-1] > 3.0


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_noise_grows_with_the_sensitivity_and_the_cost_does_not(composition: str) -> None:
    one, five = (cost(YEAR, BUDGET, composition, moved).table for moved in (1.0, 5.0))
    assert five["sigma"].tolist() == pytest.approx([5.0 * sigma for sigma in one["sigma"]])
    assert five["epsilon_spent"].tolist() == pytest.approx(one["epsilon_spent"].tolist())


def test_twice_the_weight_is_half_the_variance() -> None:
    rows = [row(weight=2.0), row(date="2026-06-30")]
    planned, wrong = read(rows, typed_noise=False)
    assert wrong == []
    first, second = cost(planned, BUDGET, "pld").table["sigma"]
    assert second / first == pytest.approx(2.0**0.5)


@settings(max_examples=20)
@given(sigma=st.floats(0.5, 50.0), count=st.integers(1, 8))
def test_the_day_it_is_used_up_is_the_first_that_does_not_fit(sigma: float, count: int) -> None:
    start = date(2026, 1, 1)
    rows = [
        row(date=str(start + timedelta(days=30 * place)), sigma=sigma) for place in range(count)
    ]
    found = cost(read(rows, typed_noise=True)[0], BUDGET, "pld", typed_noise=True)

    def spends(releases: int) -> float:
        return float(analytic_epsilon(sigma / releases**0.5, 1e-5))

    if found.exhausted_on is None:
        assert spends(count + 4096) <= 3.0
        return
    fits = (found.exhausted_on - start).days // (30 if count > 1 else 91)
    assert spends(fits + 1) > 3.0 * (1.0 - 1e-9)
    assert fits == 0 or spends(fits) <= 3.0 * (1.0 + 1e-9)
    assert list(found.table["within"]) == [spends(place + 1) <= 3.0 for place in range(count)]


@pytest.mark.parametrize(
    ("typed_noise", "changes", "sentence"),
    [
        (False, {"weight": -1.0}, "Row 2, weight is -1, but it must be a finite number above 0"),
        (False, {"weight": None}, "Row 2, weight is 'empty'"),
        (False, {"weight": float("nan")}, "Row 2, weight is 'empty'"),
        (True, {"sigma": 0.0}, "Row 2, σ is 0"),
        (False, {"date": None}, "Row 2, date is 'empty', but it must be a day such as"),
        (False, {"date": "soon"}, "Row 2, date is 'soon'"),
        (False, {"date": "1815-01-01"}, "Row 2, date is '1815-01-01'"),
    ],
)
def test_each_wrong_cell_is_named(
    typed_noise: bool, changes: dict[str, object], sentence: str
) -> None:
    planned, wrong = read([row(), row(**changes), row()], typed_noise=typed_noise)
    assert planned == ()
    assert len(wrong) == 1
    assert wrong[0].startswith(sentence)


def test_two_wrong_cells_of_one_row_are_both_named() -> None:
    _, wrong = read([row(date="x", weight=0.0)], typed_noise=False)
    assert [sentence.split(" is ")[0] for sentence in wrong] == ["Row 1, date", "Row 1, weight"]


def test_rows_with_the_same_fault_are_named_in_one_sentence() -> None:
    rows = [row(sigma=None if place in (1, 2, 3, 5) else 2.0) for place in range(1, 6)]
    assert read(rows, typed_noise=True) == (
        (),
        ["Rows 1 to 3 and 5, σ is 'empty', but it must be a number above 0 and at most 1,000,000."],
    )


def every_day(count: int) -> list[dict[str, object]]:
    return [row(date=str(date(2026, 1, 1) + timedelta(days=each))) for each in range(count)]


def test_a_table_that_is_too_long_has_no_answer() -> None:
    planned, wrong = read(every_day(MOST_ROWS + 1), typed_noise=False)
    assert planned == ()
    assert wrong == [f"The table has {MOST_ROWS + 1} rows, but it must have at most {MOST_ROWS}."]


def test_the_longest_table_keeps_the_budget_and_shares_the_work() -> None:
    planned, wrong = read(every_day(MOST_ROWS), typed_noise=False)
    assert (len(planned), wrong) == (MOST_ROWS, [])
    found = cost(planned, BUDGET, "pld")
    sigma = found.table["sigma"].iloc[0]
    assert set(found.table["sigma"]) == {sigma}
    assert sigma == pytest.approx(split(BUDGET, 1, "pld").portions[0].sigma * MOST_ROWS**0.5)
    assert float(analytic_epsilon(sigma / MOST_ROWS**0.5, 1e-5)) <= 3.0
    assert found.table["epsilon_spent"].iloc[-1] == 3.0


def test_an_empty_calendar_is_refused() -> None:
    with pytest.raises(InvalidInput, match="calendar is empty"):
        cost([], BUDGET, "pld")


def test_a_calendar_goes_through_a_link_and_comes_back() -> None:
    rows = [
        row(date=date(2026, 3, 31), what="a; b ~ c"),
        row(date=None, what="", weight=None, sigma=None),
    ]
    back = from_text(to_text(rows))
    assert back[0] == row(date=date(2026, 3, 31), what="a  b   c")
    assert back[1] == {"date": None, "what": "", "weight": None, "sigma": None}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<script>", "Row 1 of the calendar has 1 cells"),
        ("2026-13-01~x~1~", "Row 1, date is '2026-13-01'"),
        ("2026-01-01~x~lots~", "Row 1, weight is 'lots'"),
        (";" * MOST_ROWS, f"calendar has {MOST_ROWS + 1} rows"),
    ],
)
def test_a_hostile_link_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence.replace("(", r"\(")):
        from_text(text)


def test_three_a_week_for_a_year_are_156_releases() -> None:
    start = date(2026, 1, 5)
    rows = regular(3, 7, 52, start, sigma=4.0)
    days = [(each["date"] - start).days for each in rows]
    assert (len(rows), days[:4], days[-1]) == (156, [0, 2, 4, 7], 51 * 7 + 4)
    assert [days.count(7 * week) for week in range(52)] == [1] * 52
    assert from_text(to_text(rows)) == rows
    planned, wrong = read(rows, typed_noise=True)
    assert wrong == []
    assert [each.sigma for each in planned] == [4.0] * 156
    assert [each["date"] for each in regular(2, 1, 2, start)] == [
        start + timedelta(days=each) for each in (0, 0, 1, 1)
    ]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ((0, 7, 52), "releases in an interval is 0"),
        ((1, 0, 52), "days in an interval is 0"),
        ((8, 7, 51), "number of releases is 408, but it must be at most 400"),
        ((1, 366, 400), "day of the last release is 'after 2100'"),
    ],
)
def test_regular_releases_out_of_range_are_refused(
    asked: tuple[int, int, int], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        regular(*asked, date(2026, 1, 1))
