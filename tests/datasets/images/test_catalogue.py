"""The register: every set loads or says what to do, and a table is a set too."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from dpcore import datasets
from dpcore.datasets import DataUnavailable, Preparation, images
from dpcore.datasets.images.sets import pictures
from dpcore.errors import InvalidInput
from tests.datasets.images.sets.test_pictures import whole_archive, written

SETS = tuple(images.register())


@pytest.mark.parametrize(
    ("name", "contents", "records"),
    [("CIFAR10_ENTRY", (whole_archive(),), 15), ("SVHN_ENTRY", (written(12), written(5)), 12)],
    ids=["cifar10", "svhn"],
)
def test_published_files_are_found_by_their_checksums(
    name, contents, records, monkeypatch, tmp_path
):
    entry = getattr(pictures, name)
    files = tuple(
        replace(file, md5=hashlib.md5(data, usedforsecurity=False).hexdigest())
        for file, data in zip(entry.files, contents, strict=True)
    )
    monkeypatch.setattr(pictures, name, replace(entry, files=files))
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    for file, data in zip(files, contents, strict=True):
        (tmp_path / file.path).parent.mkdir(exist_ok=True)
        (tmp_path / file.path).write_bytes(data)
    assert images.load(entry.key).records == records


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
