"""A description is data in a known form; it says what one person is, too."""

import json
import pickle

import numpy as np
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.datasets import OWN, Preparation, described, prepare, read_upload
from dpcore.datasets.delimited import Dialect
from dpcore.datasets.faults import WrongTable
from dpcore.datasets.own.description import Mendable, class_of, read_rows, restated
from dpcore.datasets.own.notation import (
    MAX_LETTERS,
    DescribedField,
    Person,
    TableDescription,
    read,
    write,
)
from dpcore.datasets.own.notation import read as described_by
from dpcore.datasets.partition import drawn
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


TABLE_COLUMNS = """
age: 18 to 90 years
smoker: one of no, yes
region: one of north, south, west; unknown: blank
bmi: 15 to 50 kg/m²; unknown: NA
predict progression: −10 to 350 points
"""
TABLE_ROWS = """name;progression;bmi;region;age;smoker
Ann;12.5;22;north;40;no
Bob;400;NA;;95;yes
Cem;-20;49;west;18;no
Dora;0;31;south;60;yes
"""


def read_table(columns=TABLE_COLUMNS, rows=TABLE_ROWS):
    return read_upload(OWN, rows.encode(), "mine.csv", columns)


def refusal(columns, rows=TABLE_ROWS):
    with pytest.raises(InvalidInput) as refused:
        read_table(columns, rows)
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 600
    return sentence


def test_everything_public_comes_from_the_description_alone():
    entry = described(TABLE_COLUMNS)
    assert (entry.target.bounds, entry.target.unit) == ((-10.0, 350.0), "points")
    assert [(column.name, column.kind) for column in entry.columns] == [
        *(("age", "number"), ("smoker", "indicator"), ("region", "category"), ("bmi", "number")),
    ]
    bmi = entry.column("bmi")
    assert (bmi.bounds, bmi.unit, bmi.bounds_from) == ((15.0, 50.0), "kg/m²", "assumed")
    result = read_table().entry
    assert result.records == 4
    assert (result.label, result.columns) == (entry.label, entry.columns)


def test_columns_come_in_any_order_and_others_are_left_out():
    table = read_table()
    assert list(table.frame.columns) == ["age", "smoker", "region", "bmi"]
    assert list(table.frame["age"]) == [40.0, 95.0, 18.0, 60.0]
    assert list(table.frame["smoker"]) == [0.0, 1.0, 0.0, 1.0]
    assert list(table.frame["region"].astype(object))[::2] == ["north", "west"]
    assert table.frame[["region", "bmi"]].isna().to_numpy()[1].all()
    assert list(table.label) == [12.5, 400.0, -20.0, 0.0]
    assert not table.published
    assert table.notes == ("1 column was ignored (not described).",)


def test_one_of_two_and_one_of_several_can_be_predicted_too():
    table = read_table("age: 18 to 90\npredict smoker: one of no, yes")
    assert (table.entry.predicts, table.entry.positive) == ("class", "smoker = yes")
    assert list(table.label) == [-1, 1, -1, 1]
    rows = TABLE_ROWS.replace(";;", ";south;")
    table = read_table("age: 18 to 90\npredict region: one of north, south, west", rows)
    assert (table.entry.predicts, table.entry.classes) == ("classes", 3)
    assert list(table.label) == [0, 1, 2, 1]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("", "does not say what is predicted"),
        ("predict age: 18 to 90", "0 columns to predict from"),
        ("age: 18 to 90\nage: 0 to 9", "names the column age twice"),
        ("bmi 15 to 50", "line 1 must be the name of a column"),
        ("\n\nbmi: 15", "line 3: bmi holds '15', but it must be a range"),
        ("bmi: 0,5 to 10.000", "with a decimal point"),
        ("bmi: 50 to 15", "bmi has the range 50 to 15, but the first must be below"),
        ("bmi: 15 to 15", "bmi has the range 15 to 15"),
        ("bmi: 15 to 1e400", "bmi has the range 15 to ∞"),
        ("bmi: one of low, low", "bmi is one of 2 values"),
        ("bmi: one of low, high; unknown: low", "none that is in its list"),
        ("bmi: 15 to 50; unknown: NA; unknown: NA", "at most 20 different ones"),
        ("bmi: 15 to 50; decimal comma; decimal comma", "says twice how decimals"),
        ("day: 2020-01-01 to 2020-02-01; day first; month first", "says twice how days"),
        ("predict bmi: 15 to 50; unknown: NA", "bmi is predicted, so it has no mark for unknown"),
        ("x" * (MAX_LETTERS + 1), "200 001 letters"),
        ("x" * 61 + ": 0 to 1", "1 to 60 visible letters"),
        ("visit: 2020-12-31 to 2020-01-01", "the first day must be before the second"),
        ("fields: [", "cannot be read as YAML or JSON"),
        ("fields:\n- &a {name: x}\n- *a", "repeated by an alias"),
        ("fields:\n- {name: a, name: b}", "line 2: fields: name is said twice"),
        ("fields:\n- {name: a, missingvalues: [1]}", "missingvalues is no name known here"),
        ("fields:\n- {name: a, constraints: {minimum: 1, maximum: x}}", "a: constraints: maximum"),
        ("fields:\n- {name: a, constraints: {enum: [x, y]}}\npredict: b", "predicts 'b'"),
        ("fields:\n- {name: a, type: geopoint, constraints: {}}", "a: type is 'geopoint'"),
        ("fields: []\nperson: {field: id}", "both, or “one row each”"),
    ],
)
def test_a_wrong_description_is_refused_in_one_sentence(columns, said):
    assert said in refusal(columns)


