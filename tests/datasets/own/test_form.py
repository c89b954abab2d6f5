"""The form of a table of one's own: suggested by names, never by values, and confirmed."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.datasets.clinical_names import known_names
from dpcore.datasets.own.description import entry_of, read_own
from dpcore.datasets.own.form import (
    ANSWER,
    COMMA,
    KINDS,
    LIST,
    NUMBER,
    NUMBERS,
    PERSON,
    UNDECIDED,
    Form,
    Row,
    form,
    look,
)
from dpcore.datasets.own.notation import read, write
from dpcore.errors import InvalidInput

CLINIC = """patient,Age (years),sex,smoker,BMI,sbp,crp,ward,outcome
p1,40,F,no,22.5,120,3,a,0
p2,50,M,yes,,130,4,b,1
p3,60,F,no,31.5,140,5,c,0
"""
SUGGESTED = """\
Age (years): 0 to 120 years; unknown: blank
sex: one of F, M
smoker: one of no, yes
BMI: 10 to 70 kg/m²; unknown: blank
sbp: 60 to 260 mmHg; unknown: blank
predict outcome: one of 0, 1"""


def suggested(text=CLINIC):
    return form("", look(text.encode(), "clinic.csv"))


def edited(draft, edits, predicted):
    """The form after changes: by place, then by a row's field."""
    rows = [replace(row, **edits.get(place, {})) for place, row in enumerate(draft.rows)]
    return replace(draft, rows=tuple(rows), predicted=predicted)


def test_names_suggest_a_description_that_reads_the_file():
    draft = suggested()
    assert draft.suggested
    assert draft.description() == read(SUGGESTED)
    assert read_own(SUGGESTED, CLINIC.encode(), "clinic.csv").records == 3
    unused = {row.name: row.kind for row in draft.rows if not row.used}
    assert unused == {"patient": PERSON, "crp": NUMBER, "ward": LIST}


def test_no_range_and_no_list_comes_from_the_records():
    other = CLINIC.replace("22.5", "9999").replace("130", "-7").replace("p2,50", "p2,3")
    assert suggested(other) == suggested()
    # A word that is in no public spelling leaves the list to a person.
    (row,) = (row for row in suggested(CLINIC.replace("yes", "x")).rows if row.name == "smoker")
    assert (row.used, row.values) == (False, "")
    for syntax in look(CLINIC.encode(), "c"):
        assert not {"a", "b", "p1", "22.5", "40"} & {*syntax.marks, *sum(syntax.spellings, ())}


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("sex", "female male", "one of female, male"),
        ("Smoker", "No Yes", "one of No, Yes"),
        ("anything", "0 1", "one of 0, 1"),
        ("Geschlecht", "w m d", "one of w, m, d"),
        ("NYHA class", "2 3", "one of 1, 2, 3, 4"),
        ("CRP mg/l", "2 3", "0 to 500 mg/l; unknown: blank"),
        ("anything", "nein ja", "one of nein, ja"),
        ("bmi", "22.512 30.125", "10 to 70 kg/m²; unknown: blank"),  # no thousands in its range
        ("bmi", "22,512 30", "10 to 70 kg/m²; decimal comma; unknown: blank"),
        ("bmi", "22.5 NA", "10 to 70 kg/m²; unknown: NA"),
        ("smoker", "no ?", "one of no, yes; unknown: ?"),
        ("glucose (mmol/l)", "5 6", "1 to 35 mmol/l; unknown: blank"),
    ],
)
def test_the_way_a_value_is_written_is_recognised(column, values, expected):
    text = f"{column}\tdied\n" + "".join(f"{value}\tno\n" for value in values.split())
    columns = f"{column}: {expected}\npredict died: one of no, yes"
    assert suggested(text).description() == read(columns)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("9.040 850", UNDECIDED),
        ("9,040 850", UNDECIDED),
        ("9.040 7,5", COMMA),
        ("9.040 1.234.567", COMMA),
        ("9,040 1,234.5", "number like 1,234.5"),
        ("9'040 1'234.5", "number like 1'234.5"),
        ("7,5 1200,25", COMMA),
        ("9.040 0.123", NUMBER),
        ("9.040 1234.500", NUMBER),
        ("9040 850", NUMBER),
        ("9.040 7,5 0.5", LIST),
    ],
)
def test_points_that_may_part_thousands_are_asked_about(values, kind):
    text = "leukocytes;died\n" + "".join(f"{value};no\n" for value in values.split())
    assert suggested(text).rows[0].kind == kind


