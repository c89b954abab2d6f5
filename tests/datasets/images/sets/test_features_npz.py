"""Features from a file: what is taken, and the sentence for what is not."""

import io
import tracemalloc
from typing import Any

import numpy as np
import pytest

from dpcore.datasets import DataUnavailable, images
from dpcore.datasets.images.sets import features_npz
from dpcore.errors import InvalidInput

FEATURES = np.random.default_rng(4).random((5, 3))
CLASSES: dict[str, Any] = {
    "train_features": FEATURES,
    "train_labels": np.array([0, 1, 2, 0, 1]),
    "test_features": FEATURES[:2],
    "test_labels": np.array([1, 1], np.uint8),
}
LABELS = CLASSES | {
    "train_labels": np.array([[0, 1], [1, np.nan], [0, 0], [1, 1], [np.nan, 0]]),
    "test_labels": np.array([[True, False], [False, True]]),
}


def saved(arrays, **changed):
    file = io.BytesIO()
    np.savez(file, **{k: v for k, v in (arrays | changed).items() if v is not None})
    return file.getvalue()


def test_whole_numbers_are_classes():
    result = features_npz.decode(saved(CLASSES), "mine.npz", classes=3)
    assert (result.task, result.names) == ("classes", ("class 0", "class 1", "class 2"))
    assert result.train_targets.tolist() == [0, 1, 2, 0, 1]
    assert np.array_equal(result.train_inputs, FEATURES.astype(np.float32))
    assert not result.published


def test_a_table_of_yes_no_and_unknown_is_labels():
    names = np.array(["edema", "effusion"])
    result = features_npz.decode(saved(LABELS, names=names), "mine.npz")
    assert (result.task, result.names) == ("labels", ("edema", "effusion"))
    assert np.array_equal(result.train_targets, LABELS["train_labels"], equal_nan=True)
    assert features_npz.decode(saved(LABELS), "mine.npz").names == ("label 0", "label 1")


def test_how_many_classes_there_are_is_never_read_off_the_labels():
    """Else the last record of a class would decide on the network's shape."""
    for labels in ([0, 1, 2, 0, 1], [0, 1, 1, 0, 1], [0, 1, -1, 0, 1]):
        given = saved(CLASSES, train_labels=np.array(labels))
        with pytest.raises(InvalidInput, match="names is missing"):
            features_npz.decode(given, "mine.npz")
        assert features_npz.decode(given, "mine.npz", classes=3).outputs == 3
    with pytest.raises(InvalidInput, match="classes is 2"):
        features_npz.decode(saved(CLASSES), "mine.npz", classes=2)


def test_a_file_is_read_by_its_path(tmp_path):
    (tmp_path / "mine.npz").write_bytes(saved(CLASSES))
    assert images.load("features_npz", file=str(tmp_path / "mine.npz"), classes=3).records == 5
    with pytest.raises(DataUnavailable, match="can be read"):
        images.load("features_npz", file=tmp_path / "other.npz")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"train_features": None}, "has no array called train_features"),
        ({"train_features": FEATURES[0]}, r"train_features in 'mine\.npz' is float64 of shape"),
        ({"test_features": np.ones((2, 3), int)}, "test_features in .* is int64"),
        ({"test_features": np.ones((2, 4))}, "must be the same"),
        ({"test_features": np.array([[0, 0, 1], [0, np.nan, 1]])}, "row 1 that is not finite"),
        ({"train_features": np.full((5, 3), 1e60)}, "row 0 that is not finite"),
        ({"train_labels": np.array([0, 1, 2, 0])}, r"shape \(4,\) for 5 records"),
        ({"train_labels": np.zeros((5, 1_001))}, "with at most 1 000 labels"),
        ({"train_labels": np.array([0, 1, -2, 0, 1])}, "runs from -2 to 1"),
        ({"train_labels": np.array([0, 1, 10**12, 0, 1])}, "at most 999"),
        ({"train_labels": np.array([0.5, 1, 350, 0, 1])}, "classes are learned here and no other"),
        (LABELS | {"train_labels": np.full((5, 2), 0.5)}, "neither 0 nor 1 nor nan"),
        ({"names": np.array([1, 2, 3])}, "must be 3 different texts"),
        ({"train_labels": np.array([{}, 1, 2, 0, 1])}, "holds Python objects"),
    ],
)
def test_other_files_are_refused_in_one_sentence(changed, reason):
    with pytest.raises(InvalidInput, match=reason) as refused:
        features_npz.decode(saved(CLASSES, **changed), "mine.npz", classes=3)
    assert str(refused.value).count(". ") == 0


@pytest.mark.slow("reads large or many files")
def test_labels_are_refused_before_room_is_made_for_features():
    # 240 MB of features; two million labels that fit no record of them.
    held = io.BytesIO()
    np.savez_compressed(
        held,
        train_features=np.zeros((30_000, 1_000)),
        test_features=np.zeros((2, 1_000)),
        train_labels=np.zeros(2_000_000, np.int8),
        test_labels=np.zeros(2, np.int8),
    )
    bomb = held.getvalue()
    assert len(bomb) < 300_000
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=r"shape \(2000000,\) for 30 000 records"):
            features_npz.decode(bomb, "mine.npz")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
