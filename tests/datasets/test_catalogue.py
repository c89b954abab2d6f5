import pkgutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpcore import datasets
from dpcore.datasets import DataUnavailable, sets
from dpcore.datasets.catalogue import ORDER
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
