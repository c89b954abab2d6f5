"""What examples may look like, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpcore.datasets.images import Examples, Setting, entry
from dpcore.errors import InvalidInput

CLASSES = replace(entry("digits"), names=("a", "b", "c"))
LABELS = replace(CLASSES, task="labels", names=("edema", "effusion"))


def made(entry=CLASSES, **changed):
    arrays: dict[str, Any] = {
        "train_inputs": np.zeros((4, 1, 3, 3), np.float32),
        "train_targets": np.array([0, 1, 2, 1]),
        "test_inputs": np.zeros((2, 1, 3, 3), np.float32),
        "test_targets": np.array([2, 0]),
    }
    if entry is LABELS:
        arrays["train_targets"] = np.array([[0, 1], [1, 0], [np.nan, 1], [0, 0]], np.float32)
        arrays["test_targets"] = np.zeros((2, 2), np.float32)
    return Examples(entry=entry, **(arrays | changed))


@pytest.mark.parametrize(
    ("entry", "changed", "reason"),
    [
        (CLASSES, {"train_inputs": np.zeros((4, 1, 3, 2), np.float32)}, r"\(4, 1, 3, 2\)"),
        (CLASSES, {"test_inputs": np.zeros((2, 9), np.float32)}, "must be the same"),
        (CLASSES, {"train_targets": np.array([0, 1, 2])}, "for 4 records"),
        (CLASSES, {"train_targets": np.array([0, 1, 3, 1])}, "run from 0 to 3"),
        (CLASSES, {"test_targets": np.array([-2, 0])}, "must run from 0 to 2, or be -1 of a"),
        (CLASSES, {"test_targets": np.array([0.0, 1.0])}, "float64"),
        (LABELS, {"test_targets": np.full((2, 2), 0.5, np.float32)}, "neither 0 nor 1 nor nan"),
        (LABELS, {"test_targets": np.zeros((2, 3), np.float32)}, r"shape \(2, 2\)"),
        (
            CLASSES,
            {
                "train_inputs": np.zeros((0, 1, 3, 3), np.float32),
                "train_targets": np.zeros(0, np.int64),
            },
            "at least one",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(entry, changed, reason):
    with pytest.raises(InvalidInput, match=reason):
        made(entry, **changed)


def test_a_setting_takes_what_it_declares():
    word, count = (
        Setting("way", "", "on", choices=("on", "off")),
        Setting("n", "", 2, least=1, most=3),
    )
    assert (str(word), str(count)) == ("way (on or off)", "n")
    assert (word.checked("off"), count.checked("3")) == ("off", 3)
    for setting, value in ((word, "up"), (count, 0), (count, 4)):
        with pytest.raises(InvalidInput, match=f"{setting.name} is "):
            setting.checked(value)
