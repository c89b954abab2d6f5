"""PneumoniaMNIST and ChestMNIST: made-up files, and the real one."""

import io
from typing import Any

import numpy as np
import pytest

from dpcore.datasets import images
from dpcore.datasets.images.sets import chest, pneumonia
from dpcore.errors import InvalidInput


def made_up(labels=1, **changed):
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
    data = made_up()
    apart, joined = pneumonia.decode(data), pneumonia.decode(data, "training")
    assert (apart.records, joined.records, len(apart.test_inputs)) == (8, 12, 6)
    assert np.array_equal(joined.train_inputs[:8], apart.train_inputs)
    assert np.array_equal(joined.train_targets[:8], apart.train_targets)
    assert np.array_equal(joined.test_inputs, apart.test_inputs)
    assert not apart.published
    with pytest.raises(InvalidInput, match="validation is 'test'"):
        images.load("pneumonia", validation="test")


def test_fourteen_labels_are_read_as_yes_or_no():
    data = made_up(labels=14)
    result = chest.decode(data)
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
        pneumonia.decode(made_up(**changed))


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
