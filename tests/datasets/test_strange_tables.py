"""Tables as strangers write them: what they mean is read, however it is written."""

import csv
import datetime
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from dpcore.datasets import delimited as text_rows
from dpcore.datasets.delimited import TO_BE_FOUND, Dialect, blocks, find_dialect, records
from dpcore.datasets.faults import Faults, WrongHeader
from dpcore.datasets.text import Field, Layout, first_rows, read_described
from dpcore.datasets.values import DAY_FIRST, Days
from dpcore.errors import InvalidInput

DIED = Field("died", ("0", "1"))
NAN = float("nan")


def as_text(delimiter, quoting):
    def write(rows):
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()

    return write


def as_parquet(rows):
    names, *others = rows
    file = io.BytesIO()
    columns = zip(*([value or None for value in row] for row in others), strict=True)
    parquet.write_table(pa.table(list(map(pa.array, columns)), list(names)), file)
    return file.getvalue()


TEXTS = {
    f"{name}{', quoted' if quoting else ''}": as_text(delimiter, quoting)
    for name, delimiter in (("commas", ","), ("tabs", "\t"), ("semicolons", ";"), ("bars", "|"))
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
}
WAYS = TEXTS | {"parquet": as_parquet}
every_text = pytest.mark.parametrize("write", TEXTS.values(), ids=TEXTS)
every_way = pytest.mark.parametrize("write", WAYS.values(), ids=WAYS)


def read(data, *fields, label="died", dialect=TO_BE_FOUND):
    return read_described(Layout(fields, header=True, label=label), data, "f", 10**8, dialect)


def numbers(field, values, write):
    """What a column becomes beside an outcome."""
    rows = [("died", field.name), *(("1", value) for value in values)]
    frame, _ = read(write(rows), DIED, field)
    assert len(frame) == len(values)
    return list(frame[field.name])


def levels(field, values, write):
    """The same of one that has levels, a gap being nan."""
    return list(numbers(field, values, write))


def refused(*given):
    with pytest.raises(InvalidInput) as refusal:
        read(*given)
    return str(refusal.value)


def same(actual, wanted):
    return pd.Series(list(actual), dtype=object).equals(pd.Series(list(wanted), dtype=object))


@every_way
def test_a_blank_record_is_a_record(write):
    rows = [("age", "died", "note"), *((str(20 + row), "1", "x") for row in range(50))]
    rows[8] = ("", "", "")
    frame, notes = read(write(rows), Field("age"), DIED)
    assert len(frame) == 50
    assert np.flatnonzero(frame["died"].isna()).tolist() == [7]
    assert np.flatnonzero(frame["age"].isna()).tolist() == [7]
    assert any(note.startswith("1 row is empty") for note in notes)
    rows[8] = rows[9]
    assert not any("empty" in note for note in read(write(rows), Field("age"), DIED)[1])


@every_text
def test_lines_without_a_delimiter_that_are_blank_are_no_records(write):
    data = write([("age", "died"), ("30", "1"), ("40", "0"), ("", "")])
    header, first, *others = data.splitlines(keepends=True)
    frame, _ = read(b"".join([b"\n", header, b"\n", first, b"\n  \n", *others, b"\n"]), DIED)
    assert list(frame["died"].astype(object))[:2] == ["1", "0"]
    assert len(frame) == 3


@every_way
def test_marks_are_compared_as_the_type_of_their_column(write):
    marks = ("999", "-9", "NA", "")
    values = ["999.0", "9.99E+02", "999", "-9.00", "NA", " NA ", "", "99.9", "9", "-9.1"]
    wanted = [NAN] * 7 + [99.9, 9.0, -9.1]
    assert same(numbers(Field("crp", missing_marks=marks), values, write), wanted)
    comma = Field("crp", missing_marks=("999", "-9,5"), decimal_mark=",", thousands_mark=".")
    values = ["999,0", "9,99E+02", "-9,50", "99,9", "9.990"]
    assert same(numbers(comma, values, write), [NAN, NAN, NAN, 99.9, 9990.0])
    days = Field(
        "seen", days=Days(datetime.date(2020, 1, 1), DAY_FIRST), missing_marks=("1900-01-01",)
    )
    values = ["01.01.1900", "1.1.1900 00:00:00", "02.01.2020"]
    assert same(numbers(days, values, write), [NAN, NAN, 1.0])


def test_a_mark_is_compared_as_a_number_where_parquet_holds_numbers():
    file = io.BytesIO()
    kinds = {"a": pa.float64(), "b": pa.float32(), "c": pa.int32()}
    columns = {name: pa.array([999, 3, None], kind) for name, kind in kinds.items()}
    parquet.write_table(pa.table({**columns, "died": [1, 0, 1]}), file)
    fields = [Field(name, missing_marks=("999.00", "")) for name in kinds]
    frame, _ = read(file.getvalue(), DIED, *fields)
    assert all(same(frame[name], [NAN, 3.0, NAN]) for name in kinds)


