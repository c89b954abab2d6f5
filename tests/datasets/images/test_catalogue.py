"""The register: every set is complete, loads or says what to do, and imports little."""

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
