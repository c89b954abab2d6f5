"""A description is data in a known form; it says what one person is, too."""

import json

import numpy as np
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.datasets import OWN, described, prepare, read_upload
from dpcore.datasets.dialect import Dialect
from dpcore.datasets.own.description import restated
from dpcore.datasets.own.field import DescribedField, Person, TableDescription
from dpcore.datasets.own.mending import Mendable
from dpcore.datasets.own.notation import read, write
from dpcore.datasets.own.rows import read_rows
from dpcore.errors import InvalidInput

COLUMNS = """person: patient_id, at most 2 rows
number of persons: public
visit: 2020-01-01 to 2020-12-31; unknown: blank
predict ill: one of no, yes"""
ROWS = "".join(
    ["patient_id,visit,ill\n"]
    + [f"p{row % 7},2020-02-{row + 1:02},{('no', 'yes')[row % 2]}\n" for row in range(20)]
)


def said_of(columns):
    description = read(columns)
    return description.person, description.number_is_public


def test_a_description_says_whose_rows_they_are_and_learns_nothing_from_that():
    assert said_of(COLUMNS) == (Person("patient_id", 2), True)
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
    ("line", "person"),
    [
        ("person: one row each", Person()),
        ("person: a, b, at most 1 row", Person("a, b", 1)),
        ("person: one of tall, small", None),
        ("person: 0 to 5", None),
        ("", None),
    ],
)
def test_one_row_each_may_be_said_and_a_column_may_be_called_person(line, person):
    columns = f"age: 0 to 9\n{line}\npredict ill: one of no, yes"
    assert said_of(columns) == (person, False)
    assert len(described(columns).columns) == (2 if line and person is None else 1)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("person: id", "line 1: person holds 'id'"),
        ("person: id, at most 0 rows", "at most 0 rows, but it must be 1 to 10 000"),
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
        assert said_of(mend.columns) == said_of(columns)


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
    rows = "".join(f"{day},{day},no\n" for day in days).replace("\n,", "\np,")
    rows = f"patient_id,visit,ill\n{rows}"
    table, _ = read_rows(columns, rows.encode(), "f")
    wanted = [1.0, 365.0, -1.0, np.nan, 367.0]
    assert np.array_equal(table.frame["visit"], wanted, equal_nan=True)
    notes = " ".join(prepare(read_upload(OWN, rows.encode(), "f", columns)).notes)
    assert "clipped to the public bounds" in notes


@pytest.mark.parametrize("person", [Person(), Person("id", 2), None])
def test_what_is_said_anew_stands_in_the_place_of_what_was_said(person):
    lines = "age: 1 to 9\npredict ill: one of no, yes"
    for before in (lines, restated(lines, Person("patient", 7)), restated(lines, Person())):
        columns = restated(before, person)
        assert said_of(columns) == (person, person is not None)
        assert read(restated(columns, None)) == read(lines)
    assert restated(lines, None) == lines


SAID = TableDescription(
    (
        DescribedField("CRP [mg/l]: \"x\" | 'y'", "number", 0.5, 200.0, unit="mg/l", beyond="half"),
        DescribedField("Alter, Jahre", "list", levels=("[70-80)", "≥80", "no", "01", "1", "a, b")),
        DescribedField("<img onerror>", "number", -1e9, 1e9, decimal_mark=",", thousands_mark="."),
        DescribedField("*a* :red[b]", "list", levels=("~", "null"), missing_marks=("", "-9")),
        DescribedField("yes", "list", levels=("0", "1")),
    ),
    predicted="yes",
    person=Person("{id}", 3),
    number_is_public=True,
    dialect=Dialect("cp1252", ";", 3),
)


@pytest.mark.parametrize("flow", [False, True])
def test_any_sign_may_stand_in_a_name_or_a_level(flow):
    columns = write(SAID)
    if flow:
        columns = json.dumps(yaml.safe_load(columns), indent="\t")
    assert read(columns) == SAID
    assert [column.name for column in described(columns).columns] == [
        field.name for field in SAID.used
    ]


def test_what_other_tools_write_is_read():
    columns = """
    {"fields": [
        {"name": "visit", "type": "date", "format": "%d.%m.%Y", "title": "First visit",
         "constraints": {"minimum": "2015-01-01", "maximum": "2024-12-31"}},
        {"name": "smokes", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
        {"name": "note", "type": "string"},
        {"name": "died", "constraints": {"enum": ["0", "1"]}}],
     "missingValues": ["", "NA"], "predict": "died"}"""
    visit, smokes, died = read(columns).fields
    assert (visit.day_order, visit.missing_marks) == ("day first", ("", "NA"))
    assert (smokes.levels, smokes.missing_marks) == (("nein", "ja"), ("", "NA"))
    assert (died.levels, died.missing_marks) == (("0", "1"), ())
    comma = "fields: [{name: a, decimalChar: ',', constraints: {minimum: 0, maximum: 9}}]"
    assert read(comma).fields[0].thousands_mark == "."


@pytest.mark.slow("reads large or many files")
@example("a", ["\x85"])
@given(st.text(max_size=60), st.lists(st.text(max_size=9), min_size=1, max_size=4))
def test_whatever_is_written_is_read_as_the_same(name, levels):
    field = DescribedField(name.strip(), "list", levels=tuple(levels), missing_marks=("",))
    said = TableDescription((field,), predicted="x")
    assert read(write(said)) == said
