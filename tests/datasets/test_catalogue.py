import json
import pkgutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpcore import datasets
from dpcore.datasets import DataUnavailable, sets
from dpcore.datasets.catalogue import ORDER, register
from dpcore.errors import InvalidInput

BUILT_IN = ("breast_cancer", "cohort", "diabetes", "optical_digits")
KEYS = tuple(entry.key for entry in datasets.catalogue())


def test_the_catalogue_holds_a_set_of_each_file_and_those_without_files_come_first():
    entries = datasets.catalogue()
    assert sorted(KEYS) == sorted(module.name for module in pkgutil.iter_modules(sets.__path__))
    assert set(BUILT_IN) <= {entry.key for entry in entries if not entry.files}
    assert [bool(entry.files) for entry in entries] == sorted(bool(e.files) for e in entries)
    # Of either kind, those whose place is named come first, and the others by their keys.
    for kind in (False, True):
        keys = [entry.key for entry in entries if bool(entry.files) is kind]
        named = [key for key in ORDER if key in keys]
        assert keys == [*named, *sorted(set(keys) - set(named))]


def test_adding_a_file_enrols_its_set(tmp_path, monkeypatch):
    (tmp_path / "newcomer.py").write_text(
        "from dataclasses import replace\n"
        "from dpcore.datasets.sets.diabetes import SOURCE as BASE\n"
        "SOURCE = replace(BASE, entry=replace(BASE.entry, key='newcomer'))\n"
    )
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(tmp_path)])
    register.cache_clear()
    try:
        # Among those without files.
        keys = [entry.key for entry in datasets.catalogue()]
        assert [key for key in keys if key != "newcomer"] == list(KEYS)
        assert keys.index("cohort") < keys.index("newcomer") < keys.index("adult")
        assert datasets.load("newcomer").records == datasets.entry("diabetes").records
    finally:
        register.cache_clear()
        sys.modules.pop(f"{sets.__name__}.newcomer", None)


@pytest.mark.parametrize("key", KEYS)
def test_every_entry_says_what_a_reader_must_know(key):
    entry = datasets.entry(key)
    for text in (entry.title, entry.source, entry.licence, entry.citation, entry.task):
        assert text
    if entry.predicts == "class":
        assert entry.positive != entry.negative
    elif entry.predicts == "classes":
        assert entry.classes > 2
        with pytest.raises(ValueError, match="predicts a number or one of several classes"):
            entry.outcome  # noqa: B018
    else:
        assert entry.target.bounds_reason.endswith(".")
    assert entry.traps
    assert entry.how_to_get.endswith(".")
    assert len({column.name for column in entry.columns}) == len(entry.columns)
    for column in entry.columns:
        assert column.description
        if column.kind == "number":
            assert column.bounds_reason.endswith(".")
        assert len(set(column.levels)) == len(column.levels)


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


def test_what_needs_an_account_is_named_with_the_place_and_the_upload():
    for key, place in (("cardio", "kaggle.com"), ("ipums_br", "international.ipums.org")):
        assert datasets.availability(key) == "upload"
        with pytest.raises(DataUnavailable, match=f"{place}.*upload the file"):
            datasets.load(key)
    assert datasets.availability("adult") == "download"


def test_the_bounds_of_breast_cancer_are_not_the_range_of_the_data():
    frame = datasets.load("breast_cancer").frame
    for column in datasets.entry("breast_cancer").columns:
        lower, upper = column.bounds
        values = frame[column.name]
        assert column.bounds_from == "assumed"
        assert (lower, upper) != (values.min(), values.max())
        assert upper != values.max()
        # By definition nothing lies below 0; any other lower end must not be the smallest value.
        assert lower != values.min() or lower == 0
        # Bounds that hardly touch the data would be worthless too.
        assert ((values >= lower) & (values <= upper)).mean() > 0.85


def test_malignant_is_the_positive_label():
    table = datasets.load("breast_cancer")
    assert int((table.label == 1).sum()) == 212
    larger = table.frame["mean radius"].groupby(table.label).mean()
    assert larger[1] > larger[-1]


def test_an_unknown_set_and_a_count_that_is_not_taken_are_refused():
    with pytest.raises(
        InvalidInput, match="dataset is 'iris', but it must be one of breast_cancer"
    ):
        datasets.load("iris")
    with pytest.raises(InvalidInput, match="569"):
        datasets.load("breast_cancer", records=100)
    with pytest.raises(InvalidInput, match="only cohort"):
        datasets.load("adult", records=100)


def test_descriptions_are_plain_json_with_bounds_and_reasons():
    described = json.loads(json.dumps(datasets.describe_all(), allow_nan=False))
    assert [one["key"] for one in described] == list(KEYS)
    for one in described:
        for column in one["columns"]:
            if column["kind"] == "number":
                assert column["lower"] < column["upper"]
                assert column["bounds_from"] in ("codebook", "common knowledge", "assumed")
                assert column["bounds_reason"]
    bank = {column["name"]: column for column in datasets.describe("bank")["columns"]}
    assert "known only once the call is over" in bank["duration"]["left_out"]


def test_importing_and_describing_load_neither_pandas_nor_sklearn_nor_the_network():
    code = (
        "import sys, dpcore.datasets as d; d.describe('cohort'); "
        "print({'pandas', 'sklearn', 'scipy', 'pooch', 'requests', 'torch'} & set(sys.modules))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_labels_are_plus_and_minus_one():
    for key in ("breast_cancer", "cohort"):
        assert set(np.unique(datasets.load(key).label)) == {-1, 1}


def test_diabetes_is_the_raw_table_that_scikit_learn_ships():
    from sklearn.datasets import load_diabetes

    table, raw = datasets.load("diabetes"), load_diabetes(scaled=False)
    assert table.label.tolist() == raw.target.tolist()
    values = table.frame.to_numpy().copy()
    values[:, 1] += 1.0  # sex is coded 1 and 2 in the file
    assert values.tolist() == raw.data.tolist()
    for column in (*datasets.entry("diabetes").columns, datasets.entry("diabetes").target):
        if column.kind == "number":
            result = raw.target if column.name == "progression" else table.frame[column.name]
            lower, upper = column.bounds
            assert lower != min(result)
            assert upper != max(result)


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
    described = datasets.describe("diabetes")
    assert (described["predicts"], described["label"]["upper"]) == ("number", 350.0)
    with pytest.raises(ValueError, match="diabetes predicts a number or one"):
        _ = datasets.entry("diabetes").outcome
    with pytest.raises(ValueError, match="adult predicts a class"):
        _ = datasets.entry("adult").target
