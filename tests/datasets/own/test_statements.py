"""A description says what one person is, and days are numbers since a public one."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets import OWN, described, prepare, read_upload
from dpcore.datasets.own.mend import Mendable
from dpcore.datasets.own.rows import read_rows
from dpcore.datasets.own.statements import Person, Statements, restated, statements_of
from dpcore.errors import InvalidInput

COLUMNS = """person: patient_id, at most 2 rows
number of persons: public
visit: 2020-01-01 to 2020-12-31; unknown: blank
predict ill: one of no, yes"""
ROWS = "".join(
    ["patient_id,visit,ill\n"]
    + [f"p{row % 7},2020-02-{row + 1:02},{('no', 'yes')[row % 2]}\n" for row in range(20)]
)


def test_a_description_says_whose_rows_they_are_and_learns_nothing_from_that():
    assert statements_of(COLUMNS) == Statements(Person("patient_id", 2), number_is_public=True)
    assert [column.name for column in described(COLUMNS).columns] == ["visit"]
    table, person = read_rows(COLUMNS, ROWS.encode(), "f")
    assert table.records == 20
    assert person.tolist() == [row % 7 for row in range(20)]
    explored = read_upload(OWN, ROWS.encode(), "f", COLUMNS)
    assert explored.records == explored.entry.records == len(explored.frame) == 7
    assert "One row of each of 7 persons is used here; 13 more rows" in explored.notes[-1]
    assert list(explored.frame) == ["visit"]
    assert prepare(explored).dimension == 1


@pytest.mark.parametrize(
    ("line", "statements"),
    [
        ("person: one row each", Statements(Person())),
        ("person: a, b, at most 1 row", Statements(Person("a, b", 1))),
        ("person: one of tall, small", Statements()),
        ("person: 0 to 5", Statements()),
        ("", Statements()),
    ],
)
def test_one_row_each_may_be_said_and_a_column_may_be_called_person(line, statements):
    columns = f"age: 0 to 9\n{line}\npredict ill: one of no, yes"
    assert statements_of(columns) == statements
    assert len(described(columns).columns) == (2 if line and statements == Statements() else 1)
    if statements.person is not None:
        assert statements.person.line() == line


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("person: id", "line 1: a person must be “one row each”, or a column"),
        ("person: id, at most 0 rows", "at most 0 rows, but it must be 1 to 10,000"),
        ("person: one row each\nperson: id, at most 2 rows", "line 2: it says again"),
        ("person: age, at most 2 rows", "age says whose row it is"),
        ("person: id, at most 2 rows", "the header does not name 'id'"),
    ],
)
def test_a_wrong_statement_is_one_sentence(columns, said):
    columns += "\nage: 0 to 9\npredict ill: one of no, yes"
    with pytest.raises(InvalidInput, match=said) as refused:
        read_upload(OWN, b"age,ill\n1,no\n2,yes\n", "f", columns)
    for mend in getattr(refused.value, "mends", ()):
        assert statements_of(mend.columns) == statements_of(columns)


def test_every_row_has_a_person_also_a_blank_one():
    rows = "patient_id,visit,ill\np1,,\n,2020-01-01,no\n,,\n"
    with pytest.raises(Mendable, match="lines 3 and 4: patient_id must be filled in"):
        read_rows(COLUMNS, rows.encode(), "f")
    table, person = read_rows(COLUMNS, rows.replace("\n,", "\np2,").encode(), "f")
    assert table.blank.tolist() == [True, False, True]
    assert person.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("order", "days"),
    [
        ("", ["2020-01-02", "2020-12-31T10:00:00", "2019-12-31", "", "2021-01-02 00:00:00Z"]),
        ("; day first", ["2.1.2020", "31/12/2020", "31-12-2019", "", "02.01.2021"]),
        ("; month first", ["1/2/2020", "12/31/2020", "12-31-2019", "", "01.02.2021"]),
    ],
)
def test_a_day_is_a_number_of_days_since_the_first_and_clipped(order, days):
    columns = COLUMNS.replace("2020-12-31", f"2020-12-31{order}")
    column = described(columns).column("visit")
    assert (column.bounds, column.unit) == ((0.0, 365.0), "days since 2020-01-01")
    rows = "patient_id,visit,ill\n" + "".join(f"{day},{day},no\n" for day in days).replace(
        "\n,", "\np,"
    )
    table, _ = read_rows(columns, rows.encode(), "f")
    wanted = [1.0, 365.0, -1.0, np.nan, 367.0]
    assert np.array_equal(table.frame["visit"], wanted, equal_nan=True)
    notes = " ".join(prepare(read_upload(OWN, rows.encode(), "f", columns)).notes)
    assert "clipped to the public bounds" in notes


@pytest.mark.parametrize("day", ["2020-02-30", "20200102", "2.1.2020", "2020-1-2", "yesterday"])
def test_what_is_no_day_is_refused_without_it(day):
    rows = ROWS.replace("2020-02-03", day)
    with pytest.raises(Mendable) as refused:
        read_rows(COLUMNS, rows.encode(), "f")
    assert str(refused.value) == (
        "'f', line 4: visit must be a day such as 2020-12-31, or an empty field for unknown."
    )


@pytest.mark.parametrize("days", ["2020-12-31 to 2020-01-01", "2020-02-30 to 2020-03-01"])
def test_the_days_of_a_range_are_in_order(days):
    with pytest.raises(Mendable, match="both must be days, the first before the second"):
        described(f"visit: {days}\npredict ill: one of no, yes")


@pytest.mark.parametrize("person", [Person(), Person("id", 2), None])
def test_what_is_said_anew_stands_in_the_place_of_what_was_said(person: Person | None) -> None:
    lines = "age: 1 to 9\npredict ill: one of no, yes"
    for before in (lines, restated(lines, Person("patient", 7)), restated(lines, Person())):
        columns = restated(before, person)
        assert statements_of(columns) == Statements(person, person is not None)
        assert restated(columns, None) == lines
