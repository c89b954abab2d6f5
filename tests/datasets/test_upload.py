import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.datasets import prepare, read_upload
from dpcore.datasets.text import LARGEST_UPLOAD
from dpcore.errors import InvalidInput

FROM_FILES = (
    *("adult", "bank", "heart", "support2", "diabetes_screening", "thyroid", "cardio"),
    "ipums_br",
)


def refusal(key, data, filename="file.csv"):
    with pytest.raises(InvalidInput) as refused:
        read_upload(key, data, filename)
    sentence = str(refused.value)
    assert len(sentence) < 600
    return sentence


@pytest.mark.parametrize("key", FROM_FILES)
def test_a_well_formed_file_is_taken_and_marked_as_not_the_published_one(key, made_up):
    table = read_upload(key, made_up(key, 80), "file.csv")
    assert table.records == 80
    assert not table.published
    assert "80 rows" in table.notes[0]
    assert list(table.frame.columns) == [column.name for column in table.entry.columns]
    prepare(table)


def changed(data, line, place, value, separator):
    lines = data.decode().split("\n")
    fields = lines[line - 1].split(separator)
    fields[place] = value
    lines[line - 1] = separator.join(fields)
    return "\n".join(lines).encode()


WORDS = ("", "high", "nan", "NaN", "inf", "-inf", "1e999", "1e300", "1_000", "0x10", "١٢", "--1")


@pytest.mark.parametrize("value", WORDS)
def test_bad_numbers_are_named_by_line_and_field(value, made_up):
    bad = changed(made_up("cardio"), 12, 4, value, ";")
    said = refusal("cardio", bad, "cardio_train.csv")
    empty = "" if value else " is empty, but it"
    assert said.startswith(f"'cardio_train.csv', line 12: ap_hi{empty} must be a plain number")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "is empty"),
        (b"\n\n  \n", "holds no records"),
        ("a;b\n1;2".encode("utf-16"), "No header was found"),
        (b"a\x00\x00binary", "line 1: it holds a zero byte"),
        (b"PK\x03\x04\x00\x00binary", "'file.csv' is an Excel workbook or an archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "is an Excel workbook"),
        (b"id;age\n\xff\x81\n", "line 2: it holds bytes that are not text"),
        (b"x" * 20_000, "No header was found"),
        (b'"' * 500, "No header was found"),
        (b"x;" * 5_000, "5 001 columns"),
    ],
)
def test_what_is_no_such_file_is_refused_in_one_sentence(data, expected):
    assert expected in refusal("cardio", data)


def test_a_file_that_is_too_large_is_refused_unread():
    said = refusal("cardio", b"\n" * (LARGEST_UPLOAD + 1))
    assert "'file.csv' has 32.1 MB, but it must have at most 32 MB." in said


def test_a_long_or_strange_file_name_cannot_break_the_sentence():
    sentence = refusal("cardio", b"", "a\nb" + "x" * 1_000)
    assert sentence.startswith(r"'a\nbxxx")
    assert len(sentence) < 150


def test_a_built_in_set_takes_no_file():
    assert "takes no file" in refusal("cohort", b"1")
    with pytest.raises(InvalidInput, match="dataset is"):
        read_upload("mine", b"1", "f")


@settings(max_examples=150)
@given(st.binary(max_size=300), st.sampled_from(FROM_FILES))
def test_random_bytes_are_refused_and_never_crash(data, key):
    refusal(key, data)


def test_bank_pdays_becomes_a_flag_and_the_far_end(made_up):
    data = changed(made_up("bank"), 2, 13, "-1", ";")
    data = changed(data, 3, 13, "30", ";")
    table = read_upload("bank", data, "f")
    assert table.frame.loc[0, ["pdays", "contacted_before"]].tolist() == [1_000, 0]
    assert table.frame.loc[1, ["pdays", "contacted_before"]].tolist() == [30, 1]
    assert table.counts["never_contacted"] == 1


def test_cardio_age_becomes_years_and_bad_pressures_are_counted(made_up):
    data = made_up("cardio")
    for line, (high, low) in enumerate([("16020", "80"), ("120", "-70"), ("90", "95")], start=2):
        data = changed(changed(data, line, 4, high, ";"), line, 5, low, ";")
    for line in range(5, 62):
        data = changed(changed(data, line, 4, "120", ";"), line, 5, "80", ";")
    data = changed(data, 2, 0, "18263", ";")
    table = read_upload("cardio", data, "f")
    assert table.frame.loc[0, "age"] == pytest.approx(50.0, abs=0.01)
    assert table.counts["implausible_pressure"] == 2
    assert table.counts["crossed_pressure"] == 1
