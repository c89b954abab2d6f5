"""The register: every set is complete, loads or says what to do, and imports little."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpcore import datasets
from dpcore.datasets import DataUnavailable, Preparation, images
from dpcore.errors import InvalidInput

SETS = tuple(images.register())


def test_no_set_has_the_name_of_a_table_and_both_can_be_loaded():
    tables = tuple(entry.key for entry in datasets.catalogue())
    assert not set(SETS) & set(tables)
    classes = tuple(entry.key for entry in datasets.catalogue() if entry.predicts == "class")
    assert images.keys() == SETS + classes
    assert {"digits", "mnist", "cifar10", "svhn", "pneumonia", "chest"} <= set(SETS)


@pytest.mark.parametrize("key", SETS)
def test_every_set_says_what_a_reader_must_know(key):
    entry = images.entry(key)
    assert entry.key == key
    for text in (entry.title, entry.records_are, entry.source, entry.licence, entry.citation):
        assert text
    assert entry.purpose.endswith(".")
    assert entry.how_to_get.endswith(".")
    assert entry.traps
    assert all(trap.endswith(".") for trap in entry.traps)
    assert len(set(entry.names)) == len(entry.names)
    for file in entry.files:
        for each in (file, *file.also):
            assert bool(each.sha256) != bool(each.md5)
            assert len(bytes.fromhex(each.sha256 or each.md5)) == (32 if each.sha256 else 16)
        assert file.url.startswith("https://") or key == "svhn"


@pytest.mark.slow("reads large or many files")
@pytest.mark.parametrize("key", SETS)
def test_every_set_loads_or_says_in_one_sentence_what_to_do(key):
    if images.availability(key) == "built in":
        result = images.load(key)
        assert (result.records, len(result.test_inputs)) == (
            result.entry.records,
            result.entry.test_records,
        )
        assert images.records(key) == result.records
        assert result.entry.side == (result.shape[-1] if len(result.shape) == 3 else 0)
        return
    with pytest.raises(DataUnavailable) as refused:
        images.load(key)
    sentence = str(refused.value)
    assert sentence.startswith(images.entry(key).title)
    assert sentence.count(". ") == 0
    assert sentence.endswith(".")


def test_descriptions_are_plain_json():
    described = json.loads(json.dumps(images.describe_all(), allow_nan=False))
    assert [one["key"] for one in described] == list(SETS)
    assert {one["task"] for one in described} == {"classes", "labels"}
    pneumonia = next(one for one in described if one["key"] == "pneumonia")
    assert [bool(file["md5"]) for file in pneumonia["files"]] == [True, False]
    assert pneumonia["settings"] == ["validation"]
    (setting,) = pneumonia["setting_details"]
    assert (setting["name"], setting["default"]) == ("validation", "left out")
    assert setting["choices"] == ["left out", "training"]


def test_an_unknown_set_and_an_unknown_setting_are_refused():
    with pytest.raises(InvalidInput, match="dataset is 'imagenet', but it must be one of digits"):
        images.load("imagenet")
    with pytest.raises(InvalidInput, match="side is 8, but digits takes only no setting"):
        images.load("digits", side=8)
    with pytest.raises(InvalidInput, match="side is 8, but pneumonia takes only validation"):
        images.load("pneumonia", side=8)


@pytest.mark.parametrize("key", ["breast_cancer", "cohort"])
def test_a_table_becomes_examples_with_the_positive_outcome_as_class_1(key):
    result = images.load(key, preparation=Preparation(seed=3))
    split = datasets.prepare(datasets.load(key), Preparation(seed=3))
    assert result.task == "classes"
    assert result.names == (split.entry.negative, split.entry.positive)
    assert np.array_equal(result.train_inputs, split.x_train.astype(np.float32))
    assert np.array_equal(result.test_targets == 1, split.y_test == 1)
    assert np.linalg.norm(result.train_inputs, axis=1).max() <= 1


def test_a_table_passes_on_size_seed_and_leaks():
    small = images.load("cohort", records=200, seed=1)
    assert (small.records, len(small.test_inputs)) == (200, 10_000)
    leaky = images.load("breast_cancer", preparation=datasets.PAPER_000)
    assert any(note.startswith("leaks") for note in leaky.notes)
    with pytest.raises(InvalidInput, match="569"):
        images.load("breast_cancer", records=200)


def test_importing_and_describing_load_nothing_heavy():
    code = (
        "import sys, dpcore.datasets.images as i; i.describe_all(); i.load('digits'); "
        "print({'pandas', 'sklearn', 'scipy', 'pooch', 'requests', 'torch', 'PIL'} "
        "& set(sys.modules))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