SMALL = "age: 18 to 90\nbmi: 15 to 50\npredict ill: one of no, yes"
SMALL_ROWS = "age;bmi;ill\n40;22;no\n50;;yes\n"


BLANK = {"15 to 50": "15 to 50; unknown: blank"}
COMMA = "bmi: 15 to 50; decimal comma"
MENDS = [
    ({}, {}, "Read an empty field in bmi as unknown", "bmi: 15 to 50; unknown: blank"),
    ({}, {}, "Leave out bmi", ""),
    ({}, {"50;;": "50;22,5;"}, "Read bmi with a decimal comma", COMMA),
    ({}, {"50;;": "50;1.234,5;"}, "Read bmi with a decimal comma: 1.234 is 1234", COMMA),
    (
        {"15 to 50": "15 to 50; unknown: blank; decimal comma"},
        {"22": "22.5"},
        "Read bmi with a decimal point",
        "bmi: 15 to 50; unknown: blank",
    ),
    ({}, {"22": "no", ";;": ";yes;"}, "Write: one of no, yes", "bmi: one of no, yes"),
    (
        {"15 to 50": "one of low, high; unknown: blank"},
        {"22": "LOW"},
        "Write: one of LOW, HIGH",
        "bmi: one of LOW, HIGH; unknown: blank",
    ),
    ({"bmi": "BMI"}, {";;": ";20;"}, "Call it bmi, as the file does", "bmi: 15 to 50"),
    (
        {"15 to 50": "50 to 15 kg; unknown: blank"},
        {},
        "Write 15 to 50",
        "bmi: 15 to 50 kg; unknown: blank",
    ),
    ({"bmi: 15 to 50": "age: 15 to 50"}, {}, "Leave out line 2", ""),
    ({"predict ": "", **BLANK}, {}, "Predict ill", "predict ill: one of no, yes"),
    (
        {**BLANK, "no, yes": "no, yes; unknown: NA"},
        {},
        "Drop the marks of ill",
        "predict ill: one of no, yes",
    ),
]


def edited(text, changes):
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(("of_columns", "of_rows", "label", "mended"), MENDS)
def test_a_refusal_offers_descriptions_that_hold(of_columns, of_rows, label, mended):
    columns, rows = edited(SMALL, of_columns), edited(SMALL_ROWS, of_rows)
    with pytest.raises(Mendable) as refused:
        read_table(columns, rows)
    mends = {mend.label: mend.columns for mend in refused.value.mends}
    fields = described_by(mends[label]).fields
    if mended:
        assert described_by(mended).fields[0] in fields
    else:
        assert len(fields) == 2
    assert read_table(mends[label], rows).records == 2


def test_a_spelling_that_some_value_does_not_follow_is_not_offered():
    columns = "age: 18 to 90\nsex: one of female, male\npredict ill: one of no, yes"
    rows = "age,sex,ill\n40,F,no\n50,{},yes\n"
    for other, offered in (("M", "Write: one of F, M"), ("female", "")):
        with pytest.raises(Mendable) as refused:
            read_table(columns, rows.format(other))
        labels = [mend.label for mend in refused.value.mends]
        assert labels == [*([offered] if offered else []), "Leave out sex"]


def test_no_mend_reads_a_list_or_a_range_off_the_records():
    for rows in (SMALL_ROWS.replace("22", "heavy"), SMALL_ROWS.replace("no", "perhaps")):
        with pytest.raises(Mendable) as refused:
            read_table(SMALL, rows)
        offered = " ".join(mend.columns + mend.label for mend in refused.value.mends)
        assert "heavy" not in offered
        assert "perhaps" not in offered
    # Nothing is learned from no column, or without what is predicted.
    with pytest.raises(Mendable) as refused:
        read_table("bmi: 15 to 50\npredict ill: one of no, yes", SMALL_ROWS.replace("22", "x"))
    assert refused.value.mends == ()


