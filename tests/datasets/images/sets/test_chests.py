"""Chest X-rays of MedMNIST on made-up files, and the features whose true model is known."""

import io
from typing import Any

import numpy as np
import pytest

from dpcore.datasets import images
from dpcore.datasets.images.sets import chests
from dpcore.datasets.images.sets import chests as made_up
from dpcore.errors import InvalidInput


@pytest.fixture(scope="module")
def usual():
    return images.load("chest_features")


def test_findings_are_as_frequent_as_said_and_more_often_together(usual):
    targets = usual.train_targets
    assert targets.mean(axis=0) == pytest.approx(list(made_up.FREQUENCIES.values()), abs=0.02)
    correlation = np.corrcoef(targets.T)[np.triu_indices(5, 1)]
    # Of independent findings each would be within .04 with near certainty (4 standard errors).
    assert correlation.min() > 0.04


def test_labels_follow_the_true_model(usual):
    chance = made_up.true_model().probability(usual.train_inputs)
    for finding in range(5):
        order = np.argsort(chance[:, finding])
        for part in np.array_split(order, 10):
            expected = chance[part, finding].mean()
            error = np.sqrt(expected * (1 - expected) / len(part))
            seen = usual.train_targets[part, finding].mean()
            assert abs(seen - expected) < 4.5 * error


def test_the_same_seed_gives_the_same_records_and_a_small_set_begins_a_large_one():
    settings = {"features": 32, "test_records": 200, "seed": 5}
    small = images.load("chest_features", records=300, **settings)
    large = images.load("chest_features", records=5_000, **settings)
    assert np.array_equal(small.train_inputs, large.train_inputs[:300])
    assert np.array_equal(small.train_targets, large.train_targets[:300])
    assert np.array_equal(small.test_inputs, large.test_inputs)
    other = images.load("chest_features", records=300, **settings | {"seed": 6})
    assert not np.array_equal(small.train_inputs, other.train_inputs)


@pytest.mark.parametrize(
    ("name", "value"),
    [("records", 99), ("records", 200_001), ("features", 8), ("test_records", 0), ("seed", -1)],
)
def test_numbers_out_of_range_are_refused(name, value):
    with pytest.raises(InvalidInput, match=f"{name} is {value}, but it must be a whole number"):
        images.load("chest_features", **{name: value})


def made_up_file(labels=1, **changed):
    """A file of MedMNIST's form with 8, 4 and 6 images."""
    draw = np.random.default_rng(1)
    arrays: dict[str, Any] = {}
    for part, count in (("train", 8), ("val", 4), ("test", 6)):
        arrays[f"{part}_images"] = draw.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        arrays[f"{part}_labels"] = draw.integers(0, 2, (count, labels), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **(arrays | changed))
    return file.getvalue()


def test_validation_is_left_out_or_joins_the_training_part():
    data = made_up_file()
    apart, joined = chests.decode_pneumonia(data), chests.decode_pneumonia(data, "training")
    assert (apart.records, joined.records, len(apart.test_inputs)) == (8, 12, 6)
    assert np.array_equal(joined.train_inputs[:8], apart.train_inputs)
    assert np.array_equal(joined.train_targets[:8], apart.train_targets)
    assert np.array_equal(joined.test_inputs, apart.test_inputs)
    assert not apart.published
    with pytest.raises(InvalidInput, match="validation is 'test'"):
        images.load("pneumonia", validation="test")


def test_fourteen_labels_are_read_as_yes_or_no():
    data = made_up_file(labels=14)
    result = chests.decode_chest(data)
    assert (result.task, result.outputs) == ("labels", 14)
    assert result.train_targets.shape == (8, 14)
    assert set(np.unique(result.train_targets)) == {0, 1}
    with np.load(io.BytesIO(data)) as file:
        assert np.array_equal(result.train_targets, file["train_labels"])
        assert np.allclose(result.train_inputs[:, 0] * 255, file["train_images"])


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"val_images": np.zeros((4, 28, 28))}, "val_images in .* is float64"),
        ({"val_images": np.zeros((4, 64, 64), np.uint8)}, r"\(4, 64, 64\) for 4 labels"),
        ({"test_labels": np.zeros((7, 1), np.uint8)}, r"\(6, 28, 28\) for 7 labels"),
        ({"train_labels": np.full((8, 1), 2, np.uint8)}, "classes run from 2 to 2"),
        ({"train_labels": np.uint8(7)}, r"train_labels in .* of shape \(\)"),
        ({"train_labels": np.full((8, 1), np.nan)}, "train_labels in .* is float64"),
    ],
)
def test_files_of_another_form_are_refused(changed, reason):
    with pytest.raises(InvalidInput, match=reason):
        chests.decode_pneumonia(made_up_file(**changed))


def test_the_real_file_has_the_published_counts(data_folder, monkeypatch):
    monkeypatch.setenv("DPCORE_DATA", str(data_folder))
    if images.availability("pneumonia") != "local":
        pytest.skip("pneumonia is not in the folder")
    result = images.load("pneumonia")
    assert np.bincount(result.train_targets).tolist() == [1_214, 3_494]
    assert np.bincount(result.test_targets).tolist() == [234, 390]
    # The mean that public code quotes for the training images.
    assert result.train_inputs.mean() == pytest.approx(0.5719, abs=5e-5)
    assert result.published
    assert result.reassembled == ("reassembled" in result.notes[0])
    joined = images.load("pneumonia", validation="training")
    assert np.bincount(joined.train_targets).tolist() == [1_214 + 135, 3_494 + 389]