def test_a_person_says_what_a_point_means():
    text = "leukocytes;died\n9.040;no\n850;yes\n"
    filled_in = {"used": True, "lowest": "0", "highest": "20000"}
    undecided = edited(suggested(text), {0: filled_in}, "died")
    assert undecided.unused()["kind"] == ("leukocytes",)
    with pytest.raises(InvalidInput, match=r"leukocytes is used, but .* 1\.234 or"):
        undecided.description()
    for kind, value in ((NUMBER, 9.04), (COMMA, 9040.0)):
        decided = edited(suggested(text), {0: {**filled_in, "kind": kind}}, "died")
        assert "kind" not in decided.unused()
        table = read_own(write(decided.description()), text.encode(), "c")
        assert table.frame["leukocytes"].tolist() == [value, 850.0]


@pytest.mark.parametrize("value", ["<5", ">= 89", "≤0.5"])
def test_values_beyond_a_limit_ask_how_they_are_read(value):
    draft = suggested(f"crp (mg/l),died\n{value},no\n7.5,yes\n")
    (row, _) = draft.rows
    assert (row.kind, row.used, row.highest, row.lacks) == (NUMBER, True, "500", "beyond")
    with pytest.raises(InvalidInput, match=r"crp \(mg/l\) is used, .* like <5"):
        draft.description()
    described = edited(draft, {0: {"beyond": "unknown"}}, "died").description()
    assert described.fields[0].beyond == "unknown"
    # A description says it again in the form, also of another file.
    assert form(write(described), ()).description() == described


def test_a_bound_beside_decimal_commas_is_not_guessed():
    draft = suggested("crp;died\n0,7;no\n1.234,5;yes\n")
    used = {"used": True, "lowest": "0"}
    with pytest.raises(InvalidInput, match=r"highest is '1\.005', which could be 1\.0050 or 1005"):
        edited(draft, {0: {**used, "highest": "1.005"}}, "died").description()
    clear = edited(draft, {0: {**used, "highest": "1.000,0"}}, "died").description().fields[0]
    assert (clear.upper, clear.decimal_mark, clear.thousands_mark) == (1000.0, ",", ".")


@pytest.mark.parametrize("column", ["glucose", "age_group", "anything", "bmi_z", "weight_lb"])
def test_a_name_of_several_units_or_none_suggests_no_range(column):
    assert known_names().range_of(column) is None
    (row, _) = suggested(f"{column},died\n1,no\n2,yes\n").rows
    assert row == Row(column, kind=NUMBER, unknown="blank")


def test_a_form_and_its_description_say_the_same():
    columns = read(
        "bmi: -1.5 to 50 kg/m²; decimal comma; unknown: NA\nward: one of a, b, c; unknown: blank\n"
        "predict progression: 0 to 350 points"
    )
    draft = form(write(columns), ())
    assert [row.kind for row in draft.rows] == [COMMA, LIST, NUMBER]
    assert draft.description() == columns


@pytest.mark.parametrize("kind", NUMBERS)
def test_every_kind_of_number_and_any_sign_is_kept(kind):
    signs = "a: [70-80)*, \"≥80\"; 'x'"
    rows = (
        Row(signs, True, kind, "0", "9", "<b>%", unknown='NA, "1,5", blank, <5'),
        Row("ward", True, LIST, values='"a, b", <5, """c""", d:e'),
        Row("died", True, ANSWER, values="no, yes"),
    )
    description = Form(rows, "died", suggested=True).description()
    assert read(write(description)) == description
    assert description.fields[0].missing_marks == ("NA", "1,5", "", "<5")
    assert description.fields[1].levels == ("a, b", "<5", '"c"', "d:e")
    assert form(write(description), ()).description() == description