def test_a_refusal_leaves_its_process_without_the_value():
    refusal = WrongTable("bmi must be …", "bmi", "x" * 9_000)
    sent = pickle.loads(pickle.dumps(refusal))
    assert (str(sent), sent.value) == (str(refusal), "")
    with pytest.raises(Mendable) as refused:
        read_table(SMALL, SMALL_ROWS)
    sent = pickle.loads(pickle.dumps(refused.value))
    assert (str(sent), sent.mends) == (str(refused.value), refused.value.mends)


def test_an_outcome_from_0_to_1_may_be_a_class():
    mend = class_of("age: 18 to 90\npredict ill: 0 to 1")
    assert mend is not None
    assert described(mend.columns).predicts == "class"
    for no_question in ("0 to 2", "0 to 1 mg", "one of 0, 1", "wide"):
        assert class_of(f"age: 18 to 90\npredict ill: {no_question}") is None


def test_one_outcome_alone_is_said_and_not_refused():
    # One record less of the other outcome would turn a table that is taken into one that is not.
    columns = "age: 18 to 90\npredict smoker: one of no, yes"
    table = read_table(columns, TABLE_ROWS.replace("yes", "no"))
    assert table.entry.outcome == described(columns).outcome
    assert any(note.startswith("smoker is the same in every record") for note in table.notes)


AGE, SMOKER = "age: 0 to 100\n", "smoker: one of no, yes\n"
REGION = "region: one of north, south{}\n"
PREDICTED = {
    "number": f"{SMOKER}{REGION.format('')}predict {AGE}",
    "class": f"{AGE}{REGION.format('')}predict {SMOKER}",
    "classes": f"{AGE}{SMOKER}predict {REGION.format(', west')}",
}


@pytest.mark.parametrize("predicts", list(PREDICTED))
@pytest.mark.parametrize(
    "setting", [{"intercept": True}, {"features": "additive"}, {"features": "fourier"}]
)
@pytest.mark.parametrize("part", ["train", "test"])
def test_a_blank_record_keeps_its_place_and_adds_nothing(predicts, setting, part):
    columns = PREDICTED[predicts]
    names = ["age", "smoker", "region"]
    people = [(20 + i, ("no", "yes")[i % 2], ("north", "south")[i // 2 % 2]) for i in range(50)]
    held_out = drawn(50, Preparation())
    place = int(np.flatnonzero(held_out == (part == "test"))[3])
    preparation = Preparation(**setting)

    def written(row):
        lines = [",".join(map(str, person)) for person in people]
        lines[place] = row
        return "\n".join([",".join(names), *lines])

    label = described(columns).label.name
    partly = ",".join(
        "" if name == label else str(v) for name, v in zip(names, people[place], strict=True)
    )
    whole = prepare(read_table(columns, written(",".join(map(str, people[place])))), preparation)
    for row in (",,", partly):
        table = read_table(columns, written(row))
        assert table.records == table.entry.records == 50
        assert np.flatnonzero(table.blank).tolist() == [place]
        split = prepare(table, preparation)
        assert (split.records, split.tested) == (40, 10) == (whole.records, whole.tested)
        assert split.feature_names == whole.feature_names
        if part == "test":
            assert len(split.y_test) == 9
            assert np.array_equal(split.x_train, whole.x_train)
            continue
        gone = int(np.flatnonzero(split.blank)[0])
        assert split.blank.sum() == 1
        assert not split.x_train[gone].any()
        assert split.y_train[gone] == (-1.0 if predicts == "classes" else 0.0)
        others = ~split.blank
        assert np.array_equal(split.x_train[others], whole.x_train[others])
        assert np.array_equal(split.y_train[others], whole.y_train[others])
        assert np.array_equal(split.x_test, whole.x_test)
        assert len(split.known[1]) == 39


def test_without_an_outcome_other_fields_must_still_be_right_where_they_are_not_empty():
    columns = "age: 18 to 90\npredict smoker: one of no, yes"
    said = refusal(columns, "age,smoker\n40,no\nold,\n")
    assert "line 3: age must be a plain number" in said
    assert "line 3: age is empty" in refusal(columns, "age,smoker\n40,no\n,yes\n")


def test_only_a_table_of_ones_own_takes_a_description():
    with pytest.raises(InvalidInput, match="only own takes a description"):
        read_upload("cardio", b"1", "f", TABLE_COLUMNS)