@every_way
def test_levels_stay_apart(write):
    codes = Field("ward", ("01", "1", "007", "7"), ("",))
    assert levels(codes, list(codes.words), write) == list(codes.words)
    rows = [("died", "ward"), ("1", "1"), ("0", "01")]
    assert "line 2: ward must be one of 01, 02" in refused(
        write(rows), DIED, Field("ward", ("01", "02"))
    )
    # As pandas writes whole numbers beside a gap.
    as_numbers = Field("stage", ("1", "2", "10"), ("9", ""))
    values = ["1.0", "2", "10.00", "9.0", "", "1e1"]
    assert same(levels(as_numbers, values, write), ["1", "2", "10", NAN, NAN, "10"])
    rows = [("died", "stage"), ("1", "1"), ("0", "1.00")]
    assert "line 3: stage must be" in refused(write(rows), DIED, Field("stage", ("1", "1.0", "2")))


HEADERS = {
    "commas in names": "Alter, Jahre;CRP, mg/l;died\n50;3,5;1\n60;9,1;0\n",
    "commas everywhere": "Alter, Jahre;CRP, mg/l;died\n50,0;3,5;1\n60,0;9,1;0\n",
    "quoted": '"Alter, Jahre"\t"CRP, mg/l"\tdied\n50\t3,5\t1\n60\t9,1\t0\n',
    "sep": "sep=;\nAlter, Jahre;CRP, mg/l;died\n50;3,5;1\n60;9,1;0\n",
    "title": "Studie 7, Auszug\n\n;;\nAlter, Jahre;CRP, mg/l;died\n50;3,5;1\n60;9,1;0\n",
    "BOM": "\ufeff\ufeffAlter, Jahre;CRP, mg/l;died\n50;3,5;1\n60;9,1;0\n",
    "invisible": "Alter, Jahre\u200b;\u200bCRP, mg/l; died \n50;3,5;1\n60;9,1;0\n",
    "line breaks": '"Alter,\r\nJahre";CRP, mg/l;died;note\n50;3,5;1;"seen\nagain"\n60;9,1;0;\n',
    "blanks": '"Alter, Jahre", "CRP, mg/l", "died"\n50, "3,5", 1\n60, "9,1", 0\n',
    "carriage returns": "Alter, Jahre;CRP, mg/l;died\r50;3,5;1\r60;9,1;0\r",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("written", HEADERS.values(), ids=HEADERS)
def test_the_header_and_the_delimiter_are_found(written, encoding):
    if '", "' in written and encoding == "utf-16":
        pytest.skip("blanks before quotation marks are read in what begins as ASCII does")
    fields = Field("Alter, Jahre", decimal_mark=","), Field("CRP, mg/l", decimal_mark=","), DIED
    frame, _ = read(written.encode(encoding), *fields)
    assert frame["Alter, Jahre"].tolist() == [50.0, 60.0]
    assert frame["CRP, mg/l"].tolist() == [3.5, 9.1]
    assert frame["died"].tolist() == ["1", "0"]
    # Nothing is described yet where the form looks.
    names, rows = first_rows(written.encode(encoding), "f", TO_BE_FOUND, 1)
    assert names[:3] == ("Alter, Jahre", "CRP, mg/l", "died") or "everywhere" in written
    assert len(rows) == 1
    assert rows[0][1:3] == ("3,5", "1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_letters_are_read_in_their_encoding(encoding):
    data = "größe;wärme;died\n1;hoch\u00ad–ü;1\n".encode(encoding)
    frame, _ = read(data, Field("größe"), Field("wärme", ("hoch\u00ad–ü", "x")), DIED)
    assert frame["wärme"].tolist() == ["hoch\u00ad–ü"]
    assert find_dialect(data, "f").encoding == encoding.removesuffix("-sig")


def test_what_is_given_is_not_searched_for():
    data = b"a,b;died\n1,2;1\n3,4;0\n"
    assert find_dialect(data, "f") == Dialect("utf-8", ";", 1)
    given = Dialect("cp1252", ",", 2)
    assert find_dialect(data, "f", given) == given
    assert first_rows(data, "f", given, 5) == (("1", "2;1"), [("3", "4;0")])
    for wrong in (Dialect("klingon"), Dialect(delimiter="ab"), Dialect(delimiter='"')):
        with pytest.raises(InvalidInput):
            find_dialect(data, "f", wrong)


def test_a_name_that_the_header_lacks_is_told_with_those_that_it_has():
    with pytest.raises(WrongHeader, match="line 2") as refusal:
        read(b"Study\nage,died,CRP\n4,5,6\n", Field("age"), Field("crp"), DIED)
    assert (list(refusal.value.absent), set(refusal.value.others)) == (["crp"], {"CRP"})


@every_way
def test_numbers_have_their_marks(write):
    def read_by(decimal_mark, thousands_mark, *values):
        field = Field("x", decimal_mark=decimal_mark, thousands_mark=thousands_mark)
        return numbers(field, values, write)

    assert read_by(".", ",", "1,234.56", "-1,234,567", "12.5", "+7") == [1234.56, -1234567, 12.5, 7]
    assert read_by(".", "'", "1'234", "1\u2019234.5", "12") == [1234, 1234.5, 12]
    assert read_by(",", ".", "1.234,5", "9.040", "3,5e2") == [1234.5, 9040, 350]
    spaced = "1 234,5", "1\u00a0234", "1\u202f234\u2009567"
    assert read_by(",", " ", *spaced) == [1234.5, 1234, 1234567]
    wrong = [(",", ".", "12.34"), (".", ",", "0,123"), (".", ",", "1234,567"), (".", ",", "1,23")]
    for decimal_mark, thousands_mark, value in [*wrong, (",", "", "1.234,5"), (".", "", "1,234.5")]:
        field = Field("x", decimal_mark=decimal_mark, thousands_mark=thousands_mark)
        assert "line 2: x " in refused(write([("x", "died"), (value, "1")]), field, DIED)


@every_way
def test_what_lies_beyond_a_limit_is_read_by_the_rule_that_is_chosen(write):
    values = ["<5", "≤ 5", "> 89", ">=90", "7"]
    ruled = {"limit": [5, 5, 89, 90, 7], "unknown": [NAN] * 4 + [7.0]}
    for beyond, wanted in ruled.items():
        field = Field("crp", beyond=beyond)
        assert np.array_equal(numbers(field, values, write), wanted, equal_nan=True)
    half = Field("crp", beyond="half", decimal_mark=",")
    assert numbers(half, ["<5", "≤0,3", "7"], write) == [2.5, 0.15, 7.0]
    wrong = [("", "<5"), ("half", ">89"), ("half", "<-5"), ("limit", "<"), ("unknown", "<low")]
    for beyond, value in wrong:
        said = refused(write([("crp", "died"), (value, "1")]), Field("crp", beyond=beyond), DIED)
        assert "line 2: crp is only said to lie beyond a limit" in said
        assert "89" not in said


def test_what_is_not_described_refuses_nothing():
    long, many = "x" * 200_000, [f"c{place}" for place in range(1_990)]
    rows = [("age", "died", "note", "note", *many), ("30", "1", long + '\n"', "\x07", *many)]
    frame, notes = read(as_text(",", csv.QUOTE_MINIMAL)(rows), Field("age"), DIED)
    assert frame["age"].tolist() == [30.0]
    assert notes == ("1 992 columns were ignored (not described).",)
    columns = {
        "age": pa.array([30, 40]),
        "died": pa.array([1, 0]),
        'no "name"\n;,': pa.array([long, None]),
        "age.x": pa.array([{"age": 1}, None]),
        "stay": pa.array([1, 2], pa.duration("s")),
        "picture": pa.array([b"\xff", None]),
        "list": pa.array([[1], []]),
    }
    file = io.BytesIO()
    twice = pa.table(list(columns.values()) * 2, [*columns, *(["again"] * len(columns))])
    parquet.write_table(twice, file)
    frame, notes = read(file.getvalue(), Field("age"), DIED)
    assert frame["age"].tolist() == [30.0, 40.0]
    assert notes == ("12 columns were ignored (not described).",)
    # What cannot be described is not offered.
    assert first_rows(file.getvalue(), "f", TO_BE_FOUND, 1)[0][:2] == ("age", "died")
    assert "column 'stay'" in refused(file.getvalue(), Field("stay"), DIED)


@given(st.text('",\n\r a', max_size=60))
def test_the_library_divides_rows_as_python_does(text):
    data, dialect = f"h,i\n{text}".encode(), Dialect("utf-8", ",", 1)
    faults = Faults("f")
    read_by_library = [
        (row, *fields)
        for block in blocks(data, faults, dialect, 1, 2, [0, 1])
        for row, *fields in zip(
            block.rows.tolist(), *(column.to_pylist() for column in block.columns), strict=True
        )
    ]
    read_by_python = [
        (row, *map(str.strip, record.fields))
        for row, record in enumerate(records(data, dialect, 1))
        if len(record.fields) == 2
    ]
    bare = [
        [(row, *(value.replace(" ", "") for value in values)) for row, *values in each]
        for each in (read_by_library, read_by_python)
    ]
    assert faults.found or bare[0] == bare[1]


def test_a_refusal_names_the_line_that_a_row_begins_in(monkeypatch):
    monkeypatch.setattr(text_rows, "BLOCK", 64)
    good = '1,"two\nlines",30\n\n  \n,,\n'
    data = f"title\ndied,note,age\n{good * 9}1,x,old\n{good}1,y\n".encode()
    said = refused(data, Field("age", missing_marks=("",)), DIED)
    lines = data.decode().split("\n")
    assert f"line {lines.index('1,x,old') + 1}: age must be" in said
    assert f"line {lines.index('1,y') + 1}: it has 2 fields" in said


@pytest.mark.slow("reads large or many files")
def test_a_row_that_runs_into_others_is_refused():
    data = b'died,note\n1,"open\n0,x\n1,y\n'
    assert "line 2: its quotation marks" in refused(data, DIED)
    data = b'died,note\n1,"open\n0,"y"\n1,z\n'
    assert "line 2: its quotation marks" in refused(data, DIED)
    assert "line 2: it has no end" in refused(b'died,note\n1,"' + b"x" * 10_000_000, DIED)
