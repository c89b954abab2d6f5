import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore import datasets
from dpcore.datasets import DataUnavailable, prepare, read_upload
from dpcore.datasets.text import LARGEST_UPLOAD
from dpcore.errors import InvalidInput

BUILT_IN = ("breast_cancer", "cohort", "diabetes", "optical_digits")
KEYS = tuple(entry.key for entry in datasets.catalogue())


def test_those_without_files_come_first_and_no_key_is_taken_twice():
    entries = datasets.catalogue()
    assert len(set(KEYS)) == len(KEYS)
    assert set(BUILT_IN) <= {entry.key for entry in entries if not entry.files}
    assert [bool(entry.files) for entry in entries] == sorted(bool(e.files) for e in entries)


@pytest.mark.parametrize("key", KEYS)
def test_every_entry_loads_or_says_in_one_sentence_what_to_do(key):
    if datasets.availability(key) == "built in":
        assert datasets.load(key).records == datasets.entry(key).records
        return
    with pytest.raises(DataUnavailable) as refused:
        datasets.load(key)
    sentence = str(refused.value)
    assert sentence.startswith(datasets.entry(key).title)
    assert "DPCORE_DATA" in sentence
    assert sentence.count(". ") == 0
    assert sentence.endswith(".")


def test_malignant_is_the_positive_label():
    assert int((datasets.load("breast_cancer").label == 1).sum()) == 212


def test_an_unknown_set_and_a_count_that_is_not_taken_are_refused():
    with pytest.raises(
        InvalidInput, match="dataset is 'iris', but it must be one of breast_cancer"
    ):
        datasets.load("iris")
    with pytest.raises(InvalidInput, match="569"):
        datasets.load("breast_cancer", records=100)
    with pytest.raises(InvalidInput, match="only cohort"):
        datasets.load("adult", records=100)


def test_importing_and_describing_load_neither_pandas_nor_sklearn_nor_the_network():
    code = (
        "import sys, dpcore.datasets as d, dpcore.datasets.images as i; "
        "d.describe('cohort'); i.describe_all(); i.load('digits'); "
        "print({'pandas', 'sklearn', 'scipy', 'pooch', 'requests', 'torch', 'PIL'} "
        "& set(sys.modules))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_diabetes_is_the_raw_table_that_scikit_learn_ships():
    from sklearn.datasets import load_diabetes

    table, raw = datasets.load("diabetes"), load_diabetes(scaled=False)
    assert table.label.tolist() == raw.target.tolist()
    values = table.frame.to_numpy().copy()
    values[:, 1] += 1.0  # sex is coded 1 and 2 in the file
    assert values.tolist() == raw.data.tolist()


def test_a_number_to_predict_is_scaled_by_its_public_bounds_and_clipped():
    table = datasets.load("diabetes")
    label = table.label.astype(float)
    label[[3, 7]] = (-20.0, 900.0)
    for scaling in ("public", "data"):
        preparation = datasets.Preparation(scaling=scaling)
        split = datasets.prepare(replace(table, label=label), preparation)
        both = np.concatenate([split.y_train, split.y_test])
        wanted = np.clip(label, 0.0, 350.0) / 175.0 - 1.0
        assert sorted(both) == pytest.approx(sorted(wanted), abs=1e-12)
        assert np.abs(both).max() == 1.0
        assert any("2 of progression" in note for note in split.notes)


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