def test_the_form_keeps_what_is_said_of_the_whole_table():
    columns = read(
        "number of persons: public\nperson: patient, at most 3 rows\n"
        "visit: 2015-01-01 to 2024-12-31; day first; unknown: blank\n"
        "seen: 2015-01-01 to 2024-12-31\npredict outcome: one of 0, 1"
    )
    draft = form(write(columns), ())
    assert draft.description() == columns
    unused = {place: {"used": False} for place, row in enumerate(draft.rows) if row.kind == PERSON}
    assert edited(draft, unused, "outcome").description() == replace(columns, person=None)
    # One row each, until a column is said to tell whose row it is.
    each = f"person: one row each\n{SUGGESTED}"
    draft = form(each, look(CLINIC.encode(), "c"))
    assert draft.description() == read(each)
    place = next(place for place, row in enumerate(draft.rows) if row.kind == PERSON)
    mine = edited(draft, {place: {"used": True, "highest": "2"}}, draft.predicted).description()
    assert mine == read(f"person: patient, at most 2 rows\n{SUGGESTED}")


@pytest.mark.parametrize(
    ("days", "kind"),
    [
        ("2020-01-02 2021-12-31T10:00:00", "day"),
        ("02.01.2020 31.12.2021", "day like 31.12.2020"),
        ("01/02/2020 12/31/2021", "day like 12/31/2020"),
        ("2020-02-30", LIST),
    ],
)
def test_days_are_recognised_and_their_range_is_left_to_a_person(days, kind):
    text = "seen,died\n" + "".join(f"{day},no\n" for day in days.split())
    (row, _) = suggested(text).rows
    assert (row.kind, row.used, row.lowest, row.values) == (kind, False, "", "")


@pytest.mark.parametrize(
    ("row", "predicted", "said"),
    [
        (Row("id", True, PERSON, highest="1.5"), "x", "a whole number"),
        (Row("id", True, PERSON, highest="2,000"), "x", "most rows is '2,000', .* could be 2"),
        (Row("id", True, PERSON, highest="2"), "id", "id says whose row it is"),
        (Row("ward", True, LIST, values="a, b"), "", "No column is predicted"),
    ],
)
def test_what_is_missing_is_named(row, predicted, said):
    outcome = Row("x", True, ANSWER, values="no, yes")
    with pytest.raises(InvalidInput, match=said):
        Form((row, outcome), predicted, suggested=True).description()


def test_columns_that_are_not_used_are_told_with_what_is_missing():
    text = CLINIC.replace("patient,", "seen,patient,").replace("\np", "\n2020-01-02,p")
    draft = suggested(text)
    lacking = {"days": ("seen",), "rows": ("patient",), "range": ("crp",), "values": ("ward",)}
    assert draft.unused() == lacking
    place = {row.name: place for place, row in enumerate(draft.rows)}
    filled_in = {place["crp"]: {"used": True, "lowest": "0", "highest": "500"}}
    filled = edited(draft, filled_in, "outcome")
    assert filled.unused() == {name: of for name, of in lacking.items() if name != "range"}
    # Ticked off again by a person: nothing is missing.
    filled_in[place["crp"]]["used"] = False
    assert edited(draft, filled_in, "outcome").unused()["nothing"] == ("crp",)
    assert edited(draft, {}, "ward").unused()["values"] == ("ward",)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bounds", [("", ""), ("0", ""), ("0", "2"), ("0", "1.5")])
@pytest.mark.parametrize("values", ["", " ", "a, b", "a, b, c", "a"])
def test_what_is_missing_is_what_a_description_refuses(kind, bounds, values):
    row = Row("x", True, kind, *bounds, values=values)
    asked = row.person if kind == PERSON else row.field
    if row.lacks == "nothing" and not row.kind.startswith("day"):
        assert asked()
    else:
        with pytest.raises(InvalidInput, match="filled in"):
            asked()


def test_columns_that_cannot_be_described_are_no_rows():
    text = f"a*b,age,age,{'n' * 61},bmi,died\n1,2,3,4,5,no\n"
    draft = form("", look(text.encode(), "c"))
    assert [row.name for row in draft.rows] == ["a*b", "bmi", "died"]
    assert draft.unnamed == ("age", "n" * 61)
    assert draft.unused()["name"] == draft.unnamed


@pytest.mark.slow("reads large or many files")
@given(st.binary(max_size=300))
def test_any_bytes_are_suggested_or_refused(data):
    with suppress(InvalidInput):
        draft = form("", look(CLINIC.encode() + data, "f"))
        entry_of(draft.description())
    with suppress(InvalidInput):
        form("", look(data, "f"))
