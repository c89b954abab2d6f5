from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.datasets import prepare, read_upload
from dpcore.datasets.text import LARGEST_UPLOAD
from dpcore.errors import InvalidInput

MadeUp = Callable[..., bytes]

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


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_line_endings_and_a_byte_order_mark_do_not_matter(ending, made_up):
    plain = made_up("cardio")
    table = read_upload("cardio", b"\xef\xbb\xbf" + plain.replace(b"\n", ending), "f")
    assert table.frame.equals(read_upload("cardio", plain, "f").frame)


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
    bad = changed(bad, 30, 4, "later", ";")
    sentence = refusal("cardio", bad, "cardio_train.csv")
    first, *_ = sentence.splitlines()
    empty = "" if value else " is empty, but it"
    lines = "lines 12 and 30" if value else "line 12"
    assert first.startswith(f"'cardio_train.csv', {lines}: ap_hi{empty} must be a plain number")
    assert "later" not in sentence


def test_a_number_with_a_decimal_comma_is_told_what_it_must_have(made_up):
    bad = changed(made_up("cardio"), 12, 4, "1,5", ";")
    said = refusal("cardio", bad, "cardio_train.csv")
    assert said.startswith("'cardio_train.csv', line 12: ap_hi has a comma, ")
    assert said.endswith(" 12.5, at most 1,000,000,000 in size.")


def test_a_level_that_the_codebook_does_not_know_is_refused_by_line(made_up):
    for key, where, said in (
        ("cardio", (7, 6, "4", ";"), "line 7: cholesterol must be one of 1, 2, 3."),
        ("adult", (3, 9, "M", ","), "line 3: sex must be one of Female, Male."),
        ("ipums_br", (5, 52, "2", " "), "line 5: label must be one of 0, 1."),
    ):
        assert said in refusal(key, changed(made_up(key), *where))


def test_an_unknown_value_is_refused_where_the_codebook_knows_none(made_up):
    bad = changed(made_up("heart"), 2, 0, "?", ",")
    assert "line 2: age must be a plain number" in refusal("heart", bad)
    assert "or ? for unknown" in refusal("heart", changed(made_up("heart"), 2, 11, "x", ","))


def test_too_few_and_too_many_fields_are_refused_by_line(made_up):
    lines = made_up("cardio").split(b"\n")
    lines[4] += b";1"
    assert "line 5: it has 13 fields, but it must have 12 separated by semicolons." in refusal(
        "cardio", b"\n".join(lines)
    )
    lines[4] = b"1;2"
    assert "line 5: it has 2 fields" in refusal("cardio", b"\n".join(lines))


def test_the_wrong_separator_and_a_missing_header_are_named(made_up):
    assert "No header was found" in refusal("cardio", made_up("cardio").replace(b";", b","))
    headless = made_up("cardio").split(b"\n", 1)[1]
    # Its first line is a record, of which nothing is repeated.
    assert refusal("cardio", headless) == refusal("cardio", headless.replace(b"1", b"2"))


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
        (b"x;" * 5_000, "5,001 columns"),
    ],
)
def test_what_is_no_such_file_is_refused_in_one_sentence(data, expected):
    assert expected in refusal("cardio", data)


def test_only_a_header_is_no_record():
    header = "id;age;gender;height;weight;ap_hi;ap_lo;cholesterol;gluc;smoke;alco;active;cardio\n"
    assert "holds no records" in refusal("cardio", header.encode())


def test_a_file_that_is_too_large_is_refused_unread():
    said = refusal("cardio", b"\n" * (LARGEST_UPLOAD + 1))
    assert "'file.csv' has 32.1 MB, but it must have at most 32 MB." in said


def test_a_row_of_delimiters_alone_is_a_record_and_an_empty_line_is_none(made_up):
    data = made_up("cardio") + b"\n   \n"
    assert read_upload("cardio", data, "f").records == 60
    with pytest.raises(InvalidInput, match="line 64: age is empty"):
        read_upload("cardio", data + b";" * 11, "f")
    assert "line 64: it has 2 fields" in refusal("cardio", data + b" ; \n")


def test_an_open_quotation_mark_swallows_no_later_line(made_up):
    lines = made_up("bank").split(b"\n")
    lines[3] = b'"' + lines[3]
    assert "line 4" in refusal("bank", b"\n".join(lines))


def test_a_table_is_not_refused_for_what_its_records_have_in_common(made_up):
    # The only record of a class may be blanked or replaced: its neighbour is taken as it was.
    lines = made_up("cardio").decode().strip().split("\n")
    same = "\n".join([lines[0], *(line[:-1] + "1" for line in lines[1:])])
    assert set(read_upload("cardio", same.encode(), "file.csv").label) == {1}


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


@pytest.mark.slow("reads large or many files")
@settings(max_examples=100)
@given(text=st.text(max_size=20), place=st.integers(1, 12))
def test_a_random_field_is_either_a_plain_number_or_refused_by_its_line(text, place):
    row = ["1", "18000", "1", "170", "70", "120", "80", "1", "1", "0", "0", "1", "0"]
    header = "id;age;gender;height;weight;ap_hi;ap_lo;cholesterol;gluc;smoke;alco;active;cardio"
    good = ";".join(row)
    row[place] = text
    data = "\n".join([header, good, ";".join(row), good[:-1] + "1"])
    sentence = ""
    try:
        read_upload("cardio", data.encode("utf-8", "surrogatepass"), "f")
    except InvalidInput as refused:
        sentence = str(refused)
    if sentence:
        # A line break in the field moves the trouble to the line after.
        assert any(part in sentence for part in ("line 3", "line 4", "both outcomes"))
    else:
        assert np.isfinite(float(text.strip().strip('"')))


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
